"""Which files are source: what counts towards a directory's size and what is analysed."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.code.languages import EXTENSIONS, UNREAD, extension_of
from holdfast.contexts import schema, settings

_DATA = "yaml yml json toml xml html css scss tf hcl dockerfile graphql gql proto"
_PROSE = "md mdx txt rst"
_EXTENSIONS = EXTENSIONS | frozenset(UNREAD) | frozenset(f"{_DATA} {_PROSE}".split())
_NAMES = frozenset(["Dockerfile", "Makefile", "Gemfile", "Rakefile", "Procfile", "Justfile", "go.mod", "setup.cfg"])
_NEVER = frozenset({schema.FILE_NAME, settings.FILE_NAME})


def unread_languages(names: Iterable[str]) -> dict[str, int]:
    """The languages of these files that nothing here reads, sorted, and how many files are in each."""
    counts: dict[str, int] = {}
    for name in names:
        if language := UNREAD.get(extension_of(name)):
            counts[language] = counts.get(language, 0) + 1
    return {language: counts[language] for language in sorted(counts)}


def is_source(name: str) -> bool:
    """Whether a file of this name counts as source."""
    if name in _NEVER:
        return False
    return extension_of(name) in _EXTENSIONS or name in _NAMES
