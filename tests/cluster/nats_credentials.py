"""An operator, an account and a user of NATS, as `nsc` makes them."""

import hashlib
import json
import os
import time
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import nkeys as untyped  # type: ignore[import-untyped]  # pyright: ignore[reportMissingTypeStubs]

__all__ = ["credentials"]

nkeys: Any = untyped
UNLIMITED = ("subs", "data", "payload", "imports", "exports", "conn", "leaf")
STORAGE = ("mem_storage", "disk_storage", "streams", "consumer")


def credentials(file: Path) -> str:
    """Write a user's credentials to a file; return the broker's configuration."""
    operator, system, account, user = (
        nkeys.encode_seed(os.urandom(32), kind)
        for kind in (
            nkeys.PREFIX_BYTE_OPERATOR,
            nkeys.PREFIX_BYTE_ACCOUNT,
            nkeys.PREFIX_BYTE_ACCOUNT,
            nkeys.PREFIX_BYTE_USER,
        )
    )
    limits: dict[str, Any] = {**dict.fromkeys(UNLIMITED, -1), "wildcards": True}
    more = {**limits, **dict.fromkeys(STORAGE, -1)}
    accounts = {
        _public(system): _claim(operator, system, type="account", limits=limits),
        _public(account): _claim(operator, account, type="account", limits=more),
    }
    claim = _claim(account, user, type="user", subs=-1, data=-1, payload=-1)
    file.write_text(
        f"-----BEGIN NATS USER JWT-----\n{claim}\n------END NATS USER JWT------\n\n"
        f"-----BEGIN USER NKEY SEED-----\n{user.decode()}\n"
        "------END USER NKEY SEED------\n"
    )
    preloaded = ", ".join(f'{key}: "{text}"' for key, text in accounts.items())
    return (
        f'operator: "{_claim(operator, operator, type="operator")}"\n'
        f"system_account: {_public(system)}\n"
        f"resolver: MEMORY\nresolver_preload: {{ {preloaded} }}\n"
    )


def _public(seed: bytes) -> str:
    key: bytes = nkeys.from_seed(bytearray(seed)).public_key
    return key.decode()


def _claim(issuer: bytes, subject: bytes, **nats: object) -> str:
    """Return a JWT about a key, signed by another one."""
    body: dict[str, Any] = {
        "iat": int(time.time()),
        "iss": _public(issuer),
        "name": "test",
        "sub": _public(subject),
        "nats": {"version": 2, **nats},
    }
    body["jti"] = hashlib.sha256(json.dumps(body).encode()).hexdigest()
    parts = ({"typ": "JWT", "alg": "ed25519-nkey"}, body)
    text = ".".join(_base64(json.dumps(part).encode()) for part in parts)
    signature: bytes = nkeys.from_seed(bytearray(issuer)).sign(text.encode())
    return f"{text}.{_base64(signature)}"


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
