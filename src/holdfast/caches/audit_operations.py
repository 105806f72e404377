"""What can be done with receipts, declared: one is run again, or all that servers kept."""

from __future__ import annotations

from holdfast.core.errors import CacheMissing
from holdfast.operation import Operation, Parameter, Variant

_MOST = 1_000_000

REPLAY = Operation(
    family="caches",
    command=("replay",),
    summary="Run a search again from its receipt, or all that servers answered; exit 9 when an answer changed.",
    parameters=(
        Parameter("receipt", "path", "A receipt that 'search --receipt' wrote", True, "RECEIPT", positional=True),
        Parameter(
            "cache",
            "path",
            "The cache (default: the one of that version and tokenizer below the cache root)",
            metavar="CACHE",
            error=CacheMissing,
            check_order=3,
        ),
        Parameter(
            "html", "path", "Write a page here: it explains the answer of now, or lists the calls", metavar="FILE"
        ),
        Parameter(
            "considered",
            "integer",
            "Tell the answer, too, and what became of the best N that match, and why",
            metavar="N",
            maximum=2000,
        ),
        Parameter("receipts", "path", "List and replay what 'serve --receipts' wrote to this folder", metavar="DIR"),
        Parameter("client", "text", "Of those, only of clients whose name holds this", metavar="TEXT"),
        Parameter("query", "text", "Only where the query holds this", metavar="TEXT"),
        Parameter("since", "text", "Only from this day or time on", metavar="TIME"),
        Parameter("limit", "integer", "Most calls to list, the latest (default: 100)", metavar="N", maximum=_MOST),
        Parameter("skip", "integer", "Leave out the N latest calls", metavar="N", maximum=_MOST),
        Parameter("listed_only", "flag", "Replay what is listed alone, not all"),
        Parameter("now", "flag", "Ask the caches of those names as they are now: would the same be given?"),
    ),
    run="holdfast.caches.search_answers:replay",
    view="holdfast.caches.search_views:replayed",
    variants=(
        Variant(
            "receipts",
            "holdfast.caches.audit_answers:audit",
            "holdfast.caches.views:audited",
            takes=("client", "query", "since", "limit", "skip", "listed_only", "now", "html"),
        ),
    ),
)
