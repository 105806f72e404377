"""The benchmark of the field on a repository of four files: what counts as shown, and policies through their tools."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from benchmarks.agents.gold import Gold
from benchmarks.agents.product import Holdfast, entries_of, pointers
from benchmarks.agents.program import work
from benchmarks.agents.ripgrep import Ripgrep, WholeFiles
from benchmarks.agents.runs import GIVE_UP, Call, Project, Run, perform
from benchmarks.agents.table import as_text
from benchmarks.agents.tasks import KINDS, TASKS, Place, Repository, Task, read_repositories, read_tasks

FILES = {
    "docs/kettle.md": "# Kettle\n\nFill it.\n\n## Descale\n\nVinegar dissolves the lime of hard water quickly.\n",
    "docs/oven.md": "# Oven\n\nHeat it first.\n\n## Clean\n\nBurnt sugar comes off with soda.\n",
    "src/kettle.py": 'def descale_kettle():\n    """Dissolve lime."""\n    return "vinegar"\n',
    "src/kitchen.py": "from kettle import descale_kettle\n\n\ndef clean():\n    return descale_kettle()\n",
}
REPOSITORY = Repository("kitchen", "example/kitchen", "", ["docs"], ["src"], "")
DOCS_TASK = Task(
    "kitchen-1",
    "kitchen",
    "documentation",
    {"user": "white crust from hard water", "docs": "descale with vinegar"},
    [[Place("docs/kettle.md", 7, 7)]],
)
USES_TASK = Task(
    "kitchen-2",
    "kitchen",
    "who uses",
    {"user": "who calls descale_kettle", "docs": "callers of descale_kettle"},
    [[Place("src/kitchen.py", 5, 5)]],
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "kitchen"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q", folder], check=True)
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    return Project(REPOSITORY, folder)


def words(text: str) -> int:
    return len(text.split())


def outcomes(runs: list[Run]) -> list[tuple[str, bool]]:
    return [(run.wording, run.done) for run in runs]


def test_holdfast_shows_the_lines_of_a_documentation_task_twice_alike(project: Project, tmp_path: Path) -> None:
    first, listed = work(Holdfast(tmp_path / "home"), project, [DOCS_TASK], words)
    again, _ = work(Holdfast(tmp_path / "home"), project, [DOCS_TASK], words)
    assert outcomes(first) == [("user", True), ("docs", True)]
    assert first == again
    assert listed > 100


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
def test_ripgrep_and_whole_files_show_them_at_their_price(project: Project) -> None:
    searched, listed = work(Ripgrep(), project, [DOCS_TASK, USES_TASK], words)
    read, _ = work(WholeFiles(), project, [DOCS_TASK], words)
    assert [run.done for run in searched] == [True] * 4
    assert [run.done for run in read] == [True] * 2
    assert [run.calls for run in searched if run.task is USES_TASK] == [1, 1]
    assert listed == 0
    table = as_text({"ripgrep": searched, "whole files": read}, {"ripgrep": 0}, ["a peer: not installed"])
    assert "### documentation, in the documentation's words: 1 tasks" in table
    assert table.endswith("Not measured: a peer: not installed.")


def test_a_run_that_shows_nothing_counts_what_giving_up_costs(project: Project) -> None:
    class Silent:
        name, kinds = "silent", KINDS

        def open(self, project: Project) -> None: ...

        def tool_list(self) -> str:
            return ""

        def calls(self, task: Task, question: str) -> list[Call]:
            return [Call("look", "nothing")]

        def close(self) -> None: ...

    run = perform(Silent(), project, DOCS_TASK, "docs", words)  # type: ignore[arg-type]  # a list will do
    assert (run.done, run.calls, run.tokens) == (False, 1, GIVE_UP)


@pytest.mark.parametrize(
    ("kind", "arguments", "answer", "shown"),
    [
        ("documentation", "cat docs/kettle.md", "7: Vinegar dissolves the lime of hard water quickly.", True),
        ("documentation", "cat docs/kettle.md", "Vinegar dissolves the lime of hard water …", True),
        ("documentation", "cat docs/kettle.md", "Vinegar dissolves lime", False),
        ("documentation", "cat docs/oven.md", "Vinegar dissolves the lime of hard water quickly.", False),
        ("code", "cat docs/kettle.md", "Vinegar dissolves the lime of hard water …", False),
        ("code", "symbol lime", "docs/kettle.md: used at 7", False),
        ("who uses", "symbol lime", "docs/kettle.md: used at 7", True),
        (
            "code",
            "read",
            '{"path":"docs/kettle.md","text":"x\\nVinegar dissolves the lime of hard water quickly."}',
            True,
        ),
    ],
)
def test_a_line_is_shown_with_its_words_and_its_file(kind: str, arguments: str, answer: str, shown: bool) -> None:
    pages = {"docs/kettle.md": FILES["docs/kettle.md"].split("\n")}
    assert Gold(DOCS_TASK._replace(kind=kind), pages).see(arguments, answer) is shown


def test_lines_that_a_file_does_not_have_are_an_error() -> None:
    with pytest.raises(ValueError, match="is the commit the one of the tasks"):
        Gold(DOCS_TASK._replace(gold=[[Place("docs/kettle.md", 40, 40)]]), {"docs/kettle.md": ["# Kettle"]})


def test_pointers_are_places_that_can_be_read() -> None:
    answer = (
        "[1] a.md#L1-L2@0123456789ab\ntext\nMore, by context.read:\nb.md L7 One: words, L8 of it\n L9 Two; L12 Three\n"
    )
    assert pointers(answer) == ["b.md#L7", "b.md#L9", "b.md#L12"]


def test_entries_without_text_are_places_that_can_be_read() -> None:
    answer = (
        "2 of 3\n\n[1] a.py#L1-L9@0123456789ab · fn a()\n[2] #L11-L12@0123456789ac · fn b()\n(tests: t.py)\ntext\n"
        "[3] c.py#L3-L3@0123456789ad\nMore, by context.read:\nb.py L7 One\n"
    )
    assert entries_of(answer) == (
        ["a.py#L1-L9@0123456789ab", "a.py#L11-L12@0123456789ac", "c.py#L3-L3@0123456789ad"],
        ["a.py#L1", "c.py#L3"],
    )


def test_the_tasks_are_whole() -> None:
    repositories = read_repositories()
    tasks = [task for repository in repositories for task in read_tasks(repository.name)]
    assert len(repositories) >= 8
    assert len(tasks) >= 120
    assert len({task.id for task in tasks}) == len(tasks)
    assert {task.kind for task in tasks} == set(KINDS)
    assert all(task.gold and all(task.gold) and all(task.questions.values()) for task in tasks)
    halves = [task.half for task in tasks]
    assert abs(halves.count("development") - halves.count("held-out")) < len(tasks) // 5
    assert {path.stem for path in TASKS.glob("*.jsonl")} == set(json.loads((TASKS / "repositories.json").read_text()))
