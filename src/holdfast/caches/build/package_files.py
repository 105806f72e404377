"""The files of an installed package as sources of a cache, and the version that is installed."""

from __future__ import annotations

import os

from holdfast.caches.build.source_item import SourceItem
from holdfast.core.errors import BuildFailed
from holdfast.core.record import NamedTuple


class PackageSources(NamedTuple):
    """A package as it is installed."""

    version: str
    items: list[SourceItem]


def package_files(project: str, cache: str, name: str, python: str) -> PackageSources:
    """What is read of a package that a cache declares; BuildFailed says why it cannot be found, and what to do."""
    from pathlib import Path

    from holdfast.caches.build.installed_packages import PackageUnreadable, find_package

    try:
        package = find_package(Path(project), name, python)
    except PackageUnreadable as error:
        raise BuildFailed(f"the package '{name}' of the cache '{cache}' {error}") from None
    top = os.path.realpath(package.top)
    items = [SourceItem(file.source, os.path.realpath(file.path), file.reader, top, top) for file in package.files]
    return PackageSources(package.version, items)
