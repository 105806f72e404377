"""A document: one Markdown file as a cache remembers it. Pure."""

from __future__ import annotations

from hashlib import sha256

from holdfast.core.canonical_json import JsonError, decode, encode
from holdfast.core.digests import PREFIX, hex_digest, tagged_digest
from holdfast.core.errors import CacheInvalid
from holdfast.core.lower_case import lower_case
from holdfast.core.record import NamedTuple


class Document(NamedTuple):
    """`id` is the canonical name, `source` the spelling on disk, `version` the hash of the content."""

    id: str
    version: str
    source: str
    content: str


# A larger document file is neither written nor read: it would take its size several times over in memory.
MAX_DOCUMENT_BYTES = 256 << 20
_SHORT = slice(len(PREFIX), len(PREFIX) + 12)


def document_id(source: str) -> str:
    """The id of a path below the sources: forward slashes, no leading `./`, lower case."""
    path = source.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return lower_case(path)


def make_document(source: str, content: bytes) -> Document:
    """The document of one source file; UnicodeDecodeError when the content is not UTF-8."""
    return Document(document_id(source), tagged_digest(content), source, content.decode())


def encode_document(document: Document) -> bytes:
    """The bytes of a document file."""
    fields = {
        "id": document.id,
        "version": document.version,
        "source": document.source,
        "content": document.content,
        "metadata": {},
    }
    return encode(fields).encode()


def parse_document(data: bytes, *, expected_id: str, expected_version: str) -> Document:
    """The document in a file's bytes, proven to be the one the manifest means; CacheInvalid otherwise."""
    content, source, _ = prove_document(data, expected_id, expected_version)
    return Document(expected_id, expected_version, source, content)


def prove_document(data: bytes, expected_id: str, expected_version: str) -> tuple[str, str, int]:
    """Content, source and the content's size in UTF-8, proven as `parse_document` proves them."""
    try:
        fields = decode(data)
    except JsonError as error:
        raise CacheInvalid(f"document '{expected_id}' is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise CacheInvalid(f"document '{expected_id}' is not an object")
    content, source = fields.get("content"), fields.get("source")
    if not isinstance(content, str) or not isinstance(source, str):
        raise CacheInvalid(f"document '{expected_id}' lacks its content or source")
    if fields.get("id") != expected_id or fields.get("version") != expected_version:
        raise CacheInvalid(f"document '{expected_id}' names another id or version than the manifest")
    try:
        source.encode()
        encoded = content.encode()
    except UnicodeEncodeError:
        raise CacheInvalid(f"document '{expected_id}' is not valid Unicode") from None
    if PREFIX + sha256(encoded).hexdigest() != expected_version:
        raise CacheInvalid(f"document '{expected_id}' does not match its version: its content was altered")
    return content, source, len(encoded)


def file_name(document: Document, taken: set[str]) -> str:
    """A file name not yet taken, which is added to those that are: the short hash, made distinct by the id if need be.

    Called in id order, so that of two equal contents the first id always gets the short name.
    """
    short, long = file_names(document)
    name = long if short in taken else short
    taken.add(name)
    return name


def file_names(document: Document) -> tuple[str, str]:
    """The two names a document's file can have: the short hash, and the one the id makes distinct."""
    name = document.version[_SHORT]
    return f"{name}.json", f"{name}-{hex_digest(document.id.encode())[:12]}.json"


def stays_inside(file: str) -> bool:
    """Whether a listed file name is relative and does not climb; links are for whoever opens it to refuse."""
    if not file or file.startswith("/") or "\\" in file or "\0" in file:
        return False
    return not {"", ".", ".."}.intersection(file.split("/"))
