"""What the documentation shows is what happens: every block of commands is run, or says why it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.transcripts import ROOT, CommandFailed, documented, is_as_printed, renewed, steps, unchecked

PAGES = documented()
RUN = [page for page in PAGES if steps(page.read_text(encoding="utf-8"))]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", RUN, ids=name)
def test_the_commands_of_a_page_print_what_it_says(page: Path) -> None:
    """Not so? `./scripts/docs` renews what is printed."""
    text = page.read_text(encoding="utf-8")
    assert renewed(text) == text


def test_every_block_of_commands_is_run_or_says_why_not() -> None:
    found = {name(page): unchecked(page.read_text(encoding="utf-8")) for page in PAGES}
    assert {page: blocks for page, blocks in found.items() if blocks} == {}


PAGE = """# A page

```text title="greeting.txt"
hello
```

```console
$ cat greeting.txt
hello

$ cat <<EOF
> one
> EOF
one

$ mkdir inside && cd inside
$ basename "$PWD"
inside

$ false; echo "exit $?"
exit 1
```
"""


def test_a_page_that_is_current_stays_byte_for_byte() -> None:
    assert renewed(PAGE) == PAGE


def test_a_wrong_output_is_replaced_and_the_rest_of_the_page_stays() -> None:
    assert renewed(PAGE.replace("hello\n\n$", "hallo\n\n$") + "\nThe end.\n") == PAGE + "\nThe end.\n"


def test_a_command_that_fails_is_an_error_that_names_it() -> None:
    with pytest.raises(CommandFailed, match=r"^exit 3: exit 3\n"):
        renewed("```console\n$ exit 3\n```\n")


def test_dots_stand_for_any_lines_and_for_nothing_else() -> None:
    assert is_as_printed(("a", "…", "d"), ("a", "b", "c", "d"))
    assert is_as_printed(("…",), ())
    assert not is_as_printed(("a", "…", "d"), ("a", "b", "c"))
    assert not is_as_printed(("a.c",), ("abc",))


@pytest.mark.parametrize(
    ("page", "blocks"),
    [
        ("```console\n$ true\n```\n", []),
        ("```sh\ncontext list\n```\n", ["context list"]),
        ("```text\n$ context list\n```\n", ["$ context list"]),
        ("```console\ncontext list\n```\n", ["context list"]),
        ("Do:\n\n    context list\n\nThen\n", ["context list"]),
        ("<!-- not run: it needs npm -->\n\n```sh\nnpm ci\n```\n", []),
        ("<!-- not run: it needs npm -->\n\n    context list\n\nThen\n\n    pip install .\n", ["pip install ."]),
        ("```text\ncontext list [--root DIR]\n```\n", []),
        ("1. Do:\n\n   ```sh\n   context list\n   ```\n", ["```sh"]),
    ],
)
def test_blocks_that_are_neither_run_nor_excused_are_found(page: str, blocks: list[str]) -> None:
    assert unchecked(page) == blocks
