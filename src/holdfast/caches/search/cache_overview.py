"""What there is to ask: the caches of a project, a line each, in few tokens. Pure.

It answers a query without words. What caches are about is cut as far as it takes, the same for all; what does not fit
even so is counted.
"""

from __future__ import annotations

from holdfast.core.display_text import display_line
from holdfast.core.errors import BudgetTooSmall
from holdfast.core.largest_fit import largest_fit
from holdfast.core.record import NamedTuple
from holdfast.core.token_estimate import estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.caches.search.search_request import LeftOut
    from holdfast.caches.shapes import CachesAnswer

# Tokens, by `estimate-1`, of the whole text.
MOST_TOKENS = 300
# Characters of what a cache is about, the most first.
_ABOUT = (200, 120, 80, 60, 40, 24, 0)


class CacheToAsk(NamedTuple):
    """A cache, what its project says of it, and how many documents it has."""

    name: str
    about: str
    documents: int


def overview(caches: Sequence[CacheToAsk], left_out: Sequence[LeftOut], budget: int) -> CachesAnswer:
    """The caches, as many and as much of each as fit the budget, and 300 tokens; BudgetTooSmall where none does."""
    most = min(budget, MOST_TOKENS)

    def answer(count: int, characters: int) -> CachesAnswer:
        return {
            "caches": [
                {"name": each.name, "documents": each.documents, "about": _cut(each.about, characters)}
                for each in caches[:count]
            ],
            "caches_more": len(caches) - count,
            "left_out": [{"name": name, "why": why} for name, why in left_out],
        }

    def tokens(value: CachesAnswer) -> int:
        return estimate_tokens(as_text(value) + "\n")

    for characters in _ABOUT:
        if tokens(value := answer(len(caches), characters)) <= most:
            return value
    count = largest_fit(len(caches), lambda count: tokens(answer(count, 0)) <= most)
    if not count:
        raise BudgetTooSmall(tokens(answer(1, 0)), "not even one cache can be told")
    return answer(count, 0)


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
    if value["caches_more"]:
        yield f"and {value['caches_more']:,} more"
    if value["left_out"]:
        yield left_out_line(value["left_out"])


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…" if most else ""
