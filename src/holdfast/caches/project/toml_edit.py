"""Edits of `context.toml` that keep every byte a person wrote: a table is appended, items are added to a list.

The edited text is parsed again, and refused unless it declares what was meant and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from holdfast.caches.project.project_file import (
    FILE_NAME,
    DeclaredCache,
    DeclaredSource,
    ProjectFile,
    parse_project_file,
)
from holdfast.core.edit_errors import BrokenText, OddText
from holdfast.core.errors import SettingsInvalid, UsageError
from holdfast.core.toml_members import with_toml_items, with_toml_member


def with_cache(text: str, before: ProjectFile, cache: DeclaredCache) -> str:
    """The text with one more cache; its sources are plain paths."""
    members = {
        "sources": [source.path or "." for source in cache.sources],
        "include": list(cache.include),
        "exclude": list(cache.exclude),
        "packages": list(cache.packages),
        "about": cache.about,
        "python": cache.python,
    }
    path, table = ("caches", cache.name), {key: value for key, value in members.items() if value}
    meant = before._replace(caches=tuple(sorted([*before.caches, cache])))
    by_hand = with_toml_member("", path, table).rstrip("\n")
    return _checked(lambda: with_toml_member(text, path, table), meant, by_hand)


def with_items(text: str, before: ProjectFile, name: str, key: str, items: Sequence[str]) -> str:
    """The text with more items in a list of a cache that is declared already: `sources` (plain paths) or `packages`."""
    cache = before.cache(name)
    if cache is None:
        raise UsageError(f"{FILE_NAME} declares no cache '{name}'")
    if key == "packages":
        changed = cache._replace(packages=(*cache.packages, *items))
    else:
        added = tuple([DeclaredSource("" if item == "." else item) for item in items])
        changed = cache._replace(sources=(*cache.sources, *added))
    meant = before._replace(caches=tuple([changed if each.name == name else each for each in before.caches]))
    by_hand = with_toml_member("", ("caches", name), {key: list(items)}).rstrip("\n").replace("= [", "= [ …, ")
    return _checked(lambda: with_toml_items(text, ("caches", name, key), items), meant, by_hand)


def _checked(edit: Callable[[], str], meant: ProjectFile, by_hand: str) -> str:
    """The edited text; UsageError, which says what to write by hand, unless it declares what was meant."""
    try:
        edited = edit()
        if parse_project_file(edited.encode()) == meant:
            return edited
    except (BrokenText, OddText, SettingsInvalid):
        pass  # the reason would be of a text that nobody sees
    shown = "; ".join(by_hand.split("\n"))
    raise UsageError(f"{FILE_NAME} is written in a way that cannot be added to: write it yourself: {shown}")
