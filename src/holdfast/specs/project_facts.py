"""What a project is made of, computed from the names of its files and from its manifests."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.code.languages import language_of

_MOST_LISTED, _MOST_MANIFESTS = 15, 10
# Among the commands of a manifest whose list is not complete.
UNKNOWN = "*"


class Manifest(NamedTuple):
    """What one manifest declares: commands as they are typed, and packages with the version asked for, or none."""

    commands: tuple[str, ...] = ()
    packages: tuple[tuple[str, str], ...] = ()


class Facts(NamedTuple):
    """The files and folders of a project, and its manifests by path."""

    files: tuple[str, ...]
    folders: frozenset[str]
    manifests: Mapping[str, Manifest]


def facts_of(files: Sequence[str], manifests: Mapping[str, str]) -> Facts:
    """The facts of a project from the paths of its files and the texts of its manifests; a broken one is unknown."""
    folders = {"/".join(parts[:end]) for parts in (file.split("/") for file in files) for end in range(1, len(parts))}
    read = {}
    for path in sorted(manifests):
        try:
            read[path] = MANIFESTS[path.rpartition("/")[2]](manifests[path])
        except (ValueError, RecursionError):
            read[path] = Manifest((UNKNOWN,))
    return Facts(tuple(sorted(files)), frozenset(folders), read)


def _table(value: object, *keys: str) -> dict[str, Any]:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _package_json(text: str) -> Manifest:
    data = _table(json.loads(text))
    packages: dict[str, str] = {}
    for kind in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "engines"):
        packages.update({name: each for name, each in _versions(_table(data, kind)) if name not in packages})
    if isinstance(manager := data.get("packageManager"), str):
        name, _, version = manager.partition("@")
        packages.setdefault(name, version)
    return Manifest(tuple([f"npm run {name}" for name in _table(data, "scripts")]), tuple(packages.items()))


def _versions(table: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, version in table.items():
        given = version.get("version") if isinstance(version, dict) else version
        yield name, given if isinstance(given, str) else ""


_REQUIREMENT = re.compile(r"(?a)^\s*+([A-Za-z0-9][\w.-]*+)(?:\[[^\]]*+\])?+\s*+([^;@#]*+)")


def _requirements(lines: object) -> Iterator[tuple[str, str]]:
    for line in lines if isinstance(lines, list) else ():
        if isinstance(line, str) and (found := _REQUIREMENT.match(line)):
            yield found[1], found[2].strip(" ")


def _pyproject(text: str) -> Manifest:
    data = tomllib.loads(text)
    project, poetry = _table(data, "project"), _table(data, "tool", "poetry")
    packages = [*_requirements(project.get("dependencies")), *_versions(_table(poetry, "dependencies"))]
    groups = [_table(project, "optional-dependencies"), _table(data, "dependency-groups")]
    packages += [each for group in groups for lines in group.values() for each in _requirements(lines)]
    for group in _table(poetry, "group").values():
        packages += _versions(_table(group, "dependencies"))
    if isinstance(python := project.get("requires-python"), str):
        packages.append(("python", python))
    return Manifest(tuple(_table(project, "scripts")), tuple(packages))


def _cargo(text: str) -> Manifest:
    data = tomllib.loads(text)
    tables = [data, _table(data, "workspace"), *_table(data, "target").values()]
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    packages = [each for table in tables for kind in kinds for each in _versions(_table(table, kind))]
    return Manifest((), tuple(packages))


_REQUIRED = re.compile(r"(?a)^(?:require )?[ \t]*+([\w.-]++/\S++) (v\S++)|^(go) (\S++)", re.MULTILINE)


def _go_mod(text: str) -> Manifest:
    return Manifest((), tuple([(found[1] or found[3], found[2] or found[4]) for found in _REQUIRED.finditer(text)]))


_TARGET = re.compile(r"(?a)^([A-Za-z][\w. -]*+):(?!=)", re.MULTILINE)
_OPEN_TARGETS = re.compile(r"(?a)^-?include |^[^%$\s]*+[%$][^=\n:]*+:(?!=)", re.MULTILINE)


def _makefile(text: str) -> Manifest:
    targets = [f"make {name}" for found in _TARGET.finditer(text) for name in found[1].split(" ") if name]
    # Of a file that includes others, or makes its targets, nobody knows what it lacks.
    return Manifest((*((UNKNOWN,) if _OPEN_TARGETS.search(text) else ()), *dict.fromkeys(targets)))


MANIFESTS: Mapping[str, Callable[[str], Manifest]] = {
    "package.json": _package_json,
    "pyproject.toml": _pyproject,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
    "Makefile": _makefile,
}


def drafts(facts: Facts, templates: Mapping[str, str]) -> dict[str, str]:
    """The templates of steering documents, those of technology and structure with what the project's files show."""
    counts = _counts([name for file in facts.files if (name := language_of(file))])
    built = [f"- {name}: {_files(counts[name])}" for name in sorted(counts, key=lambda name: (-counts[name], name))]
    run: list[str] = []
    for path in sorted(facts.manifests, key=lambda path: (path.count("/"), path))[:_MOST_MANIFESTS]:
        manifest = facts.manifests[path]
        built += _listed(path, [f"{name} {version}".rstrip(" ") for name, version in manifest.packages])
        run += _listed(path, [f"`{name}`" for name in manifest.commands if name != UNKNOWN])
    inside = _counts([file.partition("/")[0] for file in facts.files if "/" in file])
    places = [f"- `{name}/`: {_files(count)}" for name, count in sorted(inside.items()) if not name.startswith(".")]
    sections = {"tech": {"## Built with": built, "## Commands": run}, "structure": {"## Where things are": places}}
    return {doc: _with_facts(text, sections.get(doc, {})) for doc, text in templates.items()}


def _counts(names: Sequence[str]) -> dict[str, int]:
    counts = dict.fromkeys(names, 0)
    for name in names:
        counts[name] += 1
    return counts


def _with_facts(text: str, sections: Mapping[str, Sequence[str]]) -> str:
    for heading, lines in sections.items():
        if lines:
            text = text.replace(f"{heading}\n", "\n".join([heading, "", *lines, ""]), 1)
    return text


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"


def _listed(path: str, names: Sequence[str]) -> list[str]:
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return [f"- `{path}`: {', '.join(names[:_MOST_LISTED])}{more}"] if names else []
