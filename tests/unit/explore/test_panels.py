"""The panels of the explorer, as values in and HTML out."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from holdfast.caches.search.audit_page import audit_page
from holdfast.explore.panels import (
    caches_panel,
    overview_panel,
    receipt_panel,
    receipts_panel,
    savings_panel,
    search_panel,
    specs_panel,
)
from holdfast.explore.project_look import Found
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


def call(state: str, at: str = "2026-11-17T09:30:00.000Z", **more: Any) -> dict[str, Any]:
    told = {"at": at, "client": HOSTILE, "query": HOSTILE, "cache": HOSTILE, "budget": 2000, "sections": 3}
    return {**told, "given": [HOSTILE], "receipt": "sha256:" + "a" * 64, "state": state, **more}


def audit(*listed: dict[str, Any], **more: Any) -> Found:
    counts = dict.fromkeys(("ahead", "same", "changed", "cache_gone", "altered", "passed_over"), 0)
    told = {"calls": len(listed), "clients": [HOSTILE], "receipts": len(listed), "replayed": len(listed)}
    return Found({**told, **counts, "listed": listed, "differing": [], **more})


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
    html = harmless(search_panel([HOSTILE, "docs"], HOSTILE, "docs", "1500", NOTHING))
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
    assert freshness(found.value) == [("fresh", 5, "good"), ("stale", 1, "near"), ("missing", 1, "none")]
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


def test_calls_stand_on_a_line_of_time_in_shapes_of_their_states() -> None:
    differences = [
        {"what": "budget", "recorded": 1, "now": None},
        {"what": HOSTILE, "recorded": {"score": 5}, "now": HOSTILE},
    ]
    other = "sha256:" + "b" * 64
    differs = {"receipt": other, "state": "changed", "query": HOSTILE, "now": "", "reason": HOSTILE}
    found = audit(
        *(call("same"), call("changed", "2026-11-17T09:40:00.000Z", receipt=other)),
        *(call("cache gone", "2026-11-17T09:50:00.000Z"), call("altered", query="", client="", given=[], budget=0)),
        calls=9,
        ahead=1,
        cache_gone=1,
        differing=[{**differs, "differences": differences, "differences_more": 4}],
    )
    html = harmless(receipts_panel(found, "d", {}))
    marks = ("<circle", "<polygon", 'cx="14.0"', "6 differences", "and 2 more", "3 sections given")
    assert [html.count(mark) for mark in marks] == [1, 1, 1, 1, 3, 3]
    told = ("The latest 4 of 9 calls", "1 call is dated later than now", "an unnamed client", "by 1 client")
    assert [words for words in told if words not in html] == []
    rows = html[html.index("<ol") :]
    assert rows.index("nothing that can be read") < rows.index("09:50") < rows.index("09:40")
    assert 'cx="500.0"' in receipts_panel(audit(call("same")), "d", {})
    assert "There are no receipts in" in harmless(receipts_panel(audit(), HOSTILE, {}))
    assert "it is not there" in receipts_panel(NOTHING, "d", {})


def test_each_call_leads_to_its_reasons_where_its_answer_can_be_given_again() -> None:
    found = audit(call("same"), call("altered"), call("same", receipt='sha256:" onload="x'))
    html = harmless(receipts_panel(found, "d", {}))
    assert html.count('href="receipt?id=' + "a" * 64 + '"') == 1
    assert "href=" not in harmless(receipts_panel(found, "d", {}, with_links=False))


def test_many_calls_are_on_pages_that_keep_what_was_looked_for() -> None:
    given = {"client": HOSTILE, "query": "\udcff", "since": ""}
    html = harmless(receipts_panel(audit(call("same"), calls=200, passed_over=100), "d", given))
    assert "Calls 101 to 101 of 200" in html
    assert (
        'href="receipts?client=%3Cscript%3Ealert%281%29%3C%2Fscript%3E%22+onload%3D%22x&amp;query=%FF&amp;skip=50"'
        in html
    )
    assert "skip=150" in html
    assert "No calls are kept there that match." in receipts_panel(audit(), "d", given)
    assert "<form" not in receipts_panel(audit(call("same")), "d", {}, with_links=False)


def test_the_page_of_an_audit_names_what_differs_first() -> None:
    reasons = {"now": "", "reason": "its hash does not match", "differences": [], "differences_more": 0}
    differing = [{"receipt": "sha256:" + "b" * 64, "state": "altered", "query": HOSTILE, **reasons}]
    page = audit_page("p{}", audit(call("same"), call("altered"), differing=differing, altered=1).value)
    body = harmless(page[page.index("<main") : page.index("</main>") + 7])
    assert body.index("1 receipt differs") < body.index("its hash does not match") < body.index("2 calls</h2>")
    assert "No calls are kept" in audit_page("p{}", audit().value)


def test_a_receipt_that_went_away_says_so_and_leads_back() -> None:
    assert "it is not there" in harmless(receipt_panel(NOTHING))
    assert 'href="receipts"' in receipt_panel(NOTHING)


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
    calls = audit(call("same"), calls=60, receipts=50)
    full = harmless(overview_panel([cache("a", 5)], listing(entry(".", "stale")), board, calls, None))
    assert [
        word
        for word in ("5</p>", "1 stale", "2 errors found", "50 receipts, 1 of them run again", "Being added up")
        if word not in full
    ] == []
    empty = harmless(overview_panel([], listing(), NOTHING, NOTHING, NOTHING))
    assert empty.count('class="card"') == 5
    assert "<form" not in empty
