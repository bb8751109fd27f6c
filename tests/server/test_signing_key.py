"""The signing key: created once, private to its owner, checked when it is read."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from sliderace_client.net.signature import check_signature
from sliderace_server.signing_key import KEY_FILE, BadKey, ServerKey, load_key, new_key


def is_signature(key: ServerKey, signature: bytes, message: bytes) -> bool:
    return check_signature(bytes.fromhex(key.public), signature, message)


def test_the_key_is_created_at_the_first_start_and_stored(tmp_path: Path) -> None:
    path = tmp_path / "new" / KEY_FILE
    first, second = load_key(path), load_key(path)
    assert first.public == second.public
    assert first.sign(b"a") == second.sign(b"a")
    assert [one.name for one in path.parent.iterdir()] == [KEY_FILE]


def test_only_the_owner_can_read_the_key(tmp_path: Path) -> None:
    path = tmp_path / KEY_FILE
    load_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_simultaneous_first_starts_use_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = [*pool.map(load_key, [tmp_path / KEY_FILE] * 16)]
    assert len({key.public for key in keys}) == 1
    assert [one.name for one in tmp_path.iterdir()] == [KEY_FILE]


def test_the_key_can_be_stored_without_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path, target: Path) -> None:
        raise PermissionError(1, "no links here", str(target))

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    path = tmp_path / KEY_FILE
    assert load_key(path).public == load_key(path).public
    assert [one.name for one in tmp_path.iterdir()] == [KEY_FILE]


def test_a_signature_belongs_to_one_message_and_one_key() -> None:
    key, other = new_key(), new_key()
    signature = key.sign(b"message")
    assert len(signature) == 64
    assert is_signature(key, signature, b"message")
    assert not is_signature(key, signature, b"massage")
    assert not is_signature(other, signature, b"message")
    assert not is_signature(key, bytes(64), b"message")


@pytest.mark.parametrize("key", [b"", bytes(31), bytes(33), b"\xff" * 32])
def test_an_invalid_key_verifies_nothing(key: bytes) -> None:
    assert not check_signature(key, bytes(64), b"")


@pytest.mark.parametrize("length", [0, 63, 65])
def test_an_invalid_signature_is_not_accepted(length: int) -> None:
    assert not check_signature(bytes.fromhex(new_key().public), bytes(length), b"")


def test_signatures_agree_with_rfc_8032() -> None:
    # Section 7.1, test 2.
    key = bytes.fromhex(
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    )
    signature = bytes.fromhex(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert check_signature(key, signature, b"\x72")
    assert not check_signature(key, signature, b"\x73")


def test_other_programs_can_read_the_key_file(tmp_path: Path) -> None:
    key = load_key(tmp_path / KEY_FILE)
    loaded = load_pem_private_key((tmp_path / KEY_FILE).read_bytes(), None)
    assert isinstance(loaded, Ed25519PrivateKey)
    assert loaded.public_key().public_bytes_raw().hex() == key.public


def test_an_invalid_key_file_is_an_error_and_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / KEY_FILE
    curve = ec.generate_private_key(ec.SECP256R1())
    locked = BestAvailableEncryption(b"x")
    for data, why in [
        (b"", "not a readable PEM key"),
        (b"-----BEGIN PRIVATE KEY-----\n", "not a readable PEM key"),
        (_pem(curve, NoEncryption()), "not an Ed25519"),
        (_pem(curve, locked), "not a readable PEM key"),
    ]:
        path.write_bytes(data)
        with pytest.raises(BadKey, match=why):
            load_key(path)
        assert path.read_bytes() == data


def _pem(key: ec.EllipticCurvePrivateKey, lock: object) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock)  # type: ignore[arg-type]


def test_an_unusable_key_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadKey, match="file"):
        load_key(tmp_path / "file" / KEY_FILE)
    (tmp_path / KEY_FILE).mkdir()
    with pytest.raises(BadKey, match="directory"):
        load_key(tmp_path / KEY_FILE)
