"""The index that imports are followed by, made of what a project's files declare and its manifests name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping

from holdfast.code.analysis.facts import FileFacts
from holdfast.contexts.description import About
from holdfast.contexts.manifests import MANIFESTS, ScriptConfig, crate_roots, package_entry, script_config
from holdfast.contexts.on_disk.disk_failure import read_beneath
from holdfast.contexts.on_disk.project import Found, Project
from holdfast.contexts.project_index import Index, ScriptPaths, Workspace, declared_packages

_MAX_MANIFEST = 1 << 20
_NAMING = ("package.json", "go.mod")
_DEEPEST_EXTENDS = 5


def read_text(project: Project, place: str, name: str) -> str | None:
    """A small text file of a project; None when there is none that can be read."""
    data = read_beneath(project.root, place, name, _MAX_MANIFEST)
    return None if data is None else data.decode("utf-8", "replace")


def import_index(project: Project, found: Iterable[Found], facts: Mapping[str, Iterable[FileFacts]]) -> Index:
    """What imports of this project can lead to."""
    files = {item.place: item.view.sources for item in found if item.view is not None}
    modules: dict[str, Workspace] = {}
    crates: dict[str, str] = {}
    configs: dict[str, ScriptConfig] = {}  # by path
    for place in sorted(files, key=lambda place: (place.count("/"), place)):
        names = set(files[place])
        for name in names.intersection(_NAMING):
            text = read_text(project, place, name) or ""
            about: About = MANIFESTS[name](text)
            if about.module:
                entry = package_entry(text) if name == "package.json" else ""
                modules.setdefault(about.module, Workspace(place, entry))
        if "Cargo.toml" in names:
            text = read_text(project, place, "Cargo.toml") or ""
            for crate, path in crate_roots(text).items():
                crates.setdefault(crate, posixpath.normpath(posixpath.join(place, path)))
        for name in sorted(names):
            if name.endswith(".json") and name.startswith(("tsconfig", "jsconfig")):
                text = read_text(project, place, name) or ""
                configs[posixpath.join(place, name)] = script_config(text)
    known = {path for path in crates.values() if path.rpartition("/")[0] in files}
    return Index(
        files,
        modules,
        packages=declared_packages(facts),
        scripts=_script_paths(configs),
        crates={crate: path for crate, path in crates.items() if path in known},
    )


def _script_paths(configs: Mapping[str, ScriptConfig]) -> dict[str, ScriptPaths]:
    """What each directory's tsconfig.json, or jsconfig.json, means for the files below."""
    found: dict[str, ScriptPaths] = {}
    for path in sorted(configs):
        place, _, name = path.rpartition("/")
        if name in ("tsconfig.json", "jsconfig.json") and place not in found:
            found[place] = _followed(path, configs, 0)
    return found


def _followed(path: str, configs: Mapping[str, ScriptConfig], depth: int) -> ScriptPaths:
    config = configs[path]
    place = path.rpartition("/")[0]
    base = None if config.base is None else _place(posixpath.join(place, config.base))
    paths = tuple(
        (pattern, tuple([_place(posixpath.join(base if base is not None else place, target)) for target in targets]))
        for pattern, targets in config.paths
    )
    for one in reversed(config.extends) if depth < _DEEPEST_EXTENDS else ():
        if not one.startswith("."):
            continue
        other = posixpath.normpath(posixpath.join(place, one))
        other = other if other in configs else other + ".json"
        if other in configs:
            above = _followed(other, configs, depth + 1)
            base = base if base is not None else above.base
            paths = paths or above.paths
    return ScriptPaths(base, paths)


def _place(path: str) -> str:
    normal = posixpath.normpath(path)
    return "" if normal == "." else normal
