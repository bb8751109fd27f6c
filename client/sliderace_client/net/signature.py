"""Check who signed a race record, with Ed25519."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

__all__ = ["check_signature"]


def check_signature(key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether a signature of a message was made with a public key's private half.

    Args:
        key: 32 bytes; other lengths are not a key.
        signature: 64 bytes; other lengths are not a signature.
        message: the signed bytes.
    """
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
