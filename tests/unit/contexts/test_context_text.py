"""Editing a context's text: what is not meant to change does not, to the byte."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.contexts.context_text import (
    edited,
    field_digest,
    machine_fields,
    new_text,
    quoted,
    replaced_field,
    without_long_lists,
)
from holdfast.contexts.on_disk.directory_view import parse_context
from holdfast.core.errors import ContextCorrupt, UnsupportedVersion
from holdfast.core.yaml_text import parse

CONTEXT: dict[str, Any] = {
    "version": 1,
    "scope": "lib",
    "fingerprint": "00000000",
    "last_updated": "2026-01-02T03:04:05Z",
    "summary": "Plumbing.",
    "maintenance": "Renew it.",
    "exports": ["a()", "b()"],
    "derived_fields": ["version", "summary", "exports"],
}
HAND_MADE = """\
# at the very top

version: 1
scope: lib   # where
fingerprint: "00000000"  # do not touch
last_updated: "2026-01-02T03:04:05Z"
# why the summary is so short
summary: >
  Plumbing
  and pipes.

decisions:
  # agreed in spring
  - what: 'No threads'   # really
    why: "Simple"
exports:
  - "a()"
  # the important one
  - "b()"  # see decisions
maintenance: Renew it.
derived_fields: [version, exports]
# at the very end
"""


def test_a_new_context_reads_back_as_itself() -> None:
    assert parse(new_text(CONTEXT).encode()) == CONTEXT


def test_only_the_changed_lines_change_and_their_comments_stay() -> None:
    changes = {"fingerprint": "11111111", "last_updated": "2027-01-01T00:00:00Z"}
    expected = HAND_MADE.replace('"00000000"', '"11111111"').replace('"2026-01-02T03:04:05Z"', '"2027-01-01T00:00:00Z"')
    assert edited(HAND_MADE, changes) == expected


def test_comments_inside_a_renewed_list_stay_with_their_items() -> None:
    result = edited(HAND_MADE, {"exports": ["b()", "c()"], "derived_fields": ["version", "exports"]})
    block = result.partition("exports:\n")[2].partition("maintenance")[0]
    assert block == '  # the important one\n  - "b()"  # see decisions\n  - "c()"\n'


def test_a_comment_whose_line_is_gone_moves_to_the_top_of_its_field() -> None:
    block = edited(HAND_MADE, {"exports": ["a()"]}).partition("exports:\n")[2].partition("maintenance")[0]
    assert block == '  # the important one\n  - "a()"\n'


def test_a_removed_field_leaves_the_comment_above_it() -> None:
    without = edited("# about it\nversion: 1\n# why\ntodos:\n  - x\nscope: a\n", {"todos": None})
    assert without == "# about it\n# why\nversion: 1\nscope: a\n"


def test_a_new_field_goes_where_the_order_of_fields_puts_it() -> None:
    assert edited("version: 1\nscope: a\nmaintenance: m\n", {"files": [{"name": "a", "purpose": "b"}]}).startswith(
        'version: 1\nscope: a\nfiles:\n  - name: "a"\n    purpose: "b"\nmaintenance: m\n'
    )


def test_windows_line_ends_stay_windows_line_ends() -> None:
    text = edited("version: 1\r\nfingerprint: a  # x\r\nscope: b\r\n", {"fingerprint": "c"})
    assert text == 'version: 1\r\nfingerprint: "c"  # x\r\nscope: b\r\n'


@pytest.mark.parametrize("ends", ["\r"], ids=ascii)
def test_every_end_of_a_line_that_yaml_knows_is_one(ends: str) -> None:
    text = f"version: 1\nscope: a{ends}# kept\nfingerprint: b\nsummary: c{ends}  d\n"
    assert edited(text, {"fingerprint": "e"}) == text.replace("fingerprint: b", 'fingerprint: "e"')
    assert replaced_field(text, "summary", "summary: f\n") == text[: text.index("summary")] + "summary: f\n"


@pytest.mark.parametrize("inside", ["\x85", "\u2028", "\u2029"], ids=ascii)
def test_what_ended_a_line_only_in_earlier_yaml_stays_where_it_is(inside: str) -> None:
    text = f"version: 1\nscope: a{inside}# kept\nfingerprint: b\nsummary: c{inside}  d\n"
    assert edited(text, {"fingerprint": "e"}) == text.replace("fingerprint: b", 'fingerprint: "e"')
    assert replaced_field(text, "summary", "summary: f\n") == text[: text.index("summary")] + "summary: f\n"


def test_what_this_release_does_not_know_is_kept_when_its_field_is_written_anew() -> None:
    text = "version: 1\ndecisions: [{what: a, why: b, alternatives: [c, {d: 1}]}]\nx-owner: {team: pipes}\nscope: a\n"
    after = edited(text, {"decisions": [{"what": "a", "why": "z", "alternatives": ["c", {"d": 1}], "odd key": None}]})
    assert parse(after.encode()) == {
        "version": 1,
        "decisions": [{"what": "a", "why": "z", "alternatives": ["c", {"d": 1}], "odd key": None}],
        "x-owner": {"team": "pipes"},
        "scope": "a",
    }
    flow = edited('{"version": 1, "x-owner": {"team": "pipes"}, "scope": "a"}\n', {"scope": "b"})
    assert parse(flow.encode()) == {"version": 1, "x-owner": {"team": "pipes"}, "scope": "b"}


def test_a_flow_mapping_is_written_anew_with_all_its_fields() -> None:
    text = edited('{"version": 1, "scope": "a", "fingerprint": "b"}\n', {"fingerprint": "c"})
    assert parse(text.encode()) == {"version": 1, "scope": "a", "fingerprint": "c"}


def test_an_edited_field_is_no_longer_the_machines() -> None:
    text = new_text(CONTEXT)
    by_hand = text.replace('"Plumbing."', '"Pipes."')
    assert machine_fields(parse(text.encode()), text) == {"summary", "exports"}
    assert machine_fields(parse(by_hand.encode()), by_hand) == {"exports"}


def test_a_new_fingerprint_does_not_make_an_edit_look_like_the_machines() -> None:
    by_hand = new_text(CONTEXT).replace('"Plumbing."', '"Pipes."')
    renewed = edited(by_hand, {"fingerprint": "11111111"})
    assert (renewed, machine_fields(parse(renewed.encode()), renewed)) == (
        by_hand.replace("00000000", "11111111"),
        {"exports"},
    )


def test_without_digests_derived_fields_is_believed_but_for_the_summary() -> None:
    assert machine_fields(CONTEXT, "no digests here") == {"exports"}


def test_one_setting_is_replaced_and_the_rest_stays() -> None:
    text = "# mine\nmax_depth: 3  # shallow\nignore:\n  - a\n"
    assert replaced_field(text, "max_depth", "max_depth: 4\n") == "# mine\nmax_depth: 4  # shallow\nignore:\n  - a\n"
    assert replaced_field(text, "mode", "mode: full\n") == text + "mode: full\n"


def test_a_field_that_others_refer_to_is_not_lost_with_its_anchor() -> None:
    text = "version: 1\nscope: a\ntodos: &shared\n  - x\nconstraints: *shared\n"
    assert parse(edited(text, {"todos": ["y"]}).encode()) == {
        "version": 1,
        "scope": "a",
        "todos": ["y"],
        "constraints": ["x"],
    }


def test_what_has_no_utf_8_form_is_written_as_a_replacement() -> None:
    assert quoted("a\udcff") == '"a\ufffd"'


@given(st.text())
def test_any_text_survives_being_quoted(text: str) -> None:
    assert parse(f"key: {quoted(text)}\n".encode()) == {"key": text}


@given(st.lists(st.text(max_size=5), max_size=4), st.lists(st.text(max_size=5), max_size=4))
def test_editing_gives_the_value_that_was_asked_for(before: list[str], after: list[str]) -> None:
    text = new_text({**CONTEXT, "exports": before})
    assert parse(edited(text, {"exports": after}).encode()) == {**CONTEXT, "exports": after}


def test_a_digest_tells_values_apart() -> None:
    assert field_digest(["a"]) != field_digest(["b"])


def _with_summary(written: str) -> str:
    """A context whose summary is written in some way."""
    return HAND_MADE.replace("summary: >\n  Plumbing\n  and pipes.\n", f"summary: {written}\n")


@pytest.mark.parametrize(
    ("written", "comment"),
    [
        ('"a # b"  # kept', "  # kept"),
        ('"a \\" # b"\t# kept', "\t# kept"),
        ('"a \\\\" # kept', " # kept"),
        ("'a # b'  # kept", "  # kept"),
        ("'it''s # one'  # kept", "  # kept"),
        ("'''#' # kept", " # kept"),
        ("it's # kept", " # kept"),
        ("a#b  # kept # whole", "  # kept # whole"),
        ('"a # b"', ""),
        ("'it''s # one'", ""),
        ("a#b", ""),
    ],
)
def test_a_comment_behind_a_value_stays_whatever_the_value_was(written: str, comment: str) -> None:
    after = edited(_with_summary(written), {"summary": "New."})
    lines = [line for line in after.splitlines(keepends=True) if not line.startswith("# derived: ")]
    assert "".join(lines) == _with_summary(f'"New."{comment}')


@pytest.mark.parametrize("item", ['"a() # no comment"', '"\\" # none"', '"# none"'])
def test_a_comment_behind_an_item_stays_with_it(item: str) -> None:
    value = parse(item.encode())
    before = HAND_MADE.replace('  - "a()"\n', f"  - {item}  # see # below\n")
    after = edited(before, {"exports": ["new()", value, "b()"]})
    assert f'  - "new()"\n  - {item}  # see # below\n' in after


@pytest.mark.parametrize("key", ['"summary"', "'summary'", "summary "])
def test_a_key_may_be_quoted_or_stand_apart_from_its_colon(key: str) -> None:
    before = _with_summary("Old. # kept").replace("summary:", f"{key}:")
    after = edited(before, {"fingerprint": "11111111"})
    assert after == before.replace('"00000000"', '"11111111"')


FLOW = """\
{
version: 1, scope: lib,
fingerprint: "00000000", last_updated: "2026-01-02T03:04:05Z",
summary: "Plumbing, # really",
maintenance: Renew it. }
"""


def test_a_flow_mapping_over_several_lines_means_what_it_should_after_an_edit() -> None:
    values = parse(FLOW.encode())
    after = edited(FLOW, {"summary": "New.", "exports": ["a()"]})
    assert parse(after.encode()) == {**values, "summary": "New.", "exports": ["a()"]}


def test_a_flow_mapping_with_a_line_for_each_key_means_what_it_should_after_an_edit() -> None:
    text = FLOW.replace("version: 1, scope", "version: 1,\nscope").replace('"00000000", last', '"00000000",\nlast')
    after = edited(text, {"summary": "New."})
    assert parse(after.encode()) == {**parse(text.encode()), "summary": "New."}


LISTS = {
    "files": [{"name": "a.py", "purpose": "One."}, {"name": "b.py", "purpose": 'Two "b".', "test_file": "test_b.py"}],
    "interfaces": [{"name": "a.py: f()", "description": "A\\b."}],
}
TROUBLE = (
    *(
        "exports:",
        '  - "more"',
        "  - 'more'",
        "  - &anchor x",
        "  - *anchor",
        '"x"',
        "  ",
        "---",
        "...",
        "# words",
        " # in",
    ),
    *("summary: [", "]", "summary: >", "summary: 'open", "'", 'summary: "open', '"', "version: 2", "x-more: {", "}"),
    *(
        '  - name: "c.py"',
        '    purpose: "No.\\t"',
        '    name: "again"',
        "files: []",
        "extra: 1",
        "\t- x",
        "scope: !!str 1",
    ),
)


def outcome(data: bytes) -> object:
    try:
        return {
            name: part for name, part in parse_context(data).items() if name not in ("files", "interfaces", "exports")
        }
    except (ContextCorrupt, UnsupportedVersion) as error:
        return repr(error)


class TestWithoutLongLists:
    """Parsing the rest gives every other field as parsing the whole does."""

    def test_lists_as_they_were_written_are_emptied(self) -> None:
        short = without_long_lists(new_text({**CONTEXT, **LISTS}).encode())
        assert all(f"\n{name}: []\n".encode() in short for name in ("files", "interfaces", "exports"))

    @given(
        st.lists(st.tuples(st.integers(0, 40), st.booleans(), st.sampled_from(TROUBLE)), max_size=3),
        st.text(max_size=5),
    )
    def test_a_context_with_any_lines_put_in_means_the_same(
        self, lines: list[tuple[int, bool, str]], name: str
    ) -> None:
        rows = new_text({**CONTEXT, **LISTS, "exports": [name, "b"]}).splitlines()
        for at, replaces, row in lines:
            rows[at : at + replaces] = [row]
        data = "\n".join([*rows, ""]).encode()
        assert outcome(without_long_lists(data)) == outcome(data)
