"""The files of a folder of sources, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.caches.readers.source_reader import Site

if TYPE_CHECKING:
    from collections.abc import Mapping


class HeldFiles:
    """What a text may include, by path; `asked` has every path that was wanted."""

    def __init__(self, texts: Mapping[str, str] | None = None, site: Site | None = None) -> None:
        self._texts = texts or {}
        self.site = site or Site()
        self.asked: list[str] = []
        self.lacks: list[str] = []

    def text(self, path: str) -> str | None:
        """The text at a path; None where there is none."""
        self.asked.append(path)
        return self._texts.get(path)

    def missing(self, what: str) -> None:
        """Note what a page lacks."""
        self.lacks.append(what)
