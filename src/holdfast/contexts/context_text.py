"""The text of a `.context.yaml`: written anew, or changed field by field with every other byte left as it was.

A field is the lines from its key to the next key, without the comments that stand above that next key. Fields the
machine made are replaced in place, fields a person wrote are never touched. So that a person may simply edit a derived
field, the file ends in a comment with a short digest of each: a field that no longer matches is the person's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from holdfast.contexts.schema import FIELDS, VERSION, Shape
from holdfast.core.canonical_json import encode
from holdfast.core.yaml_text import YamlError, parse, parse_document

Value = Any

HEADING = "# What this directory is for. `context regen` renews the fields in derived_fields; whatever you edit stays."
DRAFT = (
    "# A draft: its summary is a sentence of the source. Make it yours, or take it out of derived_fields if it is good."
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGESTS = "# derived: "
# What ends a line of YAML, and the lines with their ends.
_BREAKS = frozenset("\r\n")
_ROWS = re.compile("[^\r\n]*+(?:\r\n|[\r\n])|[^\r\n]++")
_METADATA = frozenset({"version", "scope", "fingerprint", "last_updated"})
# What YAML must not hold as it is, beside what JSON already escapes.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_UNKNOWN = Shape("unknown", "What this release does not know, and keeps")
# Texts, lists and rows as they are written here, each on lines of its own: what no YAML can mean otherwise.
_TEXT = r'"(?:[^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]++|\\["\\])*+"\n'
_AFTER = r"(?=(?:#.*+\n)*+(?:[a-z]|\Z))"
_LISTS = re.compile(
    rf"^(exports:)\n(?:  - {_TEXT})++{_AFTER}"
    rf"|^(files:)\n(?:  - name: {_TEXT}    purpose: {_TEXT}(?:    test_file: {_TEXT})?+)++{_AFTER}"
    rf"|^(interfaces:)\n(?:  - name: {_TEXT}    description: {_TEXT})++{_AFTER}",
    re.MULTILINE,
)
_REST = re.compile(
    rf"(?:#[ -~]*+\n|(?: *+- )?+ *+(?:[a-z_]++:(?: (?:{_TEXT}|(?:[0-9]++|\[\])\n)|\n)|{_TEXT}))*+"
).fullmatch
_PLAIN_KEY = re.compile("[A-Za-z_][A-Za-z0-9_-]*+\\Z").match


def field_digest(value: Value) -> str:
    """Enough of a hash to tell whether a field was edited."""
    return sha256(encode(value).encode("utf-8", "backslashreplace")).hexdigest()[:8]


def writable(value: Value) -> Value:
    """A value with U+FFFD for each byte that is not UTF-8: YAML cannot hold them."""
    if type(value) is str:
        return _SURROGATE.sub("\ufffd", value)
    if type(value) is list:
        return [writable(item) for item in value]
    return {key: writable(item) for key, item in value.items()} if type(value) is dict else value


def quoted(text: str) -> str:
    """A double-quoted scalar."""
    if text.isascii() and "\x7f" not in text:
        return encode(text)
    return _flow(text)


def field_text(name: str, value: Value) -> str:
    """A field in block style, with a newline at the end."""
    return "\n".join(_lines(name, value, FIELDS.get(name, _UNKNOWN), "")) + "\n"


def _flow(value: Value) -> str:
    """Any value on one line; JSON is YAML, but for what YAML must not hold as it is."""
    return _UNPRINTABLE.sub(_escaped, encode(writable(value)))


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _key(name: str) -> str:
    """A key as it may stand in a block; one that is no plain word is quoted."""
    return name if _PLAIN_KEY(name) else quoted(name)


def _lines(name: str, value: Value, shape: Shape, indent: str) -> Iterable[str]:
    name = _key(name)
    if shape.kind == _UNKNOWN.kind:
        yield f"{indent}{name}: {_flow(value)}"
    elif shape.kind in ("texts", "records", "record") and not value:
        yield f"{indent}{name}: {'{}' if shape.kind == 'record' else '[]'}"
    elif shape.kind == "texts":
        yield f"{indent}{name}:"
        for item in value:
            yield f"{indent}  - {quoted(item)}"
    elif shape.kind == "records":
        yield f"{indent}{name}:"
        for item in value:
            lead = "  - "
            for key, part in item.items():
                yield f"{indent}{lead}{_key(key)}: {_flow(part)}"
                lead = "    "
    elif shape.kind == "record":
        yield f"{indent}{name}:"
        for key, part in value.items():
            yield from _lines(key, part, shape.fields.get(key, _UNKNOWN), indent + "  ")
    else:
        yield f"{indent}{name}: {_flow(value)}"


def new_text(context: Mapping[str, Value], heading: str = HEADING) -> str:
    """A context nobody has edited yet."""
    names = [*[name for name in FIELDS if name in context], *[name for name in context if name not in FIELDS]]
    fields = "".join([field_text(name, context[name]) for name in names])
    return f"{heading}\n{fields}{_digest_line(context)}"


def derived_parts(context: Mapping[str, Value]) -> dict[str, Value]:
    """The fields named in `derived_fields` that can be edited, by dotted name, with their values."""
    parts = {}
    for name in context.get("derived_fields", ()):
        field, _, part = name.partition(".")
        value = context.get(field)
        if part:
            value = value.get(part) if type(value) is dict else None
        if value is not None and field not in _METADATA and field != "derived_fields":
            parts[name] = value
    return parts


def _digest_line(context: Mapping[str, Value]) -> str:
    parts = derived_parts(context)
    return (
        _DIGESTS + " ".join([f"{name}={field_digest(value)}" for name, value in parts.items()]) + "\n" if parts else ""
    )


def recorded_digests(text: str) -> dict[str, str] | None:
    """The digests in the last comment that holds some; None when there is none."""
    for line in reversed(text.splitlines()):
        if line.startswith(_DIGESTS):
            return dict(word.split("=", 1) for word in line[len(_DIGESTS) :].split() if "=" in word)
    return None


def without_long_lists(data: bytes) -> bytes:
    """The file with empty lists for the derived ones that are as they were written, valid and by far its largest part.

    Only where every other line is plain too: parsing the rest then gives every other field as parsing the whole does.
    Where contexts hold such lists, that takes a tenth of parsing the whole.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    rest = _LISTS.sub(lambda found: f"{found[found.lastindex or 0]} []\n", text)
    is_plain = rest != text and f"\nversion: {VERSION}\n" in f"\n{rest}" and _REST(rest)
    return rest.encode() if is_plain else data


def machine_fields(context: Mapping[str, Value], text: str) -> set[str]:
    """The fields, by dotted name, that the machine made and nobody has edited since.

    Without digests (another tool made the file) `derived_fields` is believed, but for the summary, which people edit.
    """
    digests = recorded_digests(text)
    parts = derived_parts(context)
    if digests is None:
        return {name for name in parts if name != "summary"}
    return {name for name, value in parts.items() if digests.get(name, "") == field_digest(value)}


def edited(text: str, changes: Mapping[str, Value]) -> str:
    """The text with some fields set, or removed where the value is None; everything else byte for byte.

    The text must be a valid context. A field that holds the same value already is left as it is written.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    document = parse_document(text.encode())
    values, lines = document
    rows = _rows(text)
    if not _is_block_mapping(rows, lines):
        return new_text({**values, **{name: value for name, value in changes.items() if value is not None}})
    head, blocks, tail = _split(rows, lines)
    result: dict[str, list[str]] = {}
    for name, lead, body in blocks:
        if name in changes and changes[name] is None:
            if kept := [row for row in lead if row.strip()]:
                head.extend(kept)
            continue
        if name in changes and changes[name] != values[name]:
            body = _merged(body, field_text(name, changes[name]), newline)
        result[name] = [*lead, *body]
    for name in (*FIELDS, *[name for name in changes if name not in FIELDS]):
        if changes.get(name) is not None and name not in result:
            result = _inserted(result, name, field_text(name, changes[name]).replace("\n", newline))
    changed = {**values, **changes}
    context = {name: value for name, value in changed.items() if value is not None}
    if not _METADATA.issuperset(changes):  # a mere new fingerprint must not vouch for what a person edited
        tail = _with_digests(tail, _digest_line(context).replace("\n", newline))
    parts = [*head, *[row for rows in result.values() for row in rows], *tail]
    for place, row in enumerate(parts[:-1]):
        if row[-1:] not in _BREAKS:
            parts[place] = row + newline
    result_text = "".join(parts)
    return result_text if _reads_as(result_text, context) else new_text(context)


def _reads_as(text: str, context: Mapping[str, Value]) -> bool:
    """Whether an edited text means what it should; an alias into a field that is gone would make it mean nothing."""
    try:
        return bool(parse(text.encode("utf-8", "replace")) == context)
    except YamlError:
        return False


def undigested(text: str) -> str:
    """A text without the comment that holds digests."""
    return "".join([row for row in _rows(text) if not row.startswith(_DIGESTS)])


def digested(text: str, context: Mapping[str, Value]) -> str:
    """A text with the digests of a context at its end, in place of any it has."""
    bare = undigested(text)
    return bare + ("\n" if bare and bare[-1] not in _BREAKS else "") + _digest_line(context)


def field_rows(text: str, name: str) -> str:
    """The lines of one field as they stand in a text, a newline at the end; as they would be written in flow style."""
    document = parse_document(text.encode())
    rows = _rows(text)
    if not _is_block_mapping(rows, document.lines):
        return field_text(name, document.value[name])
    _, blocks, _ = _split(rows, document.lines)
    body = next(body for key, _, body in blocks if key == name)
    return "".join(body).rstrip("\r\n") + "\n"


def with_field_rows(text: str, new: Mapping[str, str]) -> str:
    """A text in which other lines stand in place of some fields, whatever they are."""
    head, blocks, tail = _split(_rows(text), parse_document(text.encode()).lines)
    body = [row for key, lead, old in blocks for row in (*lead, *([new[key]] if key in new else old))]
    return "".join([*head, *body, *tail])


def replaced_field(text: str, name: str, new: str) -> str:
    """A YAML mapping with one field replaced or added at the end, the rest byte for byte; YamlError otherwise."""
    lines = parse_document(text.encode()).lines
    rows = _rows(text)
    if name not in lines:
        return text + ("\n" if text and not text.endswith("\n") else "") + new
    head, blocks, tail = _split(rows, lines)
    body = [row for key, lead, old in blocks for row in (*lead, *(_merged(old, new, "\n") if key == name else old))]
    return "".join([*head, *body, *tail])


def _rows(text: str) -> list[str]:
    """The lines of a text as YAML counts them, each with its end."""
    rows: list[str] = _ROWS.findall(text)
    return rows


def _is_block_mapping(rows: list[str], lines: Mapping[str, int]) -> bool:
    """Whether each key is at the start of its own line, as a plain or quoted word."""
    return len(set(lines.values())) == len(lines) and all(
        _starts_with_key(rows[line].removeprefix("\ufeff"), name) for name, line in lines.items()
    )


def _starts_with_key(row: str, name: str) -> bool:
    for quote in ("", '"', "'"):
        key = quote + name + quote
        if row.startswith(key) and row[len(key) :].lstrip().startswith(":"):
            return True
    return False


def _split(
    rows: list[str], lines: Mapping[str, int]
) -> tuple[list[str], list[tuple[str, list[str], list[str]]], list[str]]:
    """The rows before the first field, each field with the comments above it, and the rows after the last."""
    starts = sorted((line, name) for name, line in lines.items())
    head = rows[: starts[0][0]]
    blocks = []
    lead: list[str] = []
    for (line, name), (end, _) in zip(starts, [*starts[1:], (len(rows), "")], strict=True):
        body_end = end
        while body_end > line + 1 and _is_between(rows[body_end - 1]):
            body_end -= 1
        blocks.append((name, lead, rows[line:body_end]))
        lead = rows[body_end:end]
    return head, blocks, lead


def _is_between(row: str) -> bool:
    return not row.strip() or row[0] == "#" or row.startswith(("...", "---"))


def _inserted(result: dict[str, list[str]], name: str, text: str) -> dict[str, list[str]]:
    """A new field behind the nearest one that comes before it in the usual order."""
    order = [*FIELDS, name]
    before = [other for other in result if other in order and order.index(other) < order.index(name)]
    items = list(result.items())
    at = max([place for place, (other, _) in enumerate(items) if other in before], default=-1) + 1
    return dict([*items[:at], (name, [text]), *items[at:]])


def _with_digests(tail: list[str], line: str) -> list[str]:
    kept = [row for row in tail if not row.startswith(_DIGESTS)]
    at = next((place for place, row in enumerate(tail) if row.startswith(_DIGESTS)), 0)
    return [*kept[:at], line, *kept[at:]] if line else kept


def _merged(old: list[str], new: str, newline: str) -> list[str]:
    """A field's new lines with the comments of its old ones: each stays with its line, or moves to the field's top."""
    fresh = [row + newline for row in new.splitlines()]
    beside: dict[str, str] = {}
    above: dict[str, list[str]] = {}
    waiting: list[str] = []
    for row in old:
        if row.lstrip().startswith("#"):
            waiting.append(row)
            continue
        plain, comment = _parted(row)
        key = "" if row is old[0] else plain.strip()  # the first line is the key's, whatever its value
        if comment:
            beside[key] = comment
        if waiting:
            above[key] = waiting
            waiting = []
    result = []
    for place, row in enumerate(fresh):
        key = "" if place == 0 else row.strip()
        result.extend(above.pop(key, []))
        comment = beside.pop(key, "")
        result.append(row.rstrip("\r\n") + comment + newline if comment else row)
    orphans = [line for lines in above.values() for line in lines] + waiting
    return [*result[:1], *orphans, *result[1:]]


def _parted(row: str) -> tuple[str, str]:
    """A line without its comment, and the comment with the blanks before it."""
    bare = row.rstrip("\r\n")
    quote = ""
    escaped = False
    for at, character in enumerate(bare):
        if escaped:
            escaped = False
        elif quote:
            if (character == "\\" and quote == '"') or (quote == "'" and bare.startswith("''", at)):
                escaped = True  # in single quotes a quote is written twice
            elif character == quote:
                quote = ""
        elif character in "\"'" and (at == 0 or bare[at - 1] in " \t[{,:"):
            quote = character
        elif character == "#" and at and bare[at - 1] in " \t":
            plain = bare[:at].rstrip()
            return plain, bare[len(plain) :]
    return bare, ""
