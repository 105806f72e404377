"""Claims: what people wrote, what each is about, and when that may have become false."""

from __future__ import annotations

from holdfast.contexts.claims import (
    Change,
    changes,
    claim_lines,
    claims_fingerprint,
    claims_of,
    named_subjects,
    recorded_claims,
    with_claim_lines,
)

CONTEXT = {
    "summary": "Sells things.",
    "decisions": [{"what": "One shop", "why": "Simple", "about": ["shop.py"]}],
    "constraints": ["no threads", "close() ends it"],
    "exports": ["go()"],
    "x-about": {"constraints": ["./db"]},
}


def test_what_people_wrote_is_claimed_with_the_subjects_it_names() -> None:
    assert [(one.field, one.text, one.about) for one in claims_of(CONTEXT, [])] == [
        ("summary", "Sells things.", ()),
        ("decisions", "One shop — Simple", ("shop.py",)),
        ("constraints", "no threads", ("./db",)),
        ("constraints", "close() ends it", ("./db",)),
    ]


def test_a_draft_claims_nothing() -> None:
    assert [one.field for one in claims_of(CONTEXT, ["summary", "decisions"])] == ["constraints", "constraints"]


def test_a_text_names_what_is_quoted_and_what_no_word_of_prose_looks_like() -> None:
    names = {"open", "close", "read_all", "Session.close", "FileReader", "core/paths.py", "The"}
    text = "The `open` of a FileReader must not close before read_all() or Session.close. See core/paths.py: Core."

    assert named_subjects(text, lambda word: word if word in names else "") == [
        "open",
        "FileReader",
        "read_all",
        "Session.close",
        "core/paths.py",
    ]


def test_records_are_read_as_they_were_written_and_every_other_line_stays() -> None:
    claims = claims_of(CONTEXT, [])
    recorded = {one.digest: {"a b=%.py": "p12345678", "close": "12345678.87654321"} for one in claims[:3]}
    text = "summary: x\n# mine\n"
    made = with_claim_lines(text, claim_lines(recorded, claims))

    assert recorded_claims(made) == recorded
    assert with_claim_lines(made, "") == text
    assert with_claim_lines(made, claim_lines(recorded, claims)) == made
    assert recorded_claims(text) is None


def test_the_fingerprint_covers_the_scope_and_the_subjects_and_not_the_words() -> None:
    one, other = {"aa": {"close": "1.2"}}, {"bb": {"close": "1.2"}}
    assert claims_fingerprint("src", one) == claims_fingerprint("src", other)
    assert len({claims_fingerprint(scope, one) for scope in ("src", "lib")}) == 2
    assert claims_fingerprint("src", {"aa": {"close": "1.3"}}) != claims_fingerprint("src", one)


def test_each_change_is_named() -> None:
    claim = claims_of(CONTEXT, [])[0]
    before = {"a": "1.2", "b": "1.2", "c": "1.2", "d": "p1", "e": "c1", "f": "gone", "g": "?", "h": "1.2"}
    after = {"a": "3.2", "b": "1.3", "c": "gone", "d": "p2", "e": "c2", "f": "1.1", "g": "1.1", "h": "?"}
    found = changes([claim], {claim.digest: before}, {claim.digest: after})

    assert [(one.subject, one.change) for one in found] == [
        ("a", "signature changed"),
        ("b", "body changed"),
        ("c", "gone"),
        ("d", "public symbols changed"),
        ("e", "content changed"),
        ("f", "there again"),
    ]
    assert str(Change(claim, "a.close", "gone")) == "a.close: gone (summary: Sells things.)"
