"""What a project holds, for finding where an import leads: files, declared packages, and names that manifests give."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from holdfast.code.analysis.facts import FileFacts

_SCRIPTS = ("ts", "tsx", "mts", "cts", "d.ts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "json")
_SCRIPT_ENDINGS = {"js": ("ts", "tsx"), "jsx": ("tsx",), "mjs": ("mts",), "cjs": ("cts",)}
_SOURCE_ROOTS = ("", "src", "lib", "python", "app", "source")


class ScriptPaths(NamedTuple):
    """What a tsconfig.json says of module names: where they start, and which are other names for paths."""

    base: str | None  # a place that names are looked for below; None without one
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()  # a pattern, and the paths from the root that it maps to


class Workspace(NamedTuple):
    """A package of this project that others import by name."""

    place: str
    entry: str = ""  # the path of its entry file from there, where a manifest names one


class Declared(NamedTuple):
    """A place that declares a package, and the names that its files define in it."""

    place: str
    names: frozenset[str]


def declared_packages(facts: Mapping[str, Iterable[FileFacts]]) -> dict[str, list[Declared]]:
    """The places of each package or namespace that files declare; names with dots, whatever the language's joint."""
    found: dict[str, dict[str, set[str]]] = {}
    for place, files in facts.items():
        for file in files:
            if file.package and file.language != "Go":
                names = found.setdefault(file.package.replace("\\", "."), {}).setdefault(place, set())
                names.update([export.name for export in file.exports if not export.owner])
                names.add(file.name.partition(".")[0])  # what is not public is still there by the name of its file
    return {
        package: [Declared(place, frozenset(names)) for place, names in sorted(places.items())]
        for package, places in found.items()
    }


def _above(place: str) -> list[str]:
    """The directories that lead to a place."""
    parts = place.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]


def upwards(place: str) -> Iterator[str]:
    """A place and those above it, up to the root."""
    yield place
    while place:
        place = place.rpartition("/")[0]
        yield place


class Index:
    """The directories and files of a project, for finding what an import means. Every look-up is exact."""

    def __init__(
        self,
        files: Mapping[str, Iterable[str]],
        modules: Mapping[str, Workspace | str] | None = None,
        *,
        packages: Mapping[str, list[Declared]] | None = None,
        scripts: Mapping[str, ScriptPaths] | None = None,
        crates: Mapping[str, str] | None = None,
    ) -> None:
        """`files` are the source files of each place; `modules` the names that manifests give to places.

        `packages` are what files declare, `scripts` what tsconfig.json files say, by place, and `crates` the root
        files of Rust's crates by the names of the crates.
        """
        self.places = frozenset(files)
        self.files = {posixpath.join(place, name): place for place, names in files.items() for name in names}
        self.packages = packages or {}
        self.scripts = scripts or {}
        self.crates = crates or {}
        named = {name: Workspace(one) if isinstance(one, str) else one for name, one in (modules or {}).items()}
        self._modules = sorted(named.items(), key=lambda item: (-len(item[0]), item))
        self._python_packages = frozenset(
            [place for path, place in self.files.items() if path.endswith(("/__init__.py", "/__init__.pyi"))]
        )
        self._with_python = frozenset([place for path, place in self.files.items() if path.endswith((".py", ".pyi"))])
        self._ways = frozenset(above for place in self._python_packages for above in _above(place))
        self._python_tops = self._tops()

    def _tops(self) -> dict[str, list[str]]:
        """For each package that lies in no package: the directories it can be imported from."""
        tops: dict[str, set[str]] = {}
        for place in self._python_packages:
            root, _, name = place.rpartition("/")
            if root not in self._python_packages:
                tops.setdefault(name, set()).add(root)
        return {name: sorted(roots, key=lambda root: (root.count("/"), root)) for name, roots in tops.items()}

    # Python

    def python_roots(self, place: str, name: str) -> list[str]:
        """Where a top-level module may lie for a file of a place: its own root, the project's, then any with it."""
        own = place
        while own in self._python_packages:
            own = own.rpartition("/")[0]
        elsewhere = self._python_tops.get(name, [])
        return list(dict.fromkeys([own, *_SOURCE_ROOTS, *(elsewhere if len(elsewhere) == 1 else [])]))

    def python_module(self, base: str, parts: list[str]) -> tuple[str | None, int]:
        """The place of as much of a dotted name below a directory as are modules, and how many parts were."""
        at, place = base, None
        for taken, part in enumerate(parts):
            path = f"{at}/{part}" if at else part
            if (found := self.files.get(path + ".py", self.files.get(path + ".pyi"))) is not None and (
                path not in self._python_packages
            ):
                return found, taken + 1
            if path not in self._with_python and path not in self._ways:
                return place, taken
            at = path
            place = path if path in self._with_python else place
        return place, len(parts)

    # JavaScript and TypeScript

    def script(self, path: str) -> str | None:
        """The place of a module by its path: a file, one with an ending left out or changed, or a folder's index."""
        path = posixpath.normpath(path)
        if path.startswith(".."):
            return None
        path = "" if path == "." else path
        if path in self.files:
            return self.files[path]
        stem, dot, ending = path.rpartition(".")
        for other in _SCRIPT_ENDINGS.get(ending, ()) if dot else ():
            if (found := self.files.get(f"{stem}.{other}")) is not None:
                return found
        for stem in (path, f"{path}/index" if path else "index"):
            for ending in _SCRIPTS:
                if (found := self.files.get(f"{stem}.{ending}")) is not None:
                    return found
        return None

    def module(self, name: str) -> tuple[Workspace, str] | None:
        """The package that a manifest names, and what of a name goes on below it."""
        for module, workspace in self._modules:
            if name == module or name.startswith(module + "/"):
                return workspace, name[len(module) :].lstrip("/")
        return None

    def find_file(self, place: str, path: str) -> str | None:
        """The place of a file by its path from a place."""
        whole = posixpath.normpath(posixpath.join(place, path))
        return self.files.get(whole)

    def find_file_upwards(self, place: str, path: str, roots: Iterable[str]) -> str | None:
        """The same from a place, from those above it, and from some folders on the way."""
        for at in upwards(place):
            for root in ("", *roots):
                if (found := self.find_file("/".join([part for part in (at, root) if part]), path)) is not None:
                    return found
        return None
