"""Which documentation generator's site a folder belongs to, by the generator's own file in it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from holdfast.caches.build.guarded_files import Guard
from holdfast.caches.readers.generators import FEWEST_LANGUAGES, GENERATORS, LANGUAGES, MARKS, PLAIN, Generator
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import lower_case

_MAX_MARK_BYTES = 1 << 20
# Why a folder is left out.
TRANSLATION, NO_PAGE = "a translation", "a blog, an older version or parts of pages, as {} keeps them"
# Below the folder of a site, how deep versions, translations and blogs may lie.
_DEEPEST = 4


class FoundSite(NamedTuple):
    """A generator, and the folder of its own file, seen from the sources' top: it may climb."""

    generator: Generator
    folder: str

    def reads(self, reader: str) -> bool:
        """Whether a reader is that of the site's pages."""
        return reader == self.generator.reader

    def left_out(self, place: str, names: Sequence[str]) -> dict[str, str]:
        """The names in a folder that are no current page of the site in English, each with the reason."""
        if not self.generator.reader or place.count("/") - self.folder.replace("..", "").count("/") >= _DEEPEST:
            return {}
        languages = [name for name in names if lower_case(name) in LANGUAGES]
        left = dict.fromkeys(languages if len(languages) >= FEWEST_LANGUAGES else [], TRANSLATION)
        parts = [name for name in names if name in self.generator.excluded or self._is_part(name)]
        return left | dict.fromkeys(parts, NO_PAGE.format(self.generator.title))

    def _is_part(self, name: str) -> bool:
        """Whether a name is that of a folder or page that others include."""
        return name.startswith(self.generator.parts) and ("." not in name or name.endswith(self.generator.extensions))


NO_SITE = FoundSite(PLAIN, "")


def site_in(names: Sequence[str], path: str, place: str, top: str, above: FoundSite) -> FoundSite:
    """The site that a folder with these names begins, or the one `above`; `top` is the boundary of what is read."""
    if MARKS.isdisjoint(names):
        return above
    held = frozenset(names)
    for generator in GENERATORS:
        if above.generator.reader in generator.below_none_of:
            continue
        for mark in generator.marks:
            if mark.partition("/")[0] in held and _is_marked(generator, os.path.join(path, mark), top):
                # A site inside one of the same kind is a part of it: Hugo has a mark in every folder.
                return above if above.generator is generator else FoundSite(generator, place)
    return above


def _is_marked(generator: Generator, path: str, top: str) -> bool:
    guard = Guard(top, withholds=False)
    if not generator.says:
        return os.path.isdir(path) or guard.has_file(path)
    text = guard.text(path, _MAX_MARK_BYTES)
    return text is not None and any(word in text for word in generator.says)
