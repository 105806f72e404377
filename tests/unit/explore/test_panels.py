"""The panels of the explorer, as values in and HTML out."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from holdfast.explore.cache_panel import caches_panel, search_panel
from holdfast.explore.overview_panel import overview_panel
from holdfast.explore.project_look import Found, LookedAtReceipt, ReceiptsLook
from holdfast.explore.receipt_panel import receipts_panel
from holdfast.explore.savings_panel import savings_panel
from holdfast.explore.spec_panel import specs_panel
from holdfast.explore.tree_panel import directory_panel, freshness, tree_panel

HOSTILE = '<script>alert(1)</script>" onload="x'
NOTHING = Found(None, "it is not there")


class Tags(HTMLParser):
    """The tags of a page, and whether every one that was opened is closed in its order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.attributes: set[str] = set()
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("input", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def harmless(html: str) -> str:
    """The page, once it is well formed and has nothing that a name brought along."""
    tags = Tags(html)
    assert "script" not in tags.seen
    assert not [name for name in tags.attributes if name.startswith("on")]
    return html


def cache(name: str, documents: int = 3, *, valid: bool = True) -> tuple[str, Found]:
    version = "sha256:" + "a" * 64
    told = {"cache_version": version, "document_count": documents, "total_bytes": 10, "valid": valid}
    return name, Found(told)


def entry(scope: str, state: str, **more: Any) -> dict[str, Any]:
    return {"scope": scope, "state": state, "has_context": state != "missing", "summary": HOSTILE, **more}


def listing(*entries: dict[str, Any]) -> Found:
    return Found({"root": "/p", "total_directories": len(entries), "entries": list(entries)})


def receipt(state: str, written: float, **more: Any) -> LookedAtReceipt:
    return LookedAtReceipt(**{"name": "a" * 64 + ".json", "written": written, "query": HOSTILE, "state": state,
                              "problem": "", "differences": [], **more})  # fmt: skip


def test_caches_are_drawn_by_one_measure_and_say_how_they_stand() -> None:
    sync = Found({"caches": [{"name": HOSTILE, "in_step": False, "reasons": [f"changed: {HOSTILE}"]},
                             {"name": "new", "in_step": False, "reasons": ["not built"]}]})  # fmt: skip
    html = harmless(
        caches_panel([cache(HOSTILE, 3), cache("big", 6), cache("bad", valid=False)], {"big": HOSTILE}, sync)
    )
    assert [word for word in ("behind its sources", "whole", "damaged", "not built") if word not in html] == []
    assert (
        'aria-label="3 documents"><rect class="track" width="100" height="4"/><rect class="fill" width="50.00"' in html
    )


def test_a_cache_that_went_away_meanwhile_says_so_and_the_others_are_shown() -> None:
    html = harmless(caches_panel([("gone", NOTHING), cache("docs")], {}, NOTHING))
    assert "it is not there" in html
    assert "whole" in html


def test_without_a_cache_the_page_says_what_to_run() -> None:
    assert "context add NAME PATH" in caches_panel([], {}, NOTHING)


def test_the_box_keeps_what_was_asked() -> None:
    html = harmless(search_panel([HOSTILE, "docs"], HOSTILE, "docs", 1500, NOTHING))
    assert 'value="&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&quot;x"' in html
    assert '<option value="docs" selected>' in html
    assert 'value="1500"' in html
    assert "it is not there" in html


def test_the_tree_nests_directories_and_counts_their_states() -> None:
    found = listing(
        entry(".", "fresh"),
        entry("src/a", "stale"),
        entry(f"src/{HOSTILE.replace('/', '')}", "missing", below={"fresh": 4}),
    )
    html = harmless(tree_panel(found))
    assert freshness(found.value) == [("fresh", 5, "good"), ("stale", 1, "near"), ("missing", 1, "bad")]
    assert html.count("<details") == 4  # `src` is on the way
    assert html.index('id="dir-."') < html.index('id="dir-src"') < html.index('id="dir-src/a"')
    assert "directory?scope=src/a" in html
    assert "and below: 4 fresh" in html
    assert "directory?scope=%FFodd" in tree_panel(listing(entry("\udcffodd", "fresh")))


def test_notes_are_shown_whatever_their_shape() -> None:
    context = {
        "version": 1,
        "fingerprint": "ffffffff",
        "last_updated": "2026-01-02",
        "summary": HOSTILE,
        "constraints": [HOSTILE],
        "decisions": [{"what": HOSTILE, "why": "because"}, {}],
        "current_state": {"working": ["all"], "broken": []},
        "odd": [[1, {"a": None}]],
        "todos": [],
        "derived_fields": ["summary", "made"],
        "made": "from source",
    }
    html = harmless(directory_panel("src", Found({"context": context})))
    kept = harmless(tree_panel(listing(entry("src", "fresh")), notes=lambda _: Found({"context": context})))
    assert ("from source" in html, "from source" in kept, "because" in kept) == (True, False, True)
    assert "ffffffff" not in html
    assert "todos" not in html
    assert "because" in html
    assert "it is not there" in directory_panel("src", NOTHING)


def test_receipts_stand_on_a_line_of_time_in_shapes_of_their_states() -> None:
    differences = [
        {"what": "budget", "recorded": 1, "now": None},
        {"what": HOSTILE, "recorded": {"score": 5}, "now": HOSTILE},
    ]
    differs = receipt("differs", 200, differences=differences)
    look = ReceiptsLook([receipt("same", 100), differs, receipt("unknown", 300, query="", problem=HOSTILE)], 9, "d")
    html = harmless(receipts_panel(Found(look)))
    assert [html.count(mark) for mark in ("<circle", "<polygon", 'cx="14.0"', "2 differences")] == [1, 1, 1, 1]
    assert "The last 3 of 9 receipts" in html
    assert 'cx="500.0"' in receipts_panel(Found(ReceiptsLook([receipt("same", 5)], 1, "d")))
    assert "There are no receipts in" in receipts_panel(Found(ReceiptsLook([], 0, HOSTILE)))
    assert "it is not there" in receipts_panel(NOTHING)


def test_savings_pair_what_was_given_with_what_it_stood_for_and_say_what_is_left_out() -> None:
    searches = {"counted": 2, "answer_tokens": 10, "document_tokens": 40}
    contexts = {"contexts": 1, "context_tokens": 5, "source_tokens": 50}
    tools = [{"tool": "t", "answers": 1, "answer_tokens": 1, "behind_tokens": None}]
    value = {"given_tokens": 10, "behind_tokens": 40, "known_tokens": 7, "percent_saved": 75, "searches": searches,
             "contexts": contexts, "tools": tools, "not_observed": [HOSTILE]}  # fmt: skip
    html = harmless(savings_panel(Found(value)))
    assert "10 tokens were given for 40: 75 % were not sent." in html
    assert "7 tokens were known already" in html
    assert "Nothing was observed yet." in savings_panel(Found({**value, "percent_saved": None}))
    assert "75 %" in harmless(overview_panel([cache("a")], listing(), NOTHING, NOTHING, Found(value)))


def test_specs_stand_on_a_board_with_their_findings_below() -> None:
    spec = {
        "name": HOSTILE,
        "overallStatus": "implementing",
        "taskProgress": {"total": 4, "completed": 1},
        "documents": {"requirements": "approved", "design": "changed", "tasks": "missing"},
        "findings": {"errors": 1, "warnings": 0},
        "next": HOSTILE,
    }
    finding = {"file": HOSTILE, "line": 3, "rule": "r", "level": "error", "text": HOSTILE, "fix": "mend it"}
    why = {"name": HOSTILE, "phase": "design", "approved": False, "why": f"changed since: {HOSTILE}"}
    approvals = Found({"documents": [why, {**why, "approved": True, "why": None}]})
    html = harmless(specs_panel(Found({"folder": "f", "specs": [spec]}), approvals, Found({"findings": [finding]})))
    assert ("changed since" in html, 'aria-label="1 approved as they are, 1 not approved"' in html) == (True, True)
    assert [
        word for word in ("1 of 4 tasks", "requirements: approved", "1 error", "mend it", "line 3") if word not in html
    ] == []
    assert "has nothing to say" in specs_panel(
        Found({"folder": "f", "specs": [spec]}), NOTHING, Found({"findings": []})
    )
    assert "context spec init NAME" in specs_panel(Found({"folder": "f", "specs": []}), NOTHING, NOTHING)


def test_the_overview_draws_each_part_small_and_says_what_is_not_there_yet() -> None:
    board = Found({"specs": [{"taskProgress": {"total": 4, "completed": 1}, "findings": {"errors": 2}}]})
    receipts = Found(ReceiptsLook([receipt("same", 1)], 50, "d"))
    full = harmless(overview_panel([cache("a", 5)], listing(entry(".", "stale")), board, receipts, None))
    assert [
        word
        for word in ("5</p>", "1 stale", "2 errors found", "the last 1 of them", "Being added up")
        if word not in full
    ] == []
    empty = harmless(overview_panel([], listing(), NOTHING, NOTHING, NOTHING))
    assert empty.count('class="card"') == 5
    assert "<form" not in empty
