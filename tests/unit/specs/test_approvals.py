"""Approvals bound to bytes: what keeps one, what voids it, and a file that was touched."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.specs.approvals import (
    Approval,
    ApprovalsBroken,
    approve,
    changed_lines,
    line_digests,
    normalized,
    read,
    read_list,
    standing,
    written,
)
from holdfast.specs.layouts import KIRO_TASKS, NUMBERED

NAMES = {"requirements": "requirements.md", "design": "design.md", "tasks": "tasks.md"}
TEXTS = {"requirements": "one\ntwo\n", "design": "d\n", "tasks": "- [ ] 1. a\n"}


def approved(*phases: str, texts: dict[str, str] = TEXTS) -> list[Approval]:
    return [approve(phase, texts, "ann", "2026-01-01T00:00:00Z", "") for phase in phases]


def why_not(entries: list[Approval], phase: str, **changed: str) -> str:
    return standing(entries, phase, {**TEXTS, **changed}, NAMES).why_not


def test_it_holds_while_its_own_and_all_upstream_bytes_are_the_same() -> None:
    entries = approved("requirements", "design", "tasks")
    assert [why_not(entries, phase) for phase in NAMES] == ["", "", ""]
    assert why_not(entries, "requirements", design="other") == ""
    assert why_not(entries, "requirements", requirements="one\nthree\n") == (
        "requirements.md changed since ann approved it (L2)"
    )
    assert why_not(entries, "tasks", requirements="x") == "requirements.md changed since ann approved tasks.md"
    assert why_not([], "design") == "design.md is not approved"


def test_progress_keeps_an_approval_and_a_changed_task_voids_it() -> None:
    for box in " xX-":
        assert normalized(f"- [{box}] 1. a\r\n", "tasks", NUMBERED) == "- [ ] 1. a\n"
    assert normalized("- [x] 1. b\n", "tasks", NUMBERED) != "- [ ] 1. a\n"
    assert normalized("- [~] 1. a\n", "tasks", KIRO_TASKS) == "- [ ] 1. a\n"
    assert normalized("- [x] 1. a\n", "design", NUMBERED) == "- [x] 1. a\n"


@pytest.mark.parametrize(
    ("after", "lines"),
    [
        ("a\nb\nc\nd\nX\nf", "L5"),
        ("a\nX\nY\nd\ne\nf", "L2-L3"),
        ("a\nb\nnew\nc\nd\ne\nf", "L3"),
        ("a\nd\ne\nf", "lines removed after L1"),
        ("X\nb\nc\nd\ne\nY", "L1, L6"),
        ("a\nb\nc\nd\ne\nf\ng", "L7"),
    ],
)
def test_which_lines_changed_is_told(after: str, lines: str) -> None:
    assert changed_lines(line_digests("a\nb\nc\nd\ne\nf"), line_digests(after)) == lines


@settings(deadline=None)
@given(st.lists(st.sampled_from("abcd"), min_size=1), st.lists(st.sampled_from("abcd"), min_size=1))
def test_what_changed_is_told_for_any_two_texts(before: list[str], after: list[str]) -> None:
    told = changed_lines(line_digests("\n".join(before)), line_digests("\n".join(after)))
    assert bool(told) or before == after


def test_two_approvers_both_count_and_a_number_of_people_may_be_asked_for() -> None:
    (ann,) = approved("design")
    both = [ann, ann._replace(by="bob")]
    held = [standing([ann], "design", TEXTS, NAMES, 2), standing(both, "design", TEXTS, NAMES, 2)]
    assert [(each.holds, each.by, each.why_not) for each in held] == [
        (False, "ann", "design.md is approved by ann, and 2 people have to"),
        (True, "ann, bob", ""),
    ]
    assert len({entry.file for entry in both}) == 2


def test_a_revocation_voids_what_it_takes_back_until_it_is_approved_after_it() -> None:
    (ann,) = approved("design")
    gone = Approval("design", ann.sha256, {}, "bob", "later", is_revoked=True)
    again = approve("design", TEXTS, "ann", "last", "", [ann, gone])
    assert why_not([ann, gone], "design") == "bob took the approval of design.md back"
    assert (again.file, again.after, why_not([again, gone], "design")) == (ann.file, (gone.file,), "")
    assert why_not([again, gone, gone._replace(by="eve")], "design") == "eve took the approval of design.md back"


def test_an_approval_that_is_in_doubt_does_not_count() -> None:
    (ann,) = approved("design")
    doubted = ann._replace(by="eve", doubt="the approval by eve is not signed")
    assert (why_not([doubted], "design"), why_not([doubted, ann], "design")) == (doubted.doubt, "")


@pytest.mark.parametrize(
    "entry",
    [
        *approved("requirements", "design"),
        approved("design")[0]._replace(note="why", after=("a.json",), by="Ann Lee <ann@x>"),
        Approval("tasks", "0" * 64, {}, "bob", "later", "why not", is_revoked=True),
    ],
)
def test_a_file_is_canonical_is_named_by_what_it_says_and_reads_back(entry: Approval) -> None:
    data = written(entry)
    assert (read(data, entry.file), read(data.replace(b"\n", b"\r\n"), entry.file)) == (entry, entry)
    assert (data.count(b"\n"), set(entry.file) - set("abcdefghijklmnopqrstuvwxyz0123456789._-")) == (1, set())
    for changed in (data.replace(b'"at":', b'"at" :'), data.replace(b"later", b"never") + b" ", data[:-2], b"[]"):
        with pytest.raises(ApprovalsBroken):
            read(changed, entry.file)
    with pytest.raises(ApprovalsBroken, match="was renamed or edited"):
        read(data, entry.file.replace(".json", "2.json"))


def older(entries: list[Approval]) -> bytes:
    """The list that earlier releases wrote."""
    values, check = [], ""
    for entry in entries:
        said: dict[str, object] = {"phase": entry.phase, "sha256": entry.sha256, "upstream": dict(entry.upstream)}
        said |= {"by": entry.by, "at": entry.at, **({"note": entry.note} if entry.note else {}), "lines": entry.lines}
        if entry.is_revoked:
            said = {"phase": entry.phase, "revoked": True, "by": entry.by, "at": entry.at, "note": entry.note}
        text = json.dumps(said, separators=(",", ":"), ensure_ascii=False)
        check = sha256(f"{check}{text}".encode()).hexdigest()[:16]
        values.append({**said, "check": check})
    return json.dumps(values).encode()


def test_the_list_of_earlier_releases_gives_what_it_said_last() -> None:
    first, second = approved("requirements", "design")
    revoked = Approval("design", "", {}, "bob", "later", "why not", is_revoked=True)
    assert read_list(older([first, second])) == [first, second]
    assert read_list(older([first, second, revoked])) == [first, revoked]
    assert why_not([first, revoked], "design") == "bob took the approval of design.md back"


def altered(change: object) -> bytes:
    values = json.loads(older(approved("requirements", "design")))
    assert callable(change)
    return json.dumps(change(values)).encode()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{", "it is not JSON"),
        (b"<<<<<<< ours\n[]\n", "it is not JSON"),
        (b"\xff", "it is not JSON"),
        (b"{}", "it is no list"),
        (b"[1]", "entry 1 is no object"),
        (altered(lambda v: [{**v[0], "by": "eve"}, v[1]]), "entry 1 was edited"),
        (altered(lambda v: [{**v[0], "sha256": "0" * 64}, v[1]]), "entry 1 was edited"),
        (altered(lambda v: [v[1]]), "entry 1 was edited, or the one before it is gone"),
        (altered(lambda v: [v[1], v[0]]), "entry 1 was edited"),
        (altered(lambda v: [v[0], v[0]]), "entry 2 was edited"),
        (altered(lambda v: [{**v[0], "sha256": "nothing"}]), "entry 1 has a digest that is none"),
        (altered(lambda v: [{**v[0], "upstream": {"tasks": "0" * 64}}]), "entry 1 has a digest that is none"),
        (altered(lambda v: [{**v[0], "upstream": []}]), "entry 1 has a digest that is none"),
        (altered(lambda v: [{**v[0], "phase": "later"}]), "entry 1 names a phase that does not exist"),
        (altered(lambda v: [{**v[0], "phase": []}]), "entry 1 names a phase that does not exist"),
        (altered(lambda v: [{**v[0], "by": ""}]), "entry 1 does not say who"),
        (altered(lambda v: [{**v[0], "more": 1}]), "entry 1 has an unknown key, or lacks one: more"),
        (altered(lambda v: [{"phase": "design"}]), "entry 1 has an unknown key, or lacks one: sha256"),
        (older(approved("requirements", "requirements")), "entry 2 names requirements a second time"),
    ],
)
def test_a_list_that_was_touched_is_not_relied_on(data: bytes, reason: str) -> None:
    with pytest.raises(ApprovalsBroken, match=reason):
        read_list(data)


@settings(deadline=None)
@given(st.binary() | st.sampled_from([written(entry) for entry in approved("design")]))
def test_any_bytes_are_an_approval_or_are_refused(data: bytes) -> None:
    try:
        entry = read(data, approved("design")[0].file)
    except ApprovalsBroken:
        return
    assert read(written(entry), entry.file) == entry
