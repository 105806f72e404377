"""Python packages: a module's docstring and its public classes, functions and values. Nothing of it is run. Pure."""

from __future__ import annotations

from collections.abc import Callable, Container
from itertools import groupby

from holdfast.caches.readers.decoded_text import decoded
from holdfast.caches.readers.docstrings import write_docstring
from holdfast.caches.readers.included_text import IncludedText
from holdfast.caches.readers.page_text import PageText
from holdfast.caches.readers.python_declarations import Declaration, declarations, listed_names, module_docstring
from holdfast.caches.readers.python_exports import (
    LARGEST,
    exported_names,
    imports_of,
    is_private,
    module_name,
    parsed,
)
from holdfast.caches.readers.source_reader import Page, SourceFiles, Unreadable

# Where a package may lie, seen from a folder above the page.
_BELOW = ("", "src", "lib", "python")
_FILES = ("/__init__.py", ".py", "/__init__.pyi", ".pyi")
_MOST_HOPS, _MOST_PARTS = 3, 12
# Methods between double underscores that users call, by their names or by how the class is used.
_CALLED = frozenset(("__init__", "__call__", "__new__"))


def read_python(data: bytes, name: str, files: SourceFiles) -> Page:
    """The page of a module. Raises Unreadable."""
    if len(data) > LARGEST:
        raise Unreadable(f"has more than {LARGEST >> 20} MB")
    page = PageText()
    module = module_name(name)
    page.line(f"# {module}", 1)
    write_module(page, decoded(data).encode(), module, files.text)
    return page.page()


def write_module(
    page: PageText, data: bytes, module: str, read: Callable[[str], str | None], only: Container[str] | None = None
) -> None:
    """Write a module's docstring and its public names, or `only` some; `read` gives the text of a file by its path."""
    root = parsed(data)
    found = [one for one in declarations(root) if one.name]
    names = _public_names(module, found, listed_names(root), read)
    write_docstring(page, module_docstring(root))
    wanted = [one for one in found if one.name in names and (only is None or one.name in only)]
    _write_all(page, [(one, names[one.name]) for one in wanted], 2)


def _public_names(
    module: str, found: list[Declaration], listed: list[str] | None, read: Callable[[str], str | None]
) -> dict[str, str]:
    """The names that are for users: each with the name by which they have it."""
    if listed is not None:
        own = set(listed)
    else:
        own = {one.name for one in found if not one.name.startswith("_") and (one.kind or _is_documented(one))}
    names: dict[str, str] = {}
    for package, table in exported_names(module, read):
        for one in found:
            there = table.get(one.name) or (one.name if "*" in table and one.name in own else "")
            if there and not there.startswith("_"):
                names.setdefault(one.name, f"{package}.{there}")
    if not is_private(module):
        for name in own:
            names.setdefault(name, f"{module}.{name}")
    return names


def _is_documented(value: Declaration) -> bool:
    """Whether a value without `__all__` is more than a helper: it is a constant, or says what it is."""
    first = value.name[0]
    return value.is_called or bool(value.doc) or "A" <= first <= "Z"


def write_object(page: PageText, one: Declaration, name: str, level: int = 2) -> None:
    """Write a class, a function or a value under a heading, with its public members."""
    marks = "#" * min(level, 6)
    kind = "class " if one.kind == "class" else ""
    calls = "()" if one.kind == "def" and one.is_called else ""
    source = one.signatures[0][1]
    page.block([f"{marks} {kind}{name}{calls}"], source)
    page.fence(list(one.signatures), "python")
    write_docstring(page, one.doc)
    short = name.rpartition(".")[2] if level == 2 else name
    members = [member for member in one.members if _is_public_member(member)]
    _write_all(page, [(member, f"{short}.{member.name}") for member in members], level + 1)


def _write_all(page: PageText, wanted: list[tuple[Declaration, str]], level: int) -> None:
    """Write classes and functions under headings of a level with their names, and values between them together."""
    for is_object, some in groupby(wanted, key=lambda each: bool(each[0].kind)):
        if not is_object:
            _write_values(page, [one for one, _ in some])
            continue
        for one, name in some:
            write_object(page, one, name, level)


def _is_public_member(member: Declaration) -> bool:
    if not member.name.startswith("_"):
        return True
    return member.kind == "def" and (member.name in _CALLED or (member.name.endswith("__") and bool(member.doc)))


def _write_values(page: PageText, values: list[Declaration]) -> None:
    """Values that stand beside each other, in one fence; each that is described, in one of its own."""
    together: list[tuple[str, int]] = []
    for one in values:
        together += one.signatures
        if one.doc:
            page.fence(together, "python")
            write_docstring(page, one.doc)
            together = []
    page.fence(together, "python")


class PythonObjects:
    """The objects that a page may document; `lacks` has the names of those that cannot be found."""

    def __init__(self, included: IncludedText) -> None:
        self._included = included
        self._texts: dict[str, str | None] = {}
        self.lacks: list[str] = []

    def lines(self, name: str, only: Container[str] | None = None) -> list[str]:
        """Markdown of a module, class, function or value by its dotted name, headings from level 2 on.

        `only` are the names that are wanted of a module. What cannot be found is reported as missing.
        """
        page = PageText()
        if not self._write(page, name.split("."), name, only, _MOST_HOPS):
            self.lacks.append(name)
            self._included.missing(name)
        return [text for text, _ in page.rows()]

    def _write(self, page: PageText, parts: list[str], shown: str, only: Container[str] | None, hops: int) -> bool:
        if not all(parts) or len(parts) > _MOST_PARTS or self._module(parts[:1]) is None:
            return False
        for count in range(len(parts), 0, -1):
            text = self._module(parts[:count])
            if text is None:
                continue
            rest, module = parts[count:], ".".join(parts[:count])
            if not rest:
                write_module(page, text.encode(), module, self._read, only)
                return True
            wanted = tuple(declarations(parsed(text.encode())))
            for place, part in enumerate(rest):
                one = next((each for each in wanted if each.name == part), None)
                if one is None:
                    break
                if place == len(rest) - 1:
                    write_object(page, one, shown)
                    return True
                wanted = one.members
            imports = imports_of(text, module) if hops else ()
            named = [[*each.module.split("."), each.name] for each in imports if each.as_name == rest[0]]
            every = [[*each.module.split("."), rest[0]] for each in imports if each.name == "*"]
            return any(self._write(page, [*path, *rest[1:]], shown, only, hops - 1) for path in [*named, *every])
        return False

    def _module(self, parts: list[str]) -> str | None:
        return next((text for end in _FILES if (text := self._read("/".join(parts) + end)) is not None), None)

    def _read(self, path: str) -> str | None:
        if path not in self._texts:
            lines = self._included.lines(path, _BELOW)
            self._texts[path] = None if lines is None else "\n".join(lines) + "\n"
        return self._texts[path]
