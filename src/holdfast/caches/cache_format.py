"""The format of a cache: its documents, `manifest.json` and `index.json`: what is in it and what proves it. Pure.

docs/formats/cache.md has the rules in full.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise

from holdfast.core.batches import batches
from holdfast.core.canonical_json import JsonError, decode, encode
from holdfast.core.errors import CacheInvalid
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import is_unicode, lower_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.line_map import LineMap
    from holdfast.core.canonical_json import Json

FORMAT_VERSION = "1"
HASH_ALGORITHM = "sha256"
PREFIX = "sha256:"
# A manifest beyond this is refused, by the builder and by the reader: 64 MiB list about 280,000 documents.
MAX_MANIFEST_BYTES = 64 << 20

# A listed document takes at least 100 bytes of a manifest and brings four marks, and an id may hold a few of its own.
_BYTES_A_MARK = 12
_MARKS_OF_ANY = 4096
_MOST_DOCUMENTS = 2**53 - 1

_HEX_DIGITS = "0123456789abcdef"
# A larger document file is neither written nor read: it would take its size several times over in memory.
MAX_DOCUMENT_BYTES = 256 << 20
# Parts of a path that lead elsewhere; one that is empty is the root, or nothing.
_CLIMBING = frozenset(("", ".", ".."))
_SHORT_HASH = slice(len(PREFIX), len(PREFIX) + 12)


class Origin(NamedTuple):
    """What made a document of a source that is not taken as it is: the name of the reader, the title it found (empty
    where the first heading says it), and which lines of the source those of the content stand for."""

    format: str
    title: str
    lines: LineMap


class Document(NamedTuple):
    """`id` is the canonical name, `source` the spelling on disk, `version` the hash of the content.

    `origin` is None where the content is the source, byte for byte.
    """

    id: str
    version: str
    source: str
    content: str
    origin: Origin | None = None

    @property
    def name(self) -> str:
        """The name that answers show and `read` accepts: the source, unless another builder wrote one that is none."""
        return self.source if document_id(self.source) == self.id else self.id


class Entry(NamedTuple):
    """One listed document: its id, the hash of its content, its file below the cache."""

    id: str
    version: str
    file: str


class Manifest(NamedTuple):
    """Everything `manifest.json` says, entries in id order."""

    cache_version: str
    format_version: str
    hash_algorithm: str
    created_at: str
    document_count: int
    entries: list[Entry]
    origins: str = ""  # the digest of the documents' origins; empty where none has one


def tagged_digest(data: bytes) -> str:
    """`sha256:` followed by the hex digits: the form that versions of caches and documents have."""
    return PREFIX + sha256(data).hexdigest()


def document_id(source: str) -> str:
    """The id of a path below the sources: forward slashes, no leading `./`, lower case."""
    path = source.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return lower_case(path)


def make_document(source: str, content: bytes, origin: Origin | None = None) -> Document:
    """The document of one source file; UnicodeDecodeError when the content is not UTF-8."""
    return Document(document_id(source), tagged_digest(content), source, content.decode(), origin)


def encode_document(document: Document) -> bytes:
    """The bytes of a document file."""
    metadata: dict[str, Json] = {}
    if document.origin is not None:
        from holdfast.caches.origin_metadata import metadata_of

        metadata = metadata_of(document.origin)
    fields: dict[str, Json] = {
        "id": document.id,
        "version": document.version,
        "source": document.source,
        "content": document.content,
        "metadata": metadata,
    }
    return encode(fields).encode()


def parse_document(data: bytes, *, expected_id: str, expected_version: str) -> Document:
    """The document in a file's bytes, proven to be the one the manifest means; CacheInvalid otherwise."""
    fields, content, source, _ = _proven(data, expected_id, expected_version)
    origin = None
    if metadata := fields.get("metadata"):  # most have none
        from holdfast.caches.origin_metadata import parse_origin

        origin = parse_origin(metadata, expected_id)
    return Document(expected_id, expected_version, source, content, origin)


def prove_document(data: bytes, expected_id: str, expected_version: str) -> tuple[str, str, int]:
    """Content, source and the content's size in UTF-8, proven as `parse_document` proves them."""
    return _proven(data, expected_id, expected_version)[1:]


def _proven(data: bytes, expected_id: str, expected_version: str) -> tuple[dict[str, Json], str, str, int]:
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
    if tagged_digest(encoded) != expected_version:
        raise CacheInvalid(f"document '{expected_id}' does not match its version: its content was altered")
    return fields, content, source, len(encoded)


def file_name_of(name: str, version: str, taken: set[str]) -> str:
    """Choose a document's file name by its id and version, unlike any taken one, and add it to `taken`.

    It is the short hash, made distinct by the id if need be. Called in id order, so that of two equal contents the
    first id always gets the short name.
    """
    found = short_name(version)
    if found in taken:
        found = _distinct_name(name, version)
    taken.add(found)
    return found


def file_names_of(names: Sequence[str], versions: Sequence[str]) -> list[str]:
    """The names that `file_name_of` gives to the files of all documents of a cache, in id order."""
    taken: set[str] = set()
    return [file_name_of(name, version, taken) for name, version in zip(names, versions, strict=True)]


def file_names(document: Document) -> tuple[str, str]:
    """The two names a document's file can have: the short hash, and the one the id makes distinct."""
    return short_name(document.version), _distinct_name(document.id, document.version)


def short_name(version: str) -> str:
    """The name that the file of a document has unless another has it."""
    return f"{version[_SHORT_HASH]}.json"


def _distinct_name(name: str, version: str) -> str:
    """The name of a file whose short one is taken."""
    return f"{version[_SHORT_HASH]}-{sha256(name.encode()).hexdigest()[:12]}.json"


def stays_inside(file: str) -> bool:
    """Whether a listed file name is relative and does not climb; the code that opens it refuses links."""
    if not file or "\\" in file or "\0" in file:
        return False
    return _CLIMBING.isdisjoint(file.split("/"))


def cache_version(
    entries: list[Entry], origins: str = "", *, version: str = FORMAT_VERSION, algorithm: str = HASH_ALGORITHM
) -> str:
    """The hash that names a cache: the compact build configuration, then `id:version` of each document in id order."""
    digest = sha256(encode(build_config(version, algorithm, origins)).encode())
    for some in batches(sorted(entries)):
        digest.update("".join([f"{name}:{of_document}" for name, of_document, _ in some]).encode())
    return PREFIX + digest.hexdigest()


def build_config(version: str, algorithm: str, origins: str) -> dict[str, Json]:
    """What `manifest.json` says of how a cache was built."""
    config: dict[str, Json] = {"version": version, "hash_algorithm": algorithm}
    if origins:
        config["origins"] = origins
    return config


def make_manifest(entries: list[Entry], created_at: str, origins: str = "") -> Manifest:
    """The manifest of a new cache; `origins` is what `origin_metadata.origins_digest` gives of its documents."""
    version = cache_version(entries, origins)
    return Manifest(version, FORMAT_VERSION, HASH_ALGORITHM, created_at, len(entries), sorted(entries), origins)


def is_crowded(data: bytes) -> bool:
    """Whether a manifest holds more values than any list of documents of its size.

    Read, they would take its size many times over in memory. Such a one is neither written nor read.
    """
    return marks(data) > len(data) // _BYTES_A_MARK + _MARKS_OF_ANY


def marks(data: bytes) -> int:
    """At least as many as there are values in a JSON text, but for one."""
    return data.count(b",") + data.count(b"[") + data.count(b"{")


def parse_manifest(data: bytes) -> Manifest:
    """A manifest that has its fields, each of its type; nothing is promised yet about what they say."""
    if is_crowded(data):
        raise CacheInvalid("manifest.json holds more than documents need")
    try:
        fields = decode(data)
    except JsonError as error:
        raise CacheInvalid(f"manifest.json is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise CacheInvalid("manifest.json is not an object")
    config = fields.get("build_config")
    documents = fields.get("documents")
    count = fields.get("document_count")
    if not isinstance(config, dict):
        raise CacheInvalid("manifest.json lacks build_config")
    if not isinstance(documents, list):
        raise CacheInvalid("manifest.json lacks documents")
    if type(count) is not int or not 0 <= count <= _MOST_DOCUMENTS:
        raise CacheInvalid("manifest.json lacks document_count, or it is no count")
    entries = []
    for document in documents:
        if not isinstance(document, dict):
            raise CacheInvalid("manifest.json lists a document that is not an object")
        entries.append(Entry(_text(document, "id"), _text(document, "version"), _text(document, "file")))
    entries.sort()
    return Manifest(
        _text(fields, "cache_version"),
        _text(config, "version"),
        _text(config, "hash_algorithm"),
        _text(fields, "created_at"),
        count,
        entries,
        _text(config, "origins") if "origins" in config else "",
    )


def _text(holder: dict[str, Json], name: str) -> str:
    """A member that must be a string with a UTF-8 form."""
    value = holder.get(name)
    if not isinstance(value, str) or not is_unicode(value):
        raise CacheInvalid(f"manifest.json lacks {name}, or it is not a string")
    return value


def check_manifest(manifest: Manifest) -> list[str]:
    """Every rule of the format that the manifest alone can break, in words; none broken, an empty list."""
    problems = []
    if manifest.format_version != FORMAT_VERSION:
        problems.append(f"build_config.version is '{manifest.format_version}', this release reads '{FORMAT_VERSION}'")
    if manifest.hash_algorithm != HASH_ALGORITHM:
        problems.append(f"hash_algorithm is '{manifest.hash_algorithm}', expected '{HASH_ALGORITHM}'")
    if manifest.origins and not is_version(manifest.origins):
        problems.append("build_config.origins is no sha256")
    if manifest.document_count != len(manifest.entries):
        problems.append(f"document_count is {manifest.document_count}, {len(manifest.entries)} are listed")
    for earlier, later in pairwise(manifest.entries):
        if earlier.id == later.id:
            problems.append(f"'{later.id}' is listed twice")
    for entry in manifest.entries:
        if not is_version(entry.version):
            problems.append(f"'{entry.id}' has a version that is no sha256")
        if not stays_inside(entry.file):
            problems.append(f"'{entry.id}' names a file outside the cache")
    if not problems and manifest.cache_version != cache_version(manifest.entries, manifest.origins):
        problems.append("cache_version does not match the documents listed")
    return problems


def check_index(data: bytes, manifest: Manifest) -> list[str]:
    """The differences between `index.json` and the manifest."""
    found = marks(data)
    # The marks of the object's members and those inside their names and files; counted only where it matters.
    if found > len(manifest.entries) + 1 and found > len(manifest.entries) + 1 + sum(
        [marks(f"{entry.id}{entry.file}".encode()) for entry in manifest.entries]
    ):
        return ["index.json holds more than the manifest lists"]
    try:
        index = decode(data)
    except JsonError as error:
        return [f"index.json is not JSON: {error}"]
    if not isinstance(index, dict):
        return ["index.json is not an object"]
    listed = {entry.id: entry.file for entry in manifest.entries}
    if index == listed:
        return []
    differing = sorted(set(listed) ^ set(index)) or sorted(name for name in listed if listed[name] != index[name])
    return [f"index.json and manifest.json disagree about '{name}'" for name in differing]


def is_usable(entry: Entry) -> bool:
    """Whether an entry has a version and a file that stays inside."""
    return is_version(entry.version) and stays_inside(entry.file)


def is_version(text: str) -> bool:
    """`sha256:` and 64 lower-case hex digits."""
    digits = text[len(PREFIX) :]
    return text.startswith(PREFIX) and len(digits) == 64 and not digits.strip(_HEX_DIGITS)
