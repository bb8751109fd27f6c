"""Ed25519, to check who signed a race record."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

__all__ = ["check_signature"]


def check_signature(key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether, by the public key, a signature is that of a message.

    Args:
        key: 32 bytes; other lengths are nobody's key.
        signature: 64 bytes, likewise.
        message: what was signed.
    """
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
