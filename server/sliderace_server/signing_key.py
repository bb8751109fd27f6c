"""The server's own key: what it signs race records with.

Made at the first start, and kept in the data folder for its owner alone: who has it can
sign in the server's name.
"""

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

__all__ = ["KEY_FILE", "BadKey", "ServerKey", "kept_key", "new_key"]

KEY_FILE = "record-key.pem"
"""In the data folder: PKCS #8, as OpenSSL writes and reads it."""


class BadKey(Exception):
    """The key file cannot be used; the text says which, and why."""


class ServerKey:
    """A key pair.

    Attributes:
        public: the public key, 64 hex digits.
    """

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> bytes:
        """The signature, 64 bytes; the same for the same message."""
        return self._private.sign(message)


def new_key() -> ServerKey:
    """A key for this process's life."""
    return ServerKey(Ed25519PrivateKey.generate())


def kept_key(path: Path) -> ServerKey:
    """The key in a file, which is made where there is none. Blocking.

    Raises:
        BadKey: the file cannot be read or written, or holds no Ed25519 key.
    """
    try:
        if not path.exists():
            _make(path)
        data = path.read_bytes()
    except OSError as error:
        raise BadKey(f"key file {path}: {error.strerror or error}") from None
    try:
        private = load_pem_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise BadKey(f"key file {path}: no key that can be read") from None
    if not isinstance(private, Ed25519PrivateKey):
        raise BadKey(f"key file {path}: not an Ed25519 key")
    return ServerKey(private)


def _make(path: Path) -> None:
    """Write a fresh key, whole or not at all, unless another start was faster."""
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
        _name(Path(name), path)
    finally:
        Path(name).unlink(missing_ok=True)


def _name(fresh: Path, path: Path) -> None:
    try:
        path.hardlink_to(fresh)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        fresh.replace(path)
