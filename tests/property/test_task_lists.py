"""Laws of task lists and addresses, for any text."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.offers import expand, match
from holdfast.specs.task_order import next_task
from holdfast.specs.tasks import Details, as_json, in_progress, parse
from holdfast.specs.white_space import WHITE_SPACE
from support.examples import examples

SPACE = f"[{re.escape(WHITE_SPACE)}]"
TEXT = "[^\n\r\u2028\u2029]"
CHECKBOX = re.compile(rf"{SPACE}*[-*]{SPACE}+\[([ xX-])\]")
ITEM = re.compile(rf"{SPACE}*[-*]{SPACE}+\[[ xX-]\]{SPACE}+({TEXT}+)")
NUMBERED = re.compile(rf"([0-9]+(?:\.[0-9]+)*){SPACE}*\\?\.?{SPACE}+({TEXT}+)")

lines = st.text(alphabet=st.sampled_from("-*[]xX.\\01 \t\r\u00a0\u2028\x1fa"), max_size=14)
items = st.builds("- [{}]{}".format, st.sampled_from(" xX-"), lines)
markdown = st.lists(
    st.one_of(
        items,
        lines,
        st.sampled_from(
            [
                *(
                    "- [ ] 1. a",
                    "  - File: a (b), c",
                    "_Requirements: 1, NFR_",
                    "_Leverage: x_",
                    "_Prompt: Role: a | b",
                ),
                *("more_", "", "- Purpose: p", "```", "~~~", "<!--", "-->", "x <!-- y", "- [?] z", "\ufeff- [-] 2 b"),
            ]
        ),
    ),
    max_size=12,
).map("\n".join)


class TestTheRuleForATaskLine:
    """A task is a checkbox line followed by white space and a number, optional white space, an optional backslash, an
    optional dot, at least one white space, and a description."""

    @settings(max_examples=examples(2000))
    @given(st.one_of(items, lines))
    @example("- [ ] 1 .")
    @example("- [ ] 0 . ")
    @example("- [ ] 0 \\. ")
    @example("- [ ] 1.  \r")
    @example("- [ ] 1 \\. x")
    def test_it_reads_as_an_expression(self, line: str) -> None:
        if "```" in line or "~~~" in line:
            return
        item = ITEM.match(line)
        numbered = NUMBERED.match(item[1]) if item else None
        found = [(task.id, task.description) for task in parse(line).tasks]
        assert found == ([(numbered[1], numbered[2])] if numbered else [])


class TestAnyText:
    @settings(max_examples=examples(500))
    @given(st.one_of(markdown, st.text()))
    def test_counts_add_up_and_what_is_next_is_among_the_tasks(self, text: str) -> None:
        tasks, progress, *_ = parse(text)
        begun = sum(task.status == "in-progress" for task in tasks)
        assert progress == (len(tasks), progress.completed, len(tasks) - begun - progress.completed)
        assert {next_task(tasks), in_progress(tasks)} <= {None, *tasks}
        assert (next_task(tasks) is None) == (progress.completed == progress.total)
        assert all(as_json(task)["isHeader"] == (task.details == Details()) for task in tasks)

    @given(markdown)
    def test_a_fence_around_it_leaves_no_task(self, text: str) -> None:
        fence = "`" * 20
        assert parse(f"{fence}\n{text}\n{fence}\n").tasks == ()

    @given(markdown)
    def test_a_task_before_it_is_always_found(self, text: str) -> None:
        assert parse(f"- [x] 0. first\n{text}").tasks[0].id == "0"

    @given(markdown)
    def test_crlf_line_ends_change_no_task(self, text: str) -> None:
        if "\r" in text:
            return
        unix, dos = parse(text).tasks, parse(text.replace("\n", "\r\n")).tasks
        assert [task._replace(description="") for task in dos] == [task._replace(description="") for task in unix]


class TestAddresses:
    @given(st.text(min_size=1).filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text)))
    def test_a_name_in_an_address_comes_back(self, name: str) -> None:
        uri = expand("context://spec/{name}/{phase}", {"name": name, "phase": "tasks"})
        assert uri.isascii()
        assert match("context://spec/{name}/{phase}", uri) == {"name": name, "phase": "tasks"}

    @given(st.text())
    def test_any_text_is_an_address_or_not(self, text: str) -> None:
        found = match("context://steering/{doc}", "context://steering/" + text)
        assert found is None or found["doc"]
