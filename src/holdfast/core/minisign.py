"""Keys and detached signatures as minisign has them: Ed25519 over the BLAKE2b hash of a text.

The cryptography is that of the package `cryptography` (the extra `registry`); here is only how its bytes are written
down. A signature made here is verified by `minisign -V`, and the other way round.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from hashlib import blake2b, scrypt
from importlib.util import find_spec
from os import urandom
from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.errors import SignatureRefused, UsageError
from holdfast.core.regular_files import read_regular

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_ALGORITHM, _HASHED, _CHECK = b"Ed", b"ED", b"B2"
_PLAIN, _SCRYPT = b"\0\0", b"Sc"
_COMMENT, _TRUSTED = "untrusted comment: ", "trusted comment: "
_ID, _SEED, _PAIR, _SIGNATURE, _SUM = 8, 32, 64, 64, 32
_HEAD = len(_ALGORITHM) + len(_PLAIN) + len(_CHECK) + 32 + 8 + 8
_SECRET_SIZE = _HEAD + _ID + _PAIR + _SUM
_MAX_KEY_FILE = 4 << 10
_BLANKS = " \t\r"


class PublicKey(NamedTuple):
    """Whose signatures are believed."""

    key_id: bytes
    key: bytes

    @property
    def text(self) -> str:
        """The key as people write it down: in the second line of a `.pub` file, and in context.toml."""
        return b64encode(_ALGORITHM + self.key_id + self.key).decode()

    @property
    def name(self) -> str:
        """The key's number as minisign shows it."""
        return f"{int.from_bytes(self.key_id, 'little'):016X}"


class SecretKey(NamedTuple):
    """A secret key that signs."""

    key_id: bytes
    seed: bytes

    @property
    def public(self) -> PublicKey:
        """The key that verifies what this one signs."""
        from cryptography.hazmat.primitives import serialization

        public = _private(self.seed).public_key()
        raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        return PublicKey(self.key_id, raw)


def parse_public_key(text: str) -> PublicKey:
    """A key from its line, or from a `.pub` file; UsageError where it is none."""
    lines = [line.strip(_BLANKS) for line in text.split("\n")]
    line = next((each for each in lines if each and not each.startswith(_COMMENT.rstrip(_BLANKS))), "")
    data = _decoded(line)
    if data is None or len(data) != len(_ALGORITHM) + _ID + _SEED or not data.startswith(_ALGORITHM):
        raise UsageError(f"'{line[:60]}' is no public key of minisign: write the second line of its .pub file")
    return PublicKey(data[2 : 2 + _ID], data[2 + _ID :])


def new_secret_key() -> SecretKey:
    """A key nobody had before."""
    return SecretKey(urandom(_ID), urandom(_SEED))


def encode_secret_key(key: SecretKey) -> bytes:
    """The file of a key that no password protects; anyone who can read the file can sign."""
    pair = key.seed + key.public.key
    check = blake2b(_ALGORITHM + key.key_id + pair, digest_size=_SUM).digest()
    data = _ALGORITHM + _PLAIN + _CHECK + bytes(48) + key.key_id + pair + check
    return f"{_COMMENT}secret key {key.public.name}, keep it to yourself\n{b64encode(data).decode()}\n".encode()


def encode_public_key(key: PublicKey) -> bytes:
    """The file of a public key."""
    return f"{_COMMENT}public key {key.name}\n{key.text}\n".encode()


def parse_secret_key(data: bytes, password: bytes | None) -> SecretKey:
    """The key in a file; UsageError where it is none, or its password is another."""
    lines = data.decode("utf-8", "replace").split("\n")
    held = _decoded(lines[1]) if len(lines) > 1 else None
    if held is None or len(held) != _SECRET_SIZE or held[:2] != _ALGORITHM or held[4:6] != _CHECK:
        raise UsageError("the file holds no secret key of minisign: make one with 'context sign --new-key FILE'")
    locked, rest = held[2:4] == _SCRYPT, held[_HEAD:]
    if locked:
        if password is None:
            raise UsageError("the key is protected by a password: name a file that holds it with --password-file")
        stream = _stream(password, held[6:38], *[int.from_bytes(held[at : at + 8], "little") for at in (38, 46)])
        rest = bytes([one ^ other for one, other in zip(rest, stream, strict=True)])
    key_id, pair, check = rest[:_ID], rest[_ID : _ID + _PAIR], rest[_ID + _PAIR :]
    if locked and blake2b(_ALGORITHM + key_id + pair, digest_size=_SUM).digest() != check:
        raise UsageError("the password is another, or the secret key is damaged")
    key = SecretKey(key_id, pair[:_SEED])
    if key.public.key != pair[_SEED:]:  # minisign writes no sum into a key without a password
        raise UsageError("the secret key is damaged")
    return key


def check_extra() -> None:
    """UsageError where what signs is not installed."""
    if find_spec("cryptography") is None:
        raise UsageError("signatures need the extra 'registry': install holdfast-context[registry]")


def read_secret_key(path: str, password_path: str | None) -> SecretKey:
    """The key in a file, and its password in another where it has one; UsageError where they cannot be used."""
    check_extra()
    password = None if password_path is None else _read(password_path, "the password").rstrip(b"\r\n")
    return parse_secret_key(_read(path, "the key"), password)


def _read(path: str, what: str) -> bytes:
    try:
        return read_regular(path, limit=_MAX_KEY_FILE)
    except OSError as error:
        raise UsageError(f"{what} cannot be read: {error.strerror}") from None


def _stream(password: bytes, salt: bytes, operations: int, memory: int) -> bytes:
    """What a protected key is covered with: scrypt, its parameters chosen from two limits as libsodium does."""
    block = 8
    operations = max(operations, 1 << 15)
    by_operations = operations < memory // 32
    most = operations // (block * 4) if by_operations else memory // (block * 128)
    power = 1
    while power < 63 and 1 << power <= most // 2:
        power += 1
    lanes = 1 if by_operations else min((operations // 4) >> power, 0x3FFFFFFF) // block
    if power > 24:
        raise UsageError("the secret key asks for more memory than is given to it")
    size = _ID + _PAIR + _SUM
    return scrypt(
        password, salt=salt, n=1 << power, r=block, p=max(lanes, 1), maxmem=(130 * block) << power, dklen=size
    )


def sign(message: bytes, key: SecretKey, comment: str) -> bytes:
    """The file of a signature; `comment`, one line, is signed too."""
    private = _private(key.seed)
    signature = private.sign(blake2b(message).digest())
    packed = b64encode(_HASHED + key.key_id + signature).decode()
    whole = b64encode(private.sign(signature + comment.encode())).decode()
    return f"{_COMMENT}verify with minisign or holdfast\n{packed}\n{_TRUSTED}{comment}\n{whole}\n".encode()


def verify(message: bytes, signature: bytes, keys: tuple[PublicKey, ...]) -> PublicKey:
    """The key that signed a message; SignatureRefused unless it is one of these and all of it holds."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    lines = signature.decode("utf-8", "surrogateescape").split("\n")
    packed = _decoded(lines[1]) if len(lines) > 3 else None
    whole = _decoded(lines[3]) if len(lines) > 3 and lines[2].startswith(_TRUSTED) else None
    if packed is None or whole is None or len(packed) != len(_HASHED) + _ID + _SIGNATURE or len(whole) != _SIGNATURE:
        raise SignatureRefused("it is no signature of minisign")
    algorithm, key_id, held = packed[:2], packed[2 : 2 + _ID], packed[2 + _ID :]
    known = next((key for key in keys if key.key_id == key_id), None)
    if known is None or algorithm not in (_ALGORITHM, _HASHED):
        raise SignatureRefused(
            f"it was made by the key {PublicKey(key_id, b'').name}, which context.toml does not name"
        )
    public = Ed25519PublicKey.from_public_bytes(known.key)
    comment = lines[2].removeprefix(_TRUSTED).encode("utf-8", "surrogateescape")
    try:
        public.verify(held, blake2b(message).digest() if algorithm == _HASHED else message)
        public.verify(whole, held + comment)
    except InvalidSignature:
        raise SignatureRefused("it is a signature of something else: the cache or the signature was altered") from None
    return known


def _private(seed: bytes) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed)


def _decoded(line: str) -> bytes | None:
    try:
        return b64decode(line.strip(_BLANKS), validate=True)
    except (NotBase64, ValueError):
        return None
