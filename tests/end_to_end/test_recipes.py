"""The five changes of CONTRIBUTING.md, carried out as they are written in a copy of this tree: their checks pass."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

from support.transcripts import FENCE

ROOT = Path(__file__).parents[2]
RECIPES = dict(
    re.findall(
        r"^### ([^\n]+)\n(.*?)(?=^### |\Z)", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
)
# FILE, and where in it; without more, at its end.
PLACE = re.compile(r"(\S+)(?: (after|last in|instead of) (.+))?")
LEFT = shutil.ignore_patterns(".*_cache", ".git", ".venv*", ".context", ".hypothesis", "__pycache__", "site", "dist")


def carry_out(recipe: str, tree: Path) -> set[str]:
    """Put every block of a recipe where it says; the names of the files that changed."""
    changed = set()
    for block in FENCE.finditer(recipe):
        placed = PLACE.fullmatch(block["rest"].lstrip(" "))
        assert placed is not None, block[0]
        name, how, line = placed.groups()
        file = tree / name
        text = file.read_text("utf-8") if file.exists() else ""
        if how is None:
            text += ("\n\n" if text else "") + block["text"]
        else:
            found = [each for each in text.splitlines(keepends=True) if each.startswith(line)]
            assert len(found) == 1, f"{name} has {len(found)} lines that begin with {line!r}"
            before, _, after = text.partition(found[0])
            if how == "after":
                after = block["text"] + after
            elif how == "last in":
                after = after.replace("\n)\n", f"\n{block['text']})\n", 1)
            text = before + (block["text"] if how == "instead of" else found[0]) + after
        file.write_text(text, "utf-8")
        changed.add(name)
    return changed


def make_environment(tree: Path) -> None:
    """An environment of the copy's own: its sources, and what is installed here."""
    venv.create(tree / ".venv", symlinks=True)
    paths = sysconfig.get_paths(vars={"base": str(tree / ".venv"), "platbase": str(tree / ".venv")})
    own = Path(paths["purelib"]) / "copy.pth"
    own.write_text(f"{tree / 'src'}\n{sysconfig.get_paths()['purelib']}\n", "utf-8")
    script = tree / ".venv" / "bin" / "context"
    start = "import sys\nfrom holdfast.cli import run\nsys.exit(run())\n"
    script.write_text(f"#!{tree}/.venv/bin/python\n{start}", "utf-8")
    script.chmod(0o755)


def run(tree: Path, *words: str) -> None:
    """Run a module in the copy; its Hypothesis tests with few examples, since all are tried outside of the copy."""
    python = tree / ".venv" / "bin" / "python"
    quick = {name: value for name, value in os.environ.items() if name != "HOLDFAST_TEST_EXAMPLES"}
    done = subprocess.run([python, "-m", *words], cwd=tree, env=quick, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


def test_there_are_five_recipes_and_a_tool_needs_three_files_of_its_family() -> None:
    assert list(RECIPES) == ["A tool", "A language", "A client", "A metric", "A reader"]
    places = [block["rest"].split()[0] for block in FENCE.finditer(RECIPES["A tool"])]
    assert sorted(set(places)) == [f"src/holdfast/caches/{name}.py" for name in ("answers", "operations", "shapes")]


@pytest.mark.rough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_followed_as_it_is_written_and_its_checks_pass(name: str, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(ROOT, tree, ignore=LEFT)
    make_environment(tree)
    changed = carry_out(RECIPES[name], tree)
    run(tree, "scripts.reference")
    python = [each for each in changed if each.endswith(".py")]
    run(tree, "ruff", "check", "--quiet", "--no-cache", *python)
    run(tree, "ruff", "format", "--check", "--quiet", "--no-cache", *python)
    (checks,) = re.findall(r"^Checks: `(.+)`$", RECIPES[name], re.MULTILINE)
    run(tree, "pytest", "-q", "-p", "no:cacheprovider", "-m", "not rough", *shlex.split(checks))
