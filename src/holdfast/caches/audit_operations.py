"""What can be done with receipts, declared for both doors: one run again, and all that servers kept."""

from __future__ import annotations

from holdfast.core.errors import CacheMissing
from holdfast.operation import Operation, Parameter

_MOST = 1_000_000

AUDIT_OPERATIONS = (
    Operation(
        family="caches",
        command=("replay",),
        summary="Run a search again from its receipt; exit 9 and the differences when the answer changed.",
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
            Parameter("html", "path", "Write a page that explains the answer of now here", metavar="FILE"),
            Parameter(
                "considered",
                "integer",
                "Tell the answer, too, and what became of the best N that match, and why",
                metavar="N",
                maximum=2000,
            ),
        ),
        run="holdfast.caches.search_answers:replay",
        view="holdfast.caches.search_views:replayed",
    ),
    Operation(
        family="caches",
        command=("audit",),
        summary="List what servers answered, by time, client and query, and replay all of it; exit 9 when any changed.",
        parameters=(
            Parameter("directory", "path", "What 'context serve --receipts' wrote to", True, "DIR", positional=True),
            Parameter("client", "text", "Only of clients whose name holds this", metavar="TEXT"),
            Parameter("query", "text", "Only where the query holds this", metavar="TEXT"),
            Parameter("since", "text", "Only from this day or time on", metavar="TIME"),
            Parameter("limit", "integer", "Most calls to list, the latest (default: 100)", metavar="N", maximum=_MOST),
            Parameter("skip", "integer", "Leave out the N latest calls", metavar="N", maximum=_MOST),
            Parameter("listed_only", "flag", "Replay what is listed alone, not all"),
            Parameter("now", "flag", "Ask the caches of those names as they are now: would the same be given?"),
            Parameter("html", "path", "Write a page of it here", metavar="FILE"),
        ),
        run="holdfast.caches.audit_answers:audit",
        view="holdfast.caches.views:audited",
    ),
)
