"""What there is to ask: the caches of a project, a line each, and of a single one its folders, in few tokens. Pure.

It answers a query without words. What caches are about, and what folders contain, is cut as far as it takes, the same
for all; what does not fit even so is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdfast.caches.search.search_request import LeftOut
from holdfast.caches.shapes import CachesAnswer, FolderOfCache
from holdfast.core.display_text import display_line
from holdfast.core.errors import BudgetTooSmall
from holdfast.core.largest_fit import largest_fit
from holdfast.core.record import NamedTuple
from holdfast.core.token_estimate import estimate_tokens

# Tokens, by `estimate-1`, of the whole text.
MOST_TOKENS = 300
# Characters of what a cache is about, the most first.
_ABOUT = (200, 120, 80, 60, 40, 24, 0)
# Tokens of the whole text with the folders of one cache; the depth of folders and the names of each,
# the most first.
MOST_OF_ONE = 600
_CUTS = ((99, 999), (99, 12), (99, 6), (99, 3), (99, 1), (2, 3), (2, 1), (2, 0), (1, 3), (1, 0))


class CacheToAsk(NamedTuple):
    """A cache, what its project says of it, and how many documents it has."""

    name: str
    about: str
    documents: int


def overview(
    caches: Sequence[CacheToAsk], left_out: Sequence[LeftOut], budget: int, ids: Sequence[str] = ()
) -> CachesAnswer:
    """The caches, as many and as much of each as fit the budget, and 300 tokens; BudgetTooSmall where none does.

    `ids` are the documents of the only cache: its folders are added as far as they fit the budget, and 600 tokens.
    """
    most = min(budget, MOST_TOKENS)

    def answer(count: int, characters: int) -> CachesAnswer:
        return {
            "caches": [
                {"name": each.name, "documents": each.documents, "about": _cut(each.about, characters)}
                for each in caches[:count]
            ],
            "caches_more": len(caches) - count,
            "left_out": [{"name": name, "why": why} for name, why in left_out],
            "folders": [],
        }

    def tokens(value: CachesAnswer) -> int:
        return estimate_tokens(as_text(value) + "\n")

    for characters in _ABOUT:
        if tokens(value := answer(len(caches), characters)) <= most:
            for depth, names in _CUTS if ids else ():
                listed: CachesAnswer = {**value, "folders": _folders(ids, depth, names)}
                if tokens(listed) <= min(budget, MOST_OF_ONE):
                    return listed
            return value
    count = largest_fit(len(caches), lambda count: tokens(answer(count, 0)) <= most)
    if not count:
        raise BudgetTooSmall(tokens(answer(1, 0)), "not even one cache can be told")
    return answer(count, 0)


def _folders(ids: Sequence[str], depth: int, names: int) -> list[FolderOfCache]:
    """The folders of documents, in order, each with its first names."""
    held: dict[str, list[str]] = {}
    for each in sorted(ids):
        parts = each.split("/")
        folder = "".join([f"{part}/" for part in parts[:-1][:depth]])
        held.setdefault(folder, []).append(each[len(folder) :])
    return [
        {"folder": folder, "documents": len(found), "names": found[:names]} for folder, found in sorted(held.items())
    ]


def as_text(value: CachesAnswer) -> str:
    """The overview as a model reads it, without its final newline."""
    return "\n".join(_lines(value))


def _lines(value: CachesAnswer) -> Iterator[str]:
    from holdfast.caches.search.search_text import left_out_line

    count = len(value["caches"]) + value["caches_more"]
    yield f"{count:,} cache{'' if count == 1 else 's'} of documentation. Ask in its words; `cache` keeps to one:"
    for cache in value["caches"]:
        documents = f"{cache['documents']:,} document{'' if cache['documents'] == 1 else 's'}"
        about = f" · {cache['about']}" if cache["about"] else ""
        yield display_line(f"{cache['name']} · {documents}{about}")
    for folder in value["folders"]:
        names, more = ", ".join(folder["names"]), folder["documents"] - len(folder["names"])
        rest = f" and {more:,} more" if more and names else f"{more:,}" if more else ""
        yield display_line(f"- {folder['folder'] or './'}: {names}{rest}")
    if value["caches_more"]:
        yield f"and {value['caches_more']:,} more"
    if value["left_out"]:
        yield left_out_line(value["left_out"])


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…" if most else ""
