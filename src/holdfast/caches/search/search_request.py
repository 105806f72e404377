"""What is asked of a search: every argument that changes its answer. Pure."""

from __future__ import annotations

from holdfast.core.record import NamedTuple


class SearchRequest(NamedTuple):
    """A query and what bounds the answer."""

    query: str
    budget: int
    limit: int | None = None
