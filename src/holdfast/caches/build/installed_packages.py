"""Packages that are installed beside a project, found by their files alone: nothing is imported, nothing is run.

A Python distribution is what its `.dist-info` folder in `site-packages` lists; an npm package is its folder in
`node_modules`. Of each there are the version, and the files that become documents, each with its reader.
"""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.caches.readers.metadata_reader import metadata_fields
from holdfast.caches.readers.python_exports import exported_names, is_for_users, is_private, module_name
from holdfast.caches.readers.reader_table import reader_of
from holdfast.core.canonical_json import JsonError, decode
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import lower_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LARGEST = 64 << 20  # bytes of a list of files


class PackageFile(NamedTuple):
    """A file of a package that becomes a document: its path below the folder of packages, where it is, its reader."""

    source: str
    path: Path
    reader: str


class InstalledPackage(NamedTuple):
    """A package as its own files describe it; `kind` is "python" or "npm", `top` the folder that sources are below."""

    name: str
    version: str
    kind: str
    top: Path
    files: tuple[PackageFile, ...]


class PackageUnreadable(Exception):
    """Why there is nothing to read of a package, in words that follow its name."""


def find_package(project: Path, name: str, python: str = "") -> InstalledPackage:
    """A package of the Python environment of a project, else of its node_modules. Raises PackageUnreadable.

    `python:NAME` and `npm:NAME` say which; a name with a scope, `@scope/name`, is npm's.
    """
    kind, colon, bare = name.partition(":")
    bare = bare if colon and kind in ("python", "npm") else name
    kind = kind if bare != name else "npm" if name.startswith("@") else ""
    site_packages = python_environment(project, python) if kind != "npm" else None
    node_modules = project / "node_modules"
    if site_packages is not None and (kind == "python" or _dist_info(site_packages, bare) is not None):
        return find_python_package(site_packages, bare, project)
    if kind != "python" and _npm_folder(node_modules, bare) is not None:
        return find_npm_package(node_modules, bare)
    if kind != "npm" and site_packages is None:
        place = python or ".venv"
        where = f"cannot be found: there is no Python environment at {place}, name one as `python` in context.toml"
        raise PackageUnreadable(where if kind == "python" else f"{where}, and it is not in node_modules either")
    places = {"python": "the Python environment", "npm": "node_modules"}.get(
        kind, "the Python environment or node_modules"
    )
    raise PackageUnreadable(f"is not installed in {places}: install it, or take it out of context.toml")


def python_environment(project: Path, setting: str = "") -> Path | None:
    """The site-packages folder of an environment, given by its folder or its interpreter; `.venv` where none is."""
    place = project / (setting or ".venv")
    if not place.is_dir() and place.parent.name in ("bin", "Scripts"):
        place = place.parent.parent  # the interpreter's path as it is spelt: a link would lead out of the environment
    if place.name == "site-packages" and place.is_dir():
        return place
    found = [place / "Lib" / "site-packages"]
    for folder in ("lib", "lib64"):
        try:
            versions = sorted(name for name in os.listdir(place / folder) if name.startswith(("python3.", "pypy3.")))
        except OSError:
            continue
        found += [place / folder / name / "site-packages" for name in versions]
    return next((one for one in found if one.is_dir()), None)


def find_python_package(site_packages: Path, name: str, project: Path) -> InstalledPackage:
    """An installed distribution: its description, and its modules that are for users. Raises PackageUnreadable."""
    info = _dist_info(site_packages, name)
    if info is None:
        raise PackageUnreadable(
            "is not installed in the Python environment: install it, or take it out of context.toml"
        )
    metadata = info / ("METADATA" if info.name.endswith(".dist-info") else "PKG-INFO")
    fields, _ = metadata_fields(_text(metadata) or "")
    version = fields.get("version", "")
    if not version:
        raise PackageUnreadable("is installed without its metadata: install it again")
    top = _editable_top(info, project) or site_packages
    names = _python_files(info, top, is_editable=top != site_packages)
    files = [PackageFile(f"{info.name}/{metadata.name}", metadata, "metadata-1")] if metadata.is_file() else []
    files += [PackageFile(one, top / one, "python-1") for one in _for_users(names, top)]
    if len(files) <= 1 and _is_editable(info):
        raise PackageUnreadable("is an editable install from outside the project: name its folder as a source instead")
    return InstalledPackage(fields.get("name", name), version, "python", top, tuple(sorted(files)))


def _for_users(names: Iterable[str], top: Path) -> list[str]:
    """The modules that are for users: a stub only where there is no source, private ones where names are exported."""
    known = set(names)
    texts: dict[str, str | None] = {}

    def read(path: str) -> str | None:
        if path not in texts:
            texts[path] = _text(top / path) if path in known else None
        return texts[path]

    kept = []
    for one in sorted(known):
        if not is_for_users(one) or (one.endswith(".pyi") and one[:-1] in known) or not (top / one).is_file():
            continue
        module = module_name(one)
        if not is_private(module) or exported_names(module, read):
            kept.append(one)
    return kept


def _python_files(info: Path, top: Path, *, is_editable: bool) -> set[str]:
    """The Python files of a distribution, by the list that is installed with it, else by its top-level names."""
    found: set[str] = set()
    if not is_editable and (record := _text(info / "RECORD")) is not None:
        for line in record.split("\n"):
            name = line[1:].partition('"')[0] if line.startswith('"') else line.partition(",")[0]
            if _is_module(name.rstrip("\r")):
                found.add(name.rstrip("\r"))
        return found
    listed = _text(info / "top_level.txt")
    names = listed.split("\n") if listed else [_normalised(info.name.partition("-")[0]).replace("-", "_")]
    for name in [one.strip(" \r\t") for one in names]:
        if not name or "/" in name or name.startswith("."):
            continue
        found |= {f"{name}{ending}" for ending in (".py", ".pyi") if (top / f"{name}{ending}").is_file()}
        for folder, folders, files in os.walk(top / name):
            folders[:] = sorted(one for one in folders if not one.startswith(".") and one != "__pycache__")
            below = Path(folder).relative_to(top).as_posix()
            found |= {f"{below}/{one}" for one in files if _is_module(f"{below}/{one}")}
    return found


def _is_module(name: str) -> bool:
    parts = name.split("/")
    if not name.endswith((".py", ".pyi")) or name.startswith(("/", "__editable__")) or ".." in parts or "\\" in name:
        return False
    return len(parts) == 1 or not parts[0].endswith((".dist-info", ".data"))


def _is_editable(info: Path) -> bool:
    origin = _text(info / "direct_url.json") or ""
    try:
        found = decode(origin)
    except JsonError:
        return False
    return (
        isinstance(found, dict) and isinstance(found.get("dir_info"), dict) and bool(found["dir_info"].get("editable"))
    )


def _editable_top(info: Path, project: Path) -> Path | None:
    """Where an editable install is read: the folder inside the project that a `.pth` file leads to."""
    if not _is_editable(info):
        return None
    for line in (_text(info / "RECORD") or "").split("\n"):
        name = line.partition(",")[0]
        if not name.endswith(".pth") or "/" in name:
            continue
        for place in (_text(info.parent / name) or "").split("\n"):
            folder = Path(place.strip(" \r\t")) if place.startswith("/") else None
            if folder is not None and folder.is_dir() and folder.resolve().is_relative_to(project.resolve()):
                return folder.resolve()
    return None


def _dist_info(site_packages: Path, name: str) -> Path | None:
    """The folder that describes a distribution, by its name as installers compare names."""
    wanted = _normalised(name)
    try:
        entries = sorted(os.listdir(site_packages))
    except OSError:
        return None
    for ending in (".dist-info", ".egg-info"):
        for entry in entries:
            is_wanted = entry.endswith(ending) and _normalised(entry.removesuffix(ending).partition("-")[0]) == wanted
            if is_wanted and (site_packages / entry).is_dir():
                return site_packages / entry
    return None


def _normalised(name: str) -> str:
    return "-".join([part for part in lower_case(name).replace("_", "-").replace(".", "-").split("-") if part])


def find_npm_package(node_modules: Path, name: str) -> InstalledPackage:
    """An installed npm package: its README, and the declarations that its types lead to. Raises PackageUnreadable."""
    from holdfast.caches.build.npm_files import declaration_files

    folder = _npm_folder(node_modules, name)
    if folder is None:
        raise PackageUnreadable("is not installed in node_modules: install it, or take it out of context.toml")
    try:
        manifest = decode(_text(folder / "package.json") or "")
    except JsonError:
        manifest = None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("version"), str):
        raise PackageUnreadable("has a package.json that cannot be read: install it again")
    files = []
    for entry in sorted(os.listdir(folder)):
        reader = reader_of(entry)
        if lower_case(entry).startswith("readme.") and reader is not None and (folder / entry).is_file():
            files.append(PackageFile(f"{name}/{entry}", folder / entry, reader.name))
    files += [PackageFile(f"{name}/{one}", folder / one, "dts-1") for one in declaration_files(folder, manifest)]
    if not any(one.reader == "dts-1" for one in files):
        files += _types_beside(node_modules, name)
    return InstalledPackage(name, manifest["version"], "npm", node_modules, tuple(sorted(files)))


def _types_beside(node_modules: Path, name: str) -> list[PackageFile]:
    """The declarations of a package that has none itself: those of `@types`."""
    from holdfast.caches.build.npm_files import declaration_files

    beside = f"@types/{name.removeprefix('@').replace('/', '__')}"
    folder = _npm_folder(node_modules, beside)
    if folder is None:
        return []
    try:
        manifest = decode(_text(folder / "package.json") or "")
    except JsonError:
        return []
    return [PackageFile(f"{beside}/{one}", folder / one, "dts-1") for one in declaration_files(folder, manifest)]


def _npm_folder(node_modules: Path, name: str) -> Path | None:
    parts = name.split("/")
    plain = len(parts) == (2 if name.startswith("@") else 1) and all(
        part and not part.startswith(".") for part in parts
    )
    folder = node_modules / name
    return folder if plain and "\\" not in name and (folder / "package.json").is_file() else None


def _text(path: Path) -> str | None:
    """The text of a file that belongs to a package; None where it is missing, huge or no UTF-8."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
        return data.decode().removeprefix("\ufeff") if len(data) <= _LARGEST else None
    except (OSError, UnicodeDecodeError, ValueError):
        return None
