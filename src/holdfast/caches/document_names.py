"""The ids and the files of many documents, by few steps for all of them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.caches.cache_format import document_id, file_name_of, short_name
from holdfast.core.unicode_text import lower_case

if TYPE_CHECKING:
    from collections.abc import Sequence


def document_ids(sources: Sequence[str]) -> list[str]:
    """The ids of many paths: where all are plain, as most are, by few steps for all of them."""
    joined = "\n".join(["", *sources])
    if joined.isascii() and "\\" not in joined and "\n./" not in joined and joined.count("\n") == len(sources):
        return lower_case(joined).split("\n")[1:]
    return list(map(document_id, sources))


def file_names_of(names: Sequence[str], versions: Sequence[str]) -> list[str]:
    """The names that `file_name_of` gives to the files of all documents of a cache, in id order."""
    found = list(map(short_name, versions))
    if len(set(found)) == len(found):  # nearly always
        return found
    taken: set[str] = set()
    for place, name in enumerate(found):
        if name in taken:
            found[place] = file_name_of(names[place], versions[place], taken)
        else:
            taken.add(name)
    return found
