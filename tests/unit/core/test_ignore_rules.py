"""gitignore patterns, decided as git decides them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from holdfast.core.ignore_rules import Rules

PATTERNS = r"""
# comment
\#hash
*.log
!keep.log
/anchored
deep/only.txt
folder/
**/any.txt
a/**/z.txt
tail/**
trailing   
esc\ 
[abc].txt
[!abc].dat
x?z
!x1z
[[:digit:]]*.num
broken[
*.py[co]
back\\slash
mid/*.tmp
"""  # noqa: W291  # the blanks at the ends are what is tested
PATHS = (
    *("#hash", "a.log", "sub/a.log", "keep.log", "sub/keep.log", "anchored", "sub/anchored", "deep/only.txt"),
    *("sub/deep/only.txt", "folder", "sub/folder", "any.txt", "p/q/any.txt", "a/z.txt", "a/b/z.txt", "a/b/c/z.txt"),
    *("tail/x", "tail/y/z", "tail", "trailing", "esc ", "esc", "a.txt", "d.txt", "a.dat", "d.dat", "xyz", "x1z", "x/z"),
    *(
        "9.num",
        "n.num",
        "broken[",
        "m.pyc",
        "m.pyo",
        "m.py",
        "back\\slash",
        "mid/a.tmp",
        "mid/b/a.tmp",
        "new\nline.log",
    ),
)


def _ignored(rules: Rules, path: str, *, folder: bool) -> bool:
    """Whether a path is left out, itself or by a folder above it, as a scan would find it."""
    parts = path.split("/")
    for at in range(1, len(parts)):
        if rules.ignores("/".join(parts[: at - 1]), parts[at - 1], folder=True):
            return True
    return rules.ignores("/".join(parts[:-1]), parts[-1], folder=folder)


def _git_ignores(repository: Path, paths: list[str]) -> set[str]:
    given = b"\0".join(path.encode() for path in paths) + b"\0"
    done = subprocess.run(
        ["git", "-C", str(repository), "check-ignore", "--stdin", "-z", "--no-index"], input=given, capture_output=True
    )
    return {path.decode() for path in done.stdout.split(b"\0") if path}


def test_every_pattern_decides_as_git_does(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text(PATTERNS)
    rules = Rules().within("", PATTERNS, None)
    ours = {path for path in PATHS if _ignored(rules, path, folder=False)}
    assert ours == _git_ignores(tmp_path, list(PATHS))


def test_a_pattern_for_folders_leaves_a_file_of_that_name() -> None:
    rules = Rules().within("", "folder/\n", None)
    assert [rules.ignores("", "folder", folder=folder) for folder in (True, False)] == [True, False]


def test_an_inner_file_overrules_an_outer_one() -> None:
    outer = Rules().within("", "*.txt\n", None)
    inner = outer.within("sub", "!*.txt\n", None)
    assert [rules.ignores("sub", "a.txt", folder=False) for rules in (outer, inner)] == [True, False]


def test_an_inner_pattern_with_a_slash_counts_from_its_own_folder() -> None:
    rules = Rules().within("sub", "/a.txt\n", None)
    assert [rules.ignores(place, "a.txt", folder=False) for place in ("sub", "sub/deeper")] == [True, False]


@pytest.mark.parametrize("name", ["node_modules", "dist", "build", "target", "vendor", "__pycache__", "venv", ".git"])
def test_build_and_hidden_folders_are_left_out_and_files_of_that_name_are_not(name: str) -> None:
    assert [Rules().ignores("", name, folder=folder) for folder in (True, False)] == [True, False]


def test_contextignore_brings_back_what_git_or_custom_leaves_out() -> None:
    rules = Rules().within("", "*.gen\n", "!keep.gen\n!vendor/\n")
    found = {
        "other.gen": rules.ignores("", "other.gen", folder=False),
        "keep.gen": rules.ignores("", "keep.gen", folder=False),
        "vendor": rules.ignores("", "vendor", folder=True),
    }
    assert found == {"other.gen": True, "keep.gen": False, "vendor": False}


def test_a_whitelist_in_gitignore_does_not_bring_back_build_folders() -> None:
    rules = Rules().within("", "*\n!*/\n!*.py\n", None)
    found = [rules.ignores("", "a.py", folder=False), rules.ignores("", "a.js", folder=False)]
    assert [*found, rules.ignores("", "src", folder=True), rules.ignores("", "node_modules", folder=True)] == [
        *(False, True, False, True)
    ]


def test_equal_files_give_equal_keys_and_others_do_not() -> None:
    keys = [Rules().within("", text, None).key for text in ("*.a\n", "*.a\n", "*.b\n")]
    assert [keys[0] == keys[1], keys[0] == keys[2]] == [True, False]


def test_an_outer_contextignore_decides_before_any_inner_gitignore() -> None:
    rules = Rules().within("", None, "secret.py\n!open.py\n").within("sub", "!secret.py\nopen.py\n", None)
    assert [rules.ignores("sub", name, folder=False) for name in ("secret.py", "open.py")] == [True, False]


def test_an_inner_contextignore_decides_before_an_outer_one() -> None:
    outer = Rules().within("", None, "a.py\n")
    inner = outer.within("sub", None, "!a.py\n")
    assert [rules.ignores("sub", "a.py", folder=False) for rules in (outer, inner)] == [True, False]


def test_without_the_usual_rules_the_files_alone_decide() -> None:
    rules = Rules().within("", ".cache/\n", None)
    names = ("vendor", ".github", ".cache", "src")
    assert [rules.ignores("", name, folder=True) for name in names] == [True, True, True, False]
    assert [rules.ignores("", name, folder=True, usual=False) for name in names] == [False, False, True, False]
    assert Rules().ignores("a/b", "c", folder=False) is False


def test_rules_without_files_are_empty_and_a_folder_without_files_has_those_above_it() -> None:
    rules = Rules().within("", "*.a\n", None)
    assert rules.within("sub", None, None) is rules
    found = [Rules(), rules, Rules().within("", None, "*.a\n"), Rules().within("", b"", None)]
    assert [each.is_empty for each in found] == [True, False, False, False]


def test_keys_differ_by_place_by_kind_and_by_what_lies_above() -> None:
    top = Rules().within("", "*.a\n", None)
    keys = [
        Rules().key,
        top.key,
        Rules().within("sub", "*.a\n", None).key,
        Rules().within("", None, "*.a\n").key,
        Rules().within("", "*.a\n", "").key,
        top.within("sub", "*.b\n", None).key,
        Rules().within("sub", "*.b\n", None).key,
    ]
    assert (keys[0], len(set(keys))) == ("", len(keys))
    assert Rules().within("", b"*.a\n", None).key == top.key
