"""The files of an installed package as sources of a cache, and the version that is installed."""

from __future__ import annotations

import os

from holdfast.caches.build.guarded_files import FILE, NOTHING, OUTSIDE, led_to
from holdfast.caches.build.project_sources import PassedOver
from holdfast.caches.build.source_item import PACKAGED, SourceItem
from holdfast.core.errors import BuildFailed
from holdfast.core.record import NamedTuple


class PackageSources(NamedTuple):
    """A package as it is installed: its version, the files to read, and what was passed over."""

    version: str
    items: list[SourceItem]
    passed: list[PassedOver]


def package_files(project: str, cache: str, name: str, python: str) -> PackageSources:
    """What is read of a package that a cache declares; BuildFailed says why it cannot be found, and what to do."""
    from pathlib import Path

    from holdfast.caches.build.installed_packages import PackageUnreadable, find_package

    try:
        package = find_package(Path(project), name, python)
    except PackageUnreadable as error:
        raise BuildFailed(f"the package '{name}' of the cache '{cache}' {error}") from None
    sources = PackageSources(package.version, [], [])
    for source, path, reader, folder in package.files:
        kind, real = led_to(os.fspath(path), folder)
        if kind == FILE:
            sources.items.append(SourceItem(source, real, reader, os.path.realpath(package.top), folder, PACKAGED))
        elif kind == OUTSIDE:
            sources.passed.append(PassedOver(source, "is a link that leads outside the package"))
        elif kind != NOTHING:
            sources.passed.append(PassedOver(source, "is not a regular file"))
    return sources
