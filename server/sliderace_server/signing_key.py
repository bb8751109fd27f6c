"""The server's signing key: it signs race records.

The key is created at the first start and stored in the data folder, readable only by
the owner of the process: anyone who has it can sign in the server's name.
"""

import hmac
import os
import tempfile
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

__all__ = ["KEY_FILE", "BadKey", "ServerKey", "load_key", "new_key"]

KEY_FILE = "record-key.pem"
"""In the data folder: PKCS #8 in PEM, which OpenSSL reads too."""


class BadKey(Exception):
    """The key file cannot be used; the text says which file and why."""


class ServerKey:
    """A key pair.

    Attributes:
        public: the public key, 64 hex digits.
    """

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message: 64 bytes, deterministic."""
        return self._private.sign(message)

    def secret(self, purpose: str) -> bytes:
        """Return 32 bytes that depend only on this key and the purpose."""
        key = self._private.private_bytes_raw()
        return hmac.digest(key, f"sliderace/{purpose}".encode(), "sha256")


def new_key() -> ServerKey:
    """Return a new key that is not stored."""
    return ServerKey(Ed25519PrivateKey.generate())


def load_key(path: Path) -> ServerKey:
    """Return the key in a file; create the file if there is none. Blocking.

    Raises:
        BadKey: the file cannot be read or written, or contains no Ed25519 key.
    """
    try:
        if not path.exists():
            _create(path)
        data = path.read_bytes()
    except OSError as error:
        raise BadKey(f"key file {path}: {error.strerror or error}") from None
    try:
        private = load_pem_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise BadKey(f"key file {path}: not a readable PEM key") from None
    if not isinstance(private, Ed25519PrivateKey):
        raise BadKey(f"key file {path}: not an Ed25519 key")
    return ServerKey(private)


def _create(path: Path) -> None:
    """Write a new key atomically, unless another process has just written one."""
    pem = Ed25519PrivateKey.generate().private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)  # 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        _link(Path(name), path)
    finally:
        Path(name).unlink(missing_ok=True)


def _link(new: Path, path: Path) -> None:
    try:
        path.hardlink_to(new)
    except FileExistsError:
        pass
    except OSError:  # the file system has no hard links
        new.replace(path)
