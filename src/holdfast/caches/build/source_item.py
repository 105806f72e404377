"""One source of a build from a list: what it is called, where it lies, who reads it and what it may include."""

from __future__ import annotations

from holdfast.caches.cache_format import Entry
from holdfast.core.record import NamedTuple

# How a source got onto the list: found below a folder of the project, named itself, or as a file of a package.
FOUND, NAMED, PACKAGED = "found", "named", "packaged"


class SourceItem(NamedTuple):
    """A file that is to become a document.

    `source` is what the document is called: the path below `root`, as spelt. `path` is the file, absolute and without
    links. `reader` names a row of the table of readers. Texts may include what lies below `top`, the folder that `root`
    is or lies in, or that of the package; all three paths are absolute and real. `origin` says how it got onto the
    list, and with that how it is guarded: the file has to lie below `root`, that of a package below `top`. `site` is
    the folder of the generator's own file, seen from `root`, where `reader` reads the pages of a generator.
    """

    source: str
    path: str
    reader: str
    root: str
    top: str
    origin: str = FOUND
    site: str = ""


class KeptItem(NamedTuple):
    """An item whose document stands in a cache already, made of the same source by the same reader."""

    item: SourceItem
    cache: str
    entry: Entry


def kinds_in_words(kinds: dict[str, int]) -> str:
    """How many files there are of kinds that are not read: the most frequent first."""
    if not kinds:
        return ""
    total = sum(kinds.values())
    ordered = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join([f"{kind} {count:,}" for kind, count in ordered[:8]])
    more = f" and {len(ordered) - 8} more kinds" if len(ordered) > 8 else ""
    return f"{total:,} {'file' if total == 1 else 'files'} of kinds that are not read: {shown}{more}"
