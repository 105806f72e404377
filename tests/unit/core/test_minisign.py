"""Keys and signatures, as minisign writes them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from hashlib import blake2b, scrypt

import pytest

from holdfast.core.errors import SignatureRefused, UsageError
from holdfast.core.minisign import (
    PublicKey,
    SecretKey,
    encode_public_key,
    encode_secret_key,
    new_secret_key,
    parse_public_key,
    parse_secret_key,
    sign,
    verify,
)

KEY = SecretKey(bytes(range(8)), bytes(range(32)))
TEXT = b"a text\n"


def altered(signature: bytes, line: int, at: int) -> bytes:
    lines = signature.decode().split("\n")
    data = bytearray(b64decode(lines[line]))
    data[at] ^= 1
    lines[line] = b64encode(data).decode()
    return "\n".join(lines).encode()


def protected(key: SecretKey, password: bytes, operations: int, memory: int) -> bytes:
    """The file of a key under a password; the parameters are those of the smallest scrypt that libsodium takes."""
    pair = key.seed + key.public.key
    plain = key.key_id + pair + blake2b(b"Ed" + key.key_id + pair, digest_size=32).digest()
    salt = bytes(range(32))
    stream = scrypt(password, salt=salt, n=1 << 10, r=8, p=1, dklen=len(plain))
    covered = bytes([one ^ other for one, other in zip(plain, stream, strict=True)])
    data = b"EdScB2" + salt + operations.to_bytes(8, "little") + memory.to_bytes(8, "little") + covered
    return b"untrusted comment: x\n" + b64encode(data) + b"\n"


def test_a_signature_holds_for_its_text_and_key() -> None:
    stranger = new_secret_key()
    assert verify(TEXT, sign(TEXT, KEY, "version 1"), (stranger.public, KEY.public)) == KEY.public


@pytest.mark.parametrize(
    ("text", "signature", "why"),
    [
        (b"another text\n", sign(TEXT, KEY, "c"), "altered"),
        (TEXT, altered(sign(TEXT, KEY, "c"), 1, 20), "altered"),
        (TEXT, altered(sign(TEXT, KEY, "c"), 3, 20), "altered"),
        (TEXT, sign(TEXT, KEY, "c").replace(b"comment: c", b"comment: d"), "altered"),
        (TEXT, altered(sign(TEXT, KEY, "c"), 1, 3), "does not name"),
        (TEXT, altered(sign(TEXT, KEY, "c"), 1, 0), "does not name"),
        (TEXT, sign(TEXT, SecretKey(KEY.key_id, bytes(32)), "c"), "altered"),
        (TEXT, b"", "no signature"),
        (TEXT, b"a\nb\nc\nd\n", "no signature"),
        (TEXT, sign(TEXT, KEY, "c")[:90], "no signature"),
    ],
)
def test_any_other_is_refused(text: bytes, signature: bytes, why: str) -> None:
    with pytest.raises(SignatureRefused, match=why):
        verify(text, signature, (KEY.public,))


def test_keys_are_written_and_read_back() -> None:
    assert parse_secret_key(encode_secret_key(KEY), None) == KEY
    assert parse_public_key(encode_public_key(KEY.public).decode()) == KEY.public == parse_public_key(KEY.public.text)


def test_a_key_under_a_password_needs_it() -> None:
    data = protected(KEY, b"secret", 1 << 15, 1 << 24)
    assert parse_secret_key(data, b"secret") == KEY
    with pytest.raises(UsageError, match="--password-file"):
        parse_secret_key(data, None)
    with pytest.raises(UsageError, match="the password is another"):
        parse_secret_key(data, b"wrong")


@pytest.mark.parametrize("data", [b"", b"x", b"x\ny\n", b"x\n" + b64encode(bytes(158)), encode_secret_key(KEY)[:-20]])
def test_what_is_no_key_is_refused(data: bytes) -> None:
    with pytest.raises(UsageError, match="no secret key"):
        parse_secret_key(data, None)


def test_a_damaged_key_and_one_that_asks_for_too_much_memory_are_refused() -> None:
    lines = encode_secret_key(KEY).split(b"\n")
    data = bytearray(b64decode(lines[1]))
    data[70] ^= 1
    with pytest.raises(UsageError, match="damaged"):
        parse_secret_key(lines[0] + b"\n" + b64encode(data) + b"\n", None)
    with pytest.raises(UsageError, match="more memory"):
        parse_secret_key(protected(KEY, b"x", 1 << 50, 1 << 50), b"x")


@pytest.mark.parametrize("text", ["", "RWQ", "untrusted comment: x", b64encode(bytes(42)).decode()])
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no public key"):
        parse_public_key(text)


def test_the_number_of_a_key_is_the_one_minisign_shows() -> None:
    assert PublicKey(bytes.fromhex("0102030405060708"), b"").name == "0807060504030201"
