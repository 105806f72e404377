"""What a person sees of contexts on a real terminal."""

from __future__ import annotations

import re
from pathlib import Path

from support.terminal import on_a_terminal


def shown(project: Path, *words: str) -> tuple[list[str], int]:
    """The lines on the terminal, blanks collapsed and seconds left out, and the exit code."""
    text, code = on_a_terminal(*words, cwd=project)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [re.sub(r" ?\(?\d+\.\d s\)?", "", line) for line in lines if line], code


def test_every_command_has_a_readable_view(project: Path) -> None:
    assert shown(project, "init", "--full", "--dry-run") == (
        ["Nothing was written: this is what would be.", "5 written", "AGENTS.md written"],
        0,
    )
    assert shown(project, "init", "--full") == (["5 written", "AGENTS.md written"], 0)
    lines, code = shown(project, "status")
    assert (lines[0], lines[1], lines[-1], code) == (
        "state scope summary",
        "fresh . Sells things.",
        "5 of 5 directories have a context, 1 too small for one",
        0,
    )
    assert shown(project, "check", "web") == (["fresh web"], 0)
    (project / "web" / "index.ts").write_text("export const x = 1;\n" * 1000)
    lines, code = shown(project, "check", "web")
    assert (lines[0], lines[2], code) == ("stale web", "context regen web", 0)
    assert shown(project, "check", "nope")[1] == 4
    assert shown(project, "regen") == (["1 renewed"], 0)
    assert shown(project, "regen", "--hash-only") == (["5 unchanged"], 0)
    lines, code = shown(project, "show", "src/shop", "--filter", "exports")
    assert (lines[-1], code) == ("exports __init__.py: go(a: int) -> int", 0)
    assert shown(project, "validate") == (["Sound: 5 contexts"], 0)
    assert shown(project, "config", "max_depth") == (["max_depth 10"], 0)
    lines, code = shown(project, "doctor")
    assert (lines[0].startswith("ok versions holdfast "), "context add NAME PATH" in lines, code) == (True, True, 0)
    (project / "web" / ".context.yaml").write_text("version: 1\n")
    lines, code = shown(project, "validate")
    assert (lines[0], lines[-1], code) == ("scope line field problem", "5 problems in 5 contexts", 5)
