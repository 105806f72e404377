"""Packages that are installed beside a project, found by their files alone: nothing is imported, nothing is run.

A Python distribution is what its `.dist-info` folder in `site-packages` lists; an npm package is its folder in
`node_modules`. Of each there are the version, and the files that become documents, each with its reader. Nothing is
read outside the project: what leads there is listed, and refused where it would be read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from holdfast.caches.build.guarded_files import FILE, FOLDER, NOTHING, OUTSIDE, Guard, led_to
from holdfast.caches.build.project_sources import PassedOver
from holdfast.caches.build.source_item import PACKAGED, SourceItem
from holdfast.caches.readers.metadata_reader import metadata_fields
from holdfast.caches.readers.python_exports import exported_names, is_for_users, is_private, module_name
from holdfast.caches.readers.reader_table import reader_of
from holdfast.core.canonical_json import JsonError, decode
from holdfast.core.errors import BuildFailed
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import lower_case

_LARGEST = 64 << 20  # bytes of a list of files
_MANIFEST = "package.json"


class InstalledPackage(NamedTuple):
    """A package as its own files describe it: its version, the files to read, by source, and what was passed over."""

    version: str
    items: list[SourceItem]
    passed: list[PassedOver]

    def add(self, source: str, path: Path, reader: str, top: Path, folder: Guard) -> None:
        """Add a file by its path below `top`, the folder of packages; it may not lead out of that of its package."""
        kind, real = led_to(os.fspath(path), folder.boundary)
        if kind == FILE:
            self.items.append(SourceItem(source, real, reader, os.path.realpath(top), folder.boundary, PACKAGED))
        elif kind == OUTSIDE:
            self.passed.append(PassedOver(source, "is a link that leads outside the package"))
        elif kind != NOTHING:
            self.passed.append(PassedOver(source, "is not a regular file"))


class PackageUnreadable(Exception):
    """Why there is nothing to read of a package, in words that follow its name."""


def package_files(project: str, cache: str, name: str, python: str) -> InstalledPackage:
    """What is read of a package that a cache declares; BuildFailed says why it cannot be found, and what to do."""
    try:
        package = find_package(Path(project), name, python)
    except PackageUnreadable as error:
        raise BuildFailed(f"the package '{name}' of the cache '{cache}' {error}") from None
    package.items.sort()
    package.passed.sort()
    return package


def find_package(project: Path, name: str, python: str = "") -> InstalledPackage:
    """A package of the Python environment of a project, else of its node_modules. Raises PackageUnreadable.

    `python:NAME` and `npm:NAME` say which; a name with a scope, `@scope/name`, is npm's.
    """
    kind, colon, bare = name.partition(":")
    bare = bare if colon and kind in ("python", "npm") else name
    kind = kind if bare != name else "npm" if name.startswith("@") else ""
    site_packages = python_environment(project, python) if kind != "npm" else None
    is_outside = (
        site_packages is not None and led_to(os.fspath(site_packages), os.path.realpath(project)).kind != FOLDER
    )
    if is_outside:
        site_packages = None
    if site_packages is not None and (kind == "python" or _dist_info(site_packages, bare) is not None):
        return find_python_package(site_packages, bare, project)
    if kind != "python" and _npm_folder(project, bare):
        return find_npm_package(project, bare)
    if is_outside:
        place = python or ".venv"
        raise PackageUnreadable(
            f"cannot be read: the Python environment {place} lies outside the project, make one inside it"
            " (python -m venv .venv) and install the package there"
        )
    if kind != "npm" and site_packages is None:
        place = python or ".venv"
        where = (
            f"cannot be found: there is no Python environment at {place}: install it in one, or name one as `python`"
        )
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
    site = Guard(os.path.realpath(site_packages), withholds=False)
    fields, _ = metadata_fields(_text(site, f"{info.name}/{metadata.name}") or "")
    version = fields.get("version", "")
    if not version:
        raise PackageUnreadable("is installed without its metadata: install it again")
    top = _editable_top(site, info.name, project) or site_packages
    names = _python_files(site, info.name, top, is_editable=top != site_packages)
    found, modules = InstalledPackage(version, [], []), Guard(os.path.realpath(top), withholds=False)
    found.add(f"{info.name}/{metadata.name}", metadata, "metadata-1", top, site)
    files = _for_users(names, modules)
    for one in files:
        found.add(one, top / one, "python-1", top, modules)
    if not files and _is_editable(site, info.name):
        raise PackageUnreadable("is an editable install from outside the project: name its folder as a source instead")
    return found


def _for_users(names: Iterable[str], top: Guard) -> list[str]:
    """The modules that are for users: a stub only where there is no source, private ones where names are exported."""
    known = set(names)
    texts: dict[str, str | None] = {}

    def read(path: str) -> str | None:
        if path not in texts:
            texts[path] = _text(top, path) if path in known else None
        return texts[path]

    kept = []
    for one in sorted(known):
        if not is_for_users(one) or (one.endswith(".pyi") and one[:-1] in known) or not _is_there(top, one):
            continue
        module = module_name(one)
        if not is_private(module) or exported_names(module, read):
            kept.append(one)
    return kept


def _python_files(site: Guard, info: str, top: Path, *, is_editable: bool) -> set[str]:
    """The Python files of a distribution, by the list that is installed with it, else by its top-level names."""
    found: set[str] = set()
    if not is_editable and (record := _text(site, f"{info}/RECORD")) is not None:
        for line in record.split("\n"):
            name = line[1:].partition('"')[0] if line.startswith('"') else line.partition(",")[0]
            if _is_module(name.rstrip("\r")):
                found.add(name.rstrip("\r"))
        return found
    listed = _text(site, f"{info}/top_level.txt")
    names = listed.split("\n") if listed else [_normalised(info.partition("-")[0]).replace("-", "_")]
    real = os.path.realpath(top)
    for name in [one.strip(" \r\t") for one in names]:
        if not name or "/" in name or name.startswith("."):
            continue
        found |= {f"{name}{ending}" for ending in (".py", ".pyi")}
        if led_to(os.path.join(real, name), real).kind != FOLDER:
            continue
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


def _is_editable(site: Guard, info: str) -> bool:
    origin = _text(site, f"{info}/direct_url.json") or ""
    try:
        found = decode(origin)
    except JsonError:
        return False
    return (
        isinstance(found, dict) and isinstance(found.get("dir_info"), dict) and bool(found["dir_info"].get("editable"))
    )


def _editable_top(site: Guard, info: str, project: Path) -> Path | None:
    """Where an editable install is read: the folder inside the project that a `.pth` file leads to."""
    if not _is_editable(site, info):
        return None
    for line in (_text(site, f"{info}/RECORD") or "").split("\n"):
        name = line.partition(",")[0]
        if not name.endswith(".pth") or "/" in name:
            continue
        for place in (_text(site, name) or "").split("\n"):
            kind, folder = led_to(place.strip(" \r\t"), os.path.realpath(project))
            if place.startswith("/") and kind == FOLDER:
                return Path(folder)
    return None


def _dist_info(site_packages: Path, name: str) -> Path | None:
    """The folder that describes a distribution, by its name as installers compare names."""
    wanted = _normalised(name)
    try:
        entries = sorted(os.listdir(site_packages))
    except OSError:
        return None
    real = os.path.realpath(site_packages)
    for ending in (".dist-info", ".egg-info"):
        for entry in entries:
            is_wanted = entry.endswith(ending) and _normalised(entry.removesuffix(ending).partition("-")[0]) == wanted
            if is_wanted and led_to(os.path.join(real, entry), real).kind == FOLDER:
                return site_packages / entry
    return None


def _normalised(name: str) -> str:
    return "-".join([part for part in lower_case(name).replace("_", "-").replace(".", "-").split("-") if part])


def find_npm_package(project: Path, name: str) -> InstalledPackage:
    """An installed npm package: its README, and the declarations that its types lead to. Raises PackageUnreadable."""
    from holdfast.caches.build.npm_files import declaration_files

    folder = Guard(_npm_folder(project, name), withholds=False)
    manifest = _manifest(folder)
    if not isinstance(manifest, dict) or not isinstance(manifest.get("version"), str):
        raise PackageUnreadable("has a package.json that cannot be read: install it again")
    found, top = InstalledPackage(manifest["version"], [], []), project / "node_modules"
    for entry in sorted(os.listdir(folder.boundary)):
        reader = reader_of(entry)
        if lower_case(entry).startswith("readme.") and reader is not None and _is_there(folder, entry):
            found.add(f"{name}/{entry}", Path(folder.boundary, entry), reader.name, top, folder)
    declarations = declaration_files(folder, manifest)
    if not declarations:  # they may be those of `@types`
        name = f"@types/{name.removeprefix('@').replace('/', '__')}"
        if place := _npm_folder(project, name):
            folder = Guard(place, withholds=False)
            declarations = declaration_files(folder, _manifest(folder))
    for one in declarations:
        found.add(f"{name}/{one}", Path(folder.boundary, one), "dts-1", top, folder)
    return found


def _manifest(folder: Guard) -> object:
    try:
        return decode(_text(folder, _MANIFEST) or "")
    except JsonError:
        return None


def _npm_folder(project: Path, name: str) -> str:
    """The real folder of a package, empty where there is none.

    It lies in node_modules, which may hold links into itself, or is a part of the project that is linked there.
    """
    parts = name.split("/")
    plain = len(parts) == (2 if name.startswith("@") else 1) and all(
        part and not part.startswith(".") for part in parts
    )
    if not plain or "\\" in name:
        return ""
    kind, folder = led_to(os.fspath(project / "node_modules" / name), os.path.realpath(project))
    if kind == OUTSIDE:
        raise PackageUnreadable(f"is not read: node_modules/{name} leads outside the project, install it inside")
    return folder if kind == FOLDER and Guard(folder).has_file(_MANIFEST) else ""


def _is_there(folder: Guard, name: str) -> bool:
    """Whether a name is that of a file, or of something that is reported instead of being read."""
    return led_to(os.path.join(folder.boundary, name), folder.boundary).kind not in (NOTHING, FOLDER)


def _text(folder: Guard, path: str) -> str | None:
    """The text of a file that belongs to a package; None where it is missing, refused, huge or no UTF-8."""
    return folder.text(path, _LARGEST)
