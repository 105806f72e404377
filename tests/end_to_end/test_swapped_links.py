"""A link that is swapped in during a call leads nowhere: without `--confine` too, for caches, scopes and specs.

The link takes the folder's place before any system call of the request, and gives it back before any later one: every
order there is, one after the other. Nothing that only stands outside may be in an answer.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import pytest

from holdfast import build_cache
from holdfast.catalog import find_tool
from holdfast.operation import answer
from holdfast.workspace import Workspace
from support.swapped_links import Interruptions, Swap, answers_under_swaps

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.rough

CONTEXT = """version: 1
scope: {scope}
fingerprint: "{fingerprint}"
last_updated: "{updated}"
summary: {word}
maintenance: {word}
"""
SECRET = "the-secret-outside"
LONGEST = 6


def make_project(root: Path, word: str, year: int, many: int) -> None:
    """A project in which everything that can be told differs by its word, its year and a number."""
    sources = root / "docs" / "deep"
    sources.mkdir(parents=True)
    for place, scope in ((root, "."), (root / "docs", "docs"), (sources, "docs/deep")):
        text = CONTEXT.format(scope=scope, fingerprint=f"{many:08x}", updated=f"{year}-01-01T00:00:00Z", word=word)
        (place / ".context.yaml").write_text(text, encoding="utf-8")
        (place / "a.py").write_text(f"'{word}'\n" * 2000, encoding="utf-8")
    for number in range(many):
        (sources / f"{number}.md").write_text(f"{word} {number}", encoding="utf-8")
    build_cache(sources, root / ".context" / "caches" / "built", created_at=f"{year}-01-01T00:00:00Z")
    spec = root / ".spec-context" / "specs" / "login"
    spec.mkdir(parents=True)
    for name in ("requirements", "design", "tasks"):
        tasks = "".join([f"- [x] {number}. {word}\n" for number in range(1, many + 1)])
        (spec / f"{name}.md").write_text(tasks, encoding="utf-8")
    moment = year - 1970
    for folder, _, names in os.walk(root, topdown=False):
        for name in (*names, "."):
            os.utime(os.path.join(folder, name), (moment * 31_557_600, moment * 31_557_600))


@pytest.fixture
def world(tmp_path: Path) -> Path:
    for name, word, year, many in (("inside", "harmless", 2021, 2), ("outside", SECRET, 2001, 7)):
        (tmp_path / name).mkdir()
        make_project(tmp_path / name, word, year, many)
    return tmp_path


RESOLVE = {"cache": "built", "query": "x", "budget": 999}
# The tool, what it is asked, and the folder that is swapped.
CASES: list[tuple[str, dict[str, Any], str]] = [
    ("context.resolve", RESOLVE, ".context/caches/built"),
    ("context.search", {**RESOLVE, "query": SECRET + " harmless", "format": "json"}, ".context/caches/built"),
    ("context.inspect_cache", {"cache": "built"}, ".context/caches/built"),
    ("context.list_caches", {}, ".context/caches/built"),
    ("query_context", {"scope": "docs"}, "docs"),
    ("query_context", {"scope": "docs/deep"}, "docs"),
    ("query_context", {"scope": "docs/deep"}, "docs/deep"),
    ("check_freshness", {"scope": "docs/deep"}, "docs"),
    ("check_freshness", {"scope": "docs/deep"}, "docs/deep"),
    ("list_contexts", {}, "docs"),
    ("list_contexts", {}, "docs/deep"),
    ("spec-status", {"specName": "login"}, ".spec-context/specs/login"),
]


def told_only_outside(world: Path, tool: str, arguments: dict[str, Any]) -> list[str]:
    """Values that the same request tells of the project outside, and of the one inside does not."""
    told = []
    for name in ("inside", "outside"):
        text = answer(find_tool(tool), arguments, Workspace(str(world / name), door="tool")).text
        told.append(set(re.findall(r'"[^"]*":(?:"(?:[^"\\]|\\.)*"|[0-9.]+|true|false)', text)))
    return sorted(value for value in told[1] - told[0] if '"root"' not in value)


@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[2]}")
def test_a_link_swapped_in_between_any_two_system_calls_tells_nothing_of_the_outside(
    case: tuple[str, dict[str, Any], str], warm: bool, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool, arguments, place = case
    if tool == "context.list_caches":
        (world / "inside" / place / "manifest.json").unlink()
    forbidden = told_only_outside(world, tool, arguments)
    inside = str(world / "inside")
    kept = Workspace(inside, door="tool")
    swap = Swap(world / "inside" / place, world / "outside" / place)

    def ask() -> str:
        return answer(find_tool(tool), arguments, kept if warm else Workspace(inside, door="tool")).text

    before = ask()
    interruptions = Interruptions(monkeypatch)
    seen: dict[str, str] = {}
    for text, moment in answers_under_swaps(ask, swap, interruptions, LONGEST):
        seen.setdefault(text, moment)
    leaks = {text: when for text, when in seen.items() if any(value in text for value in forbidden)}
    assert (forbidden != [], leaks) == (True, {})
    assert not [text for text in seen if "internal_error" in text]
    assert ask() == before
    if not warm:
        assert before in seen


FOLLOWED = [case for case in CASES if case[0] not in ("context.list_caches", "list_contexts")]


@pytest.mark.parametrize("case", FOLLOWED, ids=lambda case: f"{case[0]} {case[2]}")
def test_a_link_that_stays_inside_is_followed_whether_relative_or_absolute(
    case: tuple[str, dict[str, Any], str], world: Path
) -> None:
    """Only `list_caches` and `list_contexts` leave links out of what they list."""
    tool, arguments, place = case
    root = world / "inside"
    folder = root / place

    def ask() -> str:
        return answer(find_tool(tool), arguments, Workspace(str(root), door="tool")).text

    before = ask()
    folder.rename(folder.with_name("moved"))
    answers = []
    for target in ("moved", folder.with_name("moved")):
        folder.symlink_to(target)
        answers.append(ask())
        folder.unlink()
    # A spec tells when its folder was changed, a context which path it was asked for: both stay as they were.
    assert answers == [before, before]


def test_a_link_beside_the_root_is_outside_though_its_name_begins_alike(world: Path) -> None:
    (world / "inside-too").mkdir()
    (world / "inside" / "link").symlink_to(world / "inside-too")
    text = answer(find_tool("query_context"), {"scope": "link"}, Workspace(str(world / "inside"), door="tool")).text
    assert json.loads(text)["error"] == "Invalid scope: path traversal detected"
