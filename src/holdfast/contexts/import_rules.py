"""Where an import leads, language by language: to a place of the project, to a package from elsewhere, or to neither.

A name leads only where something declares it or a file of that name lies: nothing is shortened until a folder fits.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from holdfast.contexts.project_index import Declared, Index, upwards
from holdfast.core.unicode_text import lower_case

Resolved = tuple[list[str], str]  # the places an import leads to, and the package it comes from
Rule = Callable[["Importer", str, Index, frozenset[str]], Resolved]

# Nothing lies deeper in a project than it is looked at, so longer names are not followed part by part.
_DEEPEST = 64


class Importer(NamedTuple):
    """The file that imports."""

    place: str
    name: str


def _python(importer: Importer, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    dots = len(name) - len(name.lstrip("."))
    parts = [part for part in name[dots:].split(".") if part][:_DEEPEST]
    if dots:
        base = importer.place.split("/") if importer.place else []
        if dots - 1 > len(base):
            return [], ""
        start = "/".join(base[: len(base) - (dots - 1)])
        found, taken = index.python_module(start, parts)
        if found is None or (taken == 0 and len(parts) <= 1):
            return [start] if start in index.places and len(parts) <= 1 else [], ""
        return [found], ""
    for root in index.python_roots(importer.place, parts[0] if parts else ""):
        found, taken = index.python_module(root, parts)
        if found is not None and taken and len(parts) - taken <= 1:
            return [found], ""
    top = name.partition(".")[0]
    return [], "" if top in standard else top


def _nearest(declared: list[Declared], place: str) -> list[str]:
    """Of several places that declare a package the one that shares most of its path with the importer."""
    if len(declared) < 2:
        return [one.place for one in declared]
    own = place.split("/")
    return [max(declared, key=lambda one: len(posixpath.commonprefix([one.place.split("/"), own]))).place]


def _declared(importer: Importer, parts: list[str], index: Index) -> list[str] | None:
    """The places of a name whose beginning is a declared package: one that defines what follows; None for neither."""
    for length in range(min(len(parts), _DEEPEST) - 1, 0, -1):
        declared = index.packages.get(".".join(parts[:length]))
        if declared is None:
            continue
        defining = [one for one in declared if parts[length] in one.names]
        if defining:
            return _nearest(defining, importer.place)
        # What is not public there is known by its package alone, when nothing but the name itself follows.
        return _nearest(declared, importer.place) if length == len(parts) - 1 else None
    return None


def _jvm(importer: Importer, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    """Java, Kotlin and Scala."""
    places: list[str] = []
    plain = name.removeprefix("static ").strip()
    for one in _selected(plain):
        parts = [part for part in one.split(".") if part]
        if not parts:
            continue
        if parts[-1] in ("*", "_", "given"):
            declared = index.packages.get(".".join(parts[:-1]))
            found = _nearest(declared, importer.place) if declared else _declared(importer, parts[:-1], index)
        else:
            found = _declared(importer, parts, index)
        places += found or []
    first = plain.partition("{")[0].strip(".").split(".")
    return places, "" if places or first[0] in standard else ".".join(first[:2])


def _selected(name: str) -> list[str]:
    """Scala: `a.{B, C => D}` taken apart."""
    before, brace, rest = name.partition("{")
    if not brace:
        return [name]
    names = [one.partition("=>")[0].partition(" as ")[0].strip() for one in rest.rstrip("}").split(",")]
    return [before + one for one in names if one]


def _csharp(importer: Importer, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    """A namespace as a whole, or after `static` and `=` a type of one."""
    target = name.rpartition("=")[2].removeprefix("static").strip()
    parts = target.split(".")
    declared = index.packages.get(target)
    if declared is not None:
        places = [one.place for one in declared]
    else:
        is_type = "=" in name or name.startswith("static")
        places = (_declared(importer, parts, index) or []) if is_type else []
    return places, "" if places or parts[0] in standard else ".".join(parts[:2])


def _php(importer: Importer, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    if name.startswith(("'", '"')):
        found = index.find_file(importer.place, name.strip("'\"").lstrip("/"))
        found = found if found is not None else index.find_file("", name.strip("'\"").lstrip("/"))
        return [found] if found is not None else [], ""
    parts = name.strip("\\").split("\\")
    places = _declared(importer, parts, index)
    if not places and ".".join(parts) in index.packages:
        places = _nearest(index.packages[".".join(parts)], importer.place)
    return places or [], "" if places or parts[0] in standard or len(parts) == 1 else ".".join(parts[:2])


def _go(_importer: Importer, name: str, index: Index, _standard: frozenset[str]) -> Resolved:
    if (found := index.module(name)) is not None:
        place = "/".join([part for part in (found[0].place, found[1]) if part])
        return [place] if place in index.places else [], ""
    return [], name if "." in name.partition("/")[0] else ""


def _javascript(importer: Importer, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    name = name.partition("?")[0]
    if name.startswith("."):
        found = index.script(posixpath.join(importer.place, name))
        return [found] if found is not None else [], ""
    for path in _aliased(importer, name, index):
        if (found := index.script(path)) is not None:
            return [found], ""
    if (module := index.module(name)) is not None:
        return [_package_place(*module, index)], ""
    if name.startswith(("@/", "~/", "#", "$", "/")):
        return [], ""
    if name.startswith("node:") or name.partition("/")[0] in standard:
        return [], ""
    return [], "/".join(name.split("/")[: 2 if name.startswith("@") else 1])


def _aliased(importer: Importer, name: str, index: Index) -> Iterator[str]:
    """The paths that the nearest tsconfig.json gives to a name."""
    for at in upwards(importer.place):
        config = index.scripts.get(at)
        if config is not None:
            for pattern, targets in config.paths:
                before, star, after = pattern.partition("*")
                if name == pattern or (star and name.startswith(before) and name.endswith(after)):
                    middle = name[len(before) : len(name) - len(after)] if star else ""
                    yield from [target.replace("*", middle) for target in targets]
            if config.base is not None:
                yield posixpath.join(config.base, name)
            return
    if name.startswith(("@/", "~/")):  # what every template means by it, where nothing says otherwise
        yield from (posixpath.join("src", name[2:]), name[2:])


def _package_place(workspace: object, rest: str, index: Index) -> str:
    """Where a name below a package of this project leads: to its file, or to the package."""
    place, entry = workspace.place, workspace.entry  # type: ignore[attr-defined]  # a Workspace
    if rest:
        for start in (place, posixpath.join(place, "src")):
            if (found := index.script(posixpath.join(start, rest))) is not None:
                return found
        return str(place)
    found = index.script(posixpath.join(place, entry)) if entry else None
    return found if found is not None else str(place)


def _rust(importer: Importer, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    module = _rust_module(importer)
    if name.startswith("mod "):
        found = _rust_path(module, [name[4:]], index)
        return [found] if found else [], ""
    parts = [part for part in name.split("::") if part][:_DEEPEST]
    if not parts:
        return [], ""
    first = parts[0]
    if first in ("crate", "self", "super"):
        if first == "crate":
            base = _crate_base(importer.place, index)
            return _some(_rust_path(base, parts[1:], index) if base is not None else None), ""
        at, rest = module, parts[1:]
        if first == "super":
            at = at.rpartition("/")[0]
        while rest[:1] == ["super"]:
            at, rest = at.rpartition("/")[0], rest[1:]
        return _some(_rust_path(at, rest, index)), ""
    if first in index.crates:
        root = index.crates[first].rpartition("/")[0]
        return _some(_rust_path(root, parts[1:], index)), ""
    if _has_rust_module(module, first, index):
        return _some(_rust_path(module, parts, index)), ""
    return [], "" if first in standard else first


def _some(place: str | None) -> list[str]:
    return [place] if place is not None else []


def _rust_module(importer: Importer) -> str:
    """The directory in which the modules of a file lie."""
    stem = importer.name.removesuffix(".rs")
    if stem in ("mod", "lib", "main", "build"):
        return importer.place
    return f"{importer.place}/{stem}" if importer.place else stem


def _has_rust_module(base: str, part: str, index: Index) -> bool:
    path = f"{base}/{part}" if base else part
    return f"{path}.rs" in index.files or f"{path}/mod.rs" in index.files


def _rust_path(base: str, parts: list[str], index: Index) -> str | None:
    """The place of the last module on a path; what follows are names inside it."""
    at, place = base, base if base in index.places else base.rpartition("/")[0]
    for part in parts:
        path = f"{at}/{part}" if at else part
        if f"{path}/mod.rs" in index.files:
            place = path
        elif f"{path}.rs" in index.files:
            place = index.files[f"{path}.rs"]
        else:
            break
        at = path
    return place if place in index.places else None


def _crate_base(place: str, index: Index) -> str | None:
    """The directory of the root file of the crate that a place belongs to."""
    roots = {root.rpartition("/")[0] for root in index.crates.values()}
    for at in upwards(place):
        if at in roots or f"{at}/lib.rs".lstrip("/") in index.files or f"{at}/main.rs".lstrip("/") in index.files:
            return at
    return None


def _include(importer: Importer, name: str, index: Index, _standard: frozenset[str]) -> Resolved:
    found = index.find_file_upwards(importer.place, name.strip("<>"), ("include", "src", "lib", "inc"))
    return [found] if found is not None else [], ""


def _ruby(importer: Importer, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    path = name.partition("'")[2] or name.partition('"')[2]
    file = path if path.endswith(".rb") else path + ".rb"
    if name.startswith("require_relative"):
        return _some(index.find_file(importer.place, file)), ""
    found = index.find_file_upwards(importer.place, file, ("lib",))
    top = path.partition("/")[0]
    return _some(found), "" if top in standard or found is not None else top


def _file(importer: Importer, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    """A path from the file's own place."""
    found = index.find_file(importer.place, name)
    return _some(found), "" if found is not None or "/" in name or "." in name or name in standard else name


def _lua(importer: Importer, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    path = name.replace(".", "/")
    for file in (f"{path}.lua", f"{path}/init.lua"):
        if (found := index.find_file_upwards(importer.place, file, ("lua", "src"))) is not None:
            return [found], ""
    top = name.partition(".")[0]
    return [], "" if top in standard else top


def _elixir(importer: Importer, name: str, index: Index, _standard: frozenset[str]) -> Resolved:
    declared = index.packages.get(name)
    return _nearest(declared, importer.place) if declared else [], ""


def _swift(importer: Importer, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    """A target, which lies below `Sources` or `Tests` of the package."""
    for at in upwards(importer.place):
        for folder in ("Sources", "Tests"):
            if (place := posixpath.join(at, folder, name)) in index.places:
                return [place], ""
    return [], "" if name in standard else name


def _ocaml(importer: Importer, name: str, index: Index, standard: frozenset[str]) -> Resolved:
    top = name.partition(".")[0]
    found = index.find_file(importer.place, f"{lower_case(top[:1])}{top[1:]}.ml")
    return _some(found), "" if found is not None or top in standard else top


# How an import is followed, by the name that a language's record gives.
RULES: Mapping[str, Rule] = {
    "python": _python,
    "javascript": _javascript,
    "go": _go,
    "rust": _rust,
    "jvm": _jvm,
    "csharp": _csharp,
    "php": _php,
    "include": _include,
    "ruby": _ruby,
    "file": _file,
    "lua": _lua,
    "elixir": _elixir,
    "ocaml": _ocaml,
    "swift": _swift,
    "package": _file,
}
