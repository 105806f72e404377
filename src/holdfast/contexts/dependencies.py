"""Where an import leads: to a directory of the project, to a package from elsewhere, or to what every program has."""

from __future__ import annotations

import posixpath

from holdfast.contexts.languages import LANGUAGES, listed
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.contexts.analysis.facts import FileFacts

    Resolved = tuple[str | None, str]  # the place an import leads to, or the package it comes from, or neither


class Dependencies(NamedTuple):
    """What a directory relies on, each list sorted."""

    internal: list[str]
    external: list[str]


_ROOTS = ("", "src", "lib", "app", "source", "include", "Sources")
# Nothing lies deeper in a project than it is looked at, so longer names are not tried part by part.
_DEEPEST = 64


class Index:
    """The directories and files of a project, for finding what an import means."""

    def __init__(self, files: Mapping[str, Iterable[str]], modules: Mapping[str, str]) -> None:
        """`files` are the source files of each place; `modules` the names that manifests give to places."""
        self._places = frozenset(files)
        self._stems: dict[str, str] = {}
        self._suffixes: dict[str, str] = {}
        self._folders: set[str] = set()  # the places and what leads to them
        for place in sorted(files, key=lambda place: (place.count("/"), place)):
            for name in files[place]:
                path = posixpath.join(place, name)
                self._stems.setdefault(path, place)
                self._stems.setdefault(path.rpartition(".")[0], place)
            parts = place.split("/")
            for at in range(len(parts)):
                self._suffixes.setdefault("/".join(parts[at:]), place)
                self._folders.add("/".join(parts[: at + 1]))
        self._modules = sorted(modules.items(), key=lambda item: (-len(item[0]), item))

    def find(self, path: str) -> str | None:
        """The place of a file (with or without its extension) or of a directory."""
        if path.startswith(".") or "/." in path or "//" in path:
            path = posixpath.normpath(path)
            path = "" if path == "." else path
        if path in self._places:
            return path
        return self._stems.get(path)

    def find_below_roots(self, place: str, path: str) -> str | None:
        """The same, tried from the directory itself upwards, and from the usual source folders on the way."""
        at = place
        while True:
            for root in _ROOTS:
                start = "/".join([part for part in (at, root) if part])
                if (not start or start in self._folders) and (
                    found := self.find(f"{start}/{path}" if start else path)
                ) is not None:
                    return found
            if not at:
                return None
            at = at.rpartition("/")[0]

    def find_package(self, parts: list[str]) -> str | None:
        """The place whose path ends in a dotted name, or in what is left of it without its last words."""
        parts = parts[:_DEEPEST]
        while len(parts) > 1:
            if (found := self._suffixes.get("/".join(parts))) is not None:
                return found
            parts = parts[:-1]
        return None

    def find_module(self, name: str) -> str | None:
        """The place below a module that a manifest names."""
        for module, place in self._modules:
            if name == module or name.startswith(module + "/"):
                rest = name[len(module) :].lstrip("/")
                return self.find("/".join([part for part in (place, rest) if part]))
        return None


def dependencies(place: str, files: Iterable[FileFacts], index: Index) -> Dependencies:
    """What the files of a place need, itself left out."""
    internal, external = set(), set()
    for language, name in {(file.language, name) for file in files for name in file.imports}:
        inside, outside = _resolved(place, language, name, index)
        if inside is not None:
            internal.add(inside)
        elif outside:
            external.add(outside)
    internal.discard(place)
    return Dependencies(sorted(found or "." for found in internal), sorted(external))


def _resolved(place: str, language: str, name: str, index: Index) -> Resolved:
    record = LANGUAGES[language]
    return _RULES[record.imports](place, name, index, listed(record.standard))


def _package(place: str, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    if name.startswith(("'", '"')):  # PHP: a file
        return index.find_below_roots(place, name.strip("'\"").lstrip("/")), ""
    parts = name.replace("\\", ".").strip(".").split(".")
    found = index.find_package(parts) if len(parts) > 1 else index.find_below_roots(place, name)
    return found, "" if parts[0] in standard else ".".join(parts[:2])


def _go(_place: str, name: str, index: Index, _standard: frozenset[str]) -> Resolved:
    return index.find_module(name), name if "." in name.partition("/")[0] else ""


def _include(place: str, name: str, index: Index, _standard: frozenset[str]) -> Resolved:
    return index.find_below_roots(place, name.strip("<>") if name.startswith("<") else name), ""


def _python(place: str, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    dots = len(name) - len(name.lstrip("."))
    parts = [part for part in name[dots:].split(".") if part]
    if dots:
        base = place.split("/") if place else []
        base = base[: len(base) - (dots - 1)] if dots > 1 else base
        return _longest("/".join(base), parts, index), ""
    parts = parts[:_DEEPEST]
    while len(parts) > 0:
        if (found := index.find_below_roots(place, "/".join(parts))) is not None:
            return found, ""
        parts = parts[:-1]
    top = name.partition(".")[0]
    return None, "" if top in standard else top


def _longest(base: str, parts: list[str], index: Index) -> str | None:
    """The place of a name below a directory, or of as much of it as leads somewhere."""
    for length in range(min(len(parts), _DEEPEST), -1, -1):
        path = "/".join([part for part in (base, *parts[:length]) if part])
        if (found := index.find(path)) is not None:
            return found
    return None


def _javascript(place: str, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    if name.startswith("."):
        path = posixpath.normpath(posixpath.join(place, name))
        for candidate in (path, path.rpartition(".")[0]):
            if candidate and (found := index.find(candidate)) is not None:
                return found, ""
        return None, ""
    if name.startswith(("@/", "~/")) and (found := index.find_below_roots("", name[2:])) is not None:
        return found, ""
    if (found := index.find_module(name)) is not None:
        return found, ""
    if name.startswith("node:") or name.partition("/")[0] in standard:
        return None, ""
    return None, "/".join(name.split("/")[: 2 if name.startswith("@") else 1])


def _rust(place: str, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    parts = name.split("{", maxsplit=1)[0].split(" as ", maxsplit=1)[0].replace(" ", "").strip(":").split("::")
    if parts[0] in ("crate", "self", "super"):
        base = place
        if parts[0] == "crate":
            crate = place.split("/")
            base = "/".join(crate[: crate.index("src") + 1]) if "src" in crate else place
        elif parts[0] == "super":
            base = place.rpartition("/")[0]
        return _longest(base, parts[1:], index), ""
    if len(parts) == 1 and (found := index.find(posixpath.join(place, parts[0]))) is not None:
        return found, ""
    if (found := index.find_module(parts[0])) is not None:
        return found, ""
    return None, "" if parts[0] in standard or len(parts) == 1 else parts[0]


def _ruby(place: str, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    path = name.partition("'")[2] or name.partition('"')[2]
    if name.startswith("require_relative"):
        return index.find(posixpath.join(place, path)), ""
    found = index.find_below_roots(place, path)
    top = path.partition("/")[0]
    return found, "" if top in standard else top


# How an import is followed, by the name that a language's record gives.
_RULES = {
    "package": _package,
    "python": _python,
    "javascript": _javascript,
    "go": _go,
    "rust": _rust,
    "include": _include,
    "ruby": _ruby,
}
