"""Edits of `context.toml` that keep every byte a person wrote: a table is appended, items are added to a list.

The text is looked at just closely enough to find a list; what comes out is read again, and refused unless it says what
was meant and nothing else. So a way of writing TOML that is not foreseen here costs a message, never a file.
"""

from __future__ import annotations

from holdfast.caches.project.project_file import FILE_NAME, DeclaredCache, ProjectFile, parse_project_file
from holdfast.core.canonical_json import encode
from holdfast.core.errors import SettingsInvalid, UsageError
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BLANKS = " \t"


class _NotFound(Exception):
    """The list is not written in a way that is known here."""


def with_cache(text: str, before: ProjectFile, cache: DeclaredCache) -> str:
    """The text with one more cache; its sources are plain paths."""
    lines = [f"[caches.{_key(cache.name)}]"]
    if cache.sources:
        lines.append(f"sources = {_list([source.path or '.' for source in cache.sources])}")
    lists = {"include": cache.include, "exclude": cache.exclude, "packages": cache.packages}
    lines += [f"{key} = {_list(items)}" for key, items in lists.items() if items]
    texts = {"about": cache.about, "python": cache.python}
    lines += [f"{key} = {encode(value)}" for key, value in texts.items() if value]
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else end if text.endswith("\n") else end + end
    edited = text + gap + end.join(lines) + end
    meant = before._replace(caches=tuple(sorted([*before.caches, cache])))
    return _checked(edited, meant, "\n".join(lines))


def with_items(text: str, before: ProjectFile, name: str, key: str, items: Sequence[str]) -> str:
    """The text with more items in a list of a cache that is declared already: `sources` (plain paths) or `packages`."""
    cache = before.cache(name)
    if cache is None:
        raise UsageError(f"{FILE_NAME} declares no cache '{name}'")
    if key == "packages":
        changed = cache._replace(packages=(*cache.packages, *items))
    else:
        from holdfast.caches.project.project_file import DeclaredSource

        added = tuple([DeclaredSource("" if item == "." else item) for item in items])
        changed = cache._replace(sources=(*cache.sources, *added))
    meant = before._replace(caches=tuple([changed if each.name == name else each for each in before.caches]))
    by_hand = f"[caches.{_key(name)}]\n{key} = [ …, {', '.join(map(encode, items))}]"
    try:
        edited = _insert(text, name, key, [encode(item) for item in items])
    except _NotFound:
        raise _refused(by_hand) from None
    return _checked(edited, meant, by_hand)


def _checked(edited: str, meant: ProjectFile, by_hand: str) -> str:
    try:
        if parse_project_file(edited.encode()) == meant:
            return edited
    except SettingsInvalid:
        pass  # the reason would be of a text that nobody sees
    raise _refused(by_hand)


def _refused(by_hand: str) -> UsageError:
    shown = "; ".join(by_hand.split("\n"))
    return UsageError(f"{FILE_NAME} is written in a way that cannot be added to: write it yourself: {shown}")


def _key(name: str) -> str:
    return encode(name) if "." in name else name


def _list(items: Sequence[str]) -> str:
    return f"[{', '.join(map(encode, items))}]"


def _insert(text: str, name: str, key: str, items: Sequence[str]) -> str:
    """The text with encoded items at the end of a list."""
    body = _table_start(text, name)
    start = _list_start(text, body, key)
    if start is None:
        end = "\r\n" if "\r\n" in text else "\n"
        new = f"{key} = [{', '.join(items)}]{end}"
        return text[:body] + ("" if text[:body].endswith("\n") else end) + new + text[body:]
    found = _scan(text, start)
    if not found.last:  # an empty list
        return text[: start + 1] + ", ".join(items) + text[start + 1 :]
    rest = found.last + found.has_comma
    line_end = text.find("\n", rest)
    if not rest <= line_end < found.close:
        return f"{text[: found.last]}, {', '.join(items)}{text[rest:]}"
    line = text[text.rfind("\n", 0, found.last) + 1 : line_end]
    margin = line[: len(line) - len(line.lstrip(_BLANKS))]
    end = "\r\n" if line.endswith("\r") else "\n"
    added = f",{end}".join([margin + item for item in items]) + ("," if found.has_comma else "") + end
    return f"{text[: found.last]},{text[rest : line_end + 1]}{added}{text[line_end + 1 :]}"


def _table_start(text: str, name: str) -> int:
    """Where the lines of a cache's table begin."""
    headers = {f"[caches.{quoted}]" for quoted in (name, f'"{name}"', f"'{name}'")}
    at = 0
    for line in text.split("\n"):
        bare = line.partition("#")[0].replace(" ", "").replace("\t", "").replace("\r", "")
        at += len(line) + 1
        if bare in headers:
            return min(at, len(text))
    raise _NotFound


def _list_start(text: str, body: int, key: str) -> int | None:
    """Where the list of a key opens in the table that begins at `body`; None where the table has no such key."""
    at = body
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        bare = line.lstrip(_BLANKS)
        if bare.startswith("["):
            return None
        word, equals, value = bare.partition("=")
        if equals and not bare.startswith("#"):
            opening = at + len(line) - len(value.lstrip(_BLANKS)) if value.lstrip(_BLANKS) else end
            is_list = text[opening : opening + 1] == "["
            if word.strip(_BLANKS + "\"'") == key:
                if not is_list:
                    raise _NotFound
                return opening
            if is_list:
                end = text.find("\n", _scan(text, opening).close)
                end = len(text) if end < 0 else end
        at = end + 1
    return None


class _ScannedList(NamedTuple):
    """Where the last item of a list ends (0: it has none), whether a comma stands there, and where the list closes."""

    last: int
    has_comma: bool
    close: int


def _scan(text: str, start: int) -> _ScannedList:
    """The list that opens at `start`."""
    depth, at, last, has_comma = 0, start, 0, False
    while at < len(text):
        mark = text[at]
        if mark == "#":
            at = text.find("\n", at)
            if at < 0:
                break
        elif mark in "\"'":
            at = _string_end(text, at)
            last, has_comma = at, False
            continue
        elif mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
            if not depth:
                return _ScannedList(last, has_comma, at)
            last, has_comma = at + 1, False
        elif mark == "," and depth == 1:
            has_comma = at == last
            if not has_comma:
                raise _NotFound  # an item that is no text, or a comma apart from it
        at += 1
    raise _NotFound


def _string_end(text: str, at: int) -> int:
    """Where a string ends that begins at `at`, its closing mark included."""
    mark = text[at]
    if text.startswith(mark * 3, at):
        raise _NotFound
    end = at + 1
    while end < len(text) and text[end] not in (mark, "\n"):
        end += 2 if text[end] == "\\" and mark == '"' else 1
    if text[end : end + 1] != mark:
        raise _NotFound
    return end + 1
