"""Patterns decide as `git check-ignore` does, on names and patterns made to meet every edge."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.core.ignore_rules import Rules
from support.examples import examples

FILES = 12  # pattern files that one git process is asked about
NAMES = (b"a", b"b", b"ab", "é".encode(), b"-")
FOLDERS = frozenset([*NAMES, *[one + b"/" + two for one in NAMES for two in NAMES]])

_LETTERS = [bytes([byte]) for byte in b"abcAB19.-]["] + [b"!", b"^", b"*", b"?", b"\\", b" ", b"#", b":", b"\t"]
_LETTERS += ["é".encode(), b"\xff", b"\x7f", b"~"]
_GLOBS = [b"*", b"**", b"***", b"/", b"**/", b"/**", b"/**/", b"?", b"[", b"]", b"\\/", b"\\", b"!", b"\\ ", b" "]
_CLASSES = [
    b"[a-c]",
    b"[!a]",
    b"[^a]",
    b"[]a]",
    b"[!]a]",
    b"[^]",
    b"[]",
    b"[!",
    b"[a",
    b"[z-a]",
    b"[b-]",
    b"[--0]",
    b"[a-c-e]",
]
_CLASSES += [
    b"[\\]]",
    b"[a\\-c]",
    b"[\\a-\\c]",
    b"[a/b]",
    b"[!/]",
    b"[+-9]",
    "[é]".encode(),
    b"[\x80-\xff]",
    b"[!\x80-\xff]",
]
_POSIX = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit word".split()
_CLASSES += [f"[{negation}[:{name}:]]".encode() for name in _POSIX for negation in ("", "!")]
_CLASSES += [
    b"[[:alpha:]-]",
    b"[[:digit:]-a]",
    b"[[:alpha]",
    b"[[:]a]",
    b"[[::]]",
    b"[a[:digit:]b]",
    b"[[:",
    b"[[:alpha:",
]

names = st.lists(st.sampled_from(_LETTERS), min_size=1, max_size=4).map(b"".join).filter(lambda name: name.strip(b"."))
folders = st.sampled_from(sorted(FOLDERS))
paths = st.one_of(folders, names, st.tuples(folders, names).map(b"/".join))
_wild = st.lists(st.sampled_from([*_LETTERS, *_GLOBS, *_GLOBS, *_CLASSES]), min_size=1, max_size=7).map(b"".join)


@st.composite
def _made_of_a_path(draw: st.DrawFn) -> bytes:
    """A path with some of its parts replaced: most patterns of this kind match something."""
    wild = [b"*", b"**", b"?", b"[!x]", b"[[:alnum:]]", b"*?", b"[a-z]", b"***"]
    parts = [
        draw(
            st.one_of(
                st.just(part), st.just(part), st.sampled_from(wild), st.just(part + b"**"), st.just(b"**/" + part)
            )
        )
        for part in draw(paths).split(b"/")
    ]
    return (
        draw(st.sampled_from([b"", b"", b"!", b"/", b"**/"]))
        + b"/".join(parts)
        + draw(st.sampled_from([b"", b"", b"/", b"*", b"/**", b"/*", b" ", b"\r"]))
    )


pattern_files = st.lists(st.one_of(_wild, _made_of_a_path()), min_size=1, max_size=4).map(b"\n".join)
pairs = st.lists(st.tuples(pattern_files, st.one_of(st.none(), pattern_files)), min_size=4, max_size=FILES)


class Repository:
    """A repository with a folder for each pattern file; `a` in each may have a file of its own."""

    def __init__(self, root: Path) -> None:
        if shutil.which("git") is None:
            pytest.fail("git must be installed: it is the judge of what a pattern means")
        self.root = os.fsencode(root)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(root),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C",
        }
        subprocess.run(["git", "init", "-q", root], check=True, env=self.environment)
        for place in range(FILES):
            for folder in FOLDERS:
                os.makedirs(b"%b/%d/%b" % (self.root, place, folder), exist_ok=True)

    def ignored(self, files: list[tuple[bytes, bytes | None]], asked: list[bytes]) -> list[set[bytes]]:
        """For each pair of pattern files, what git leaves out."""
        for place, (outer, inner) in enumerate(files):
            for name, text in ((b".gitignore", outer), (b"a/.gitignore", inner or b"")):
                with open(b"%b/%d/%b" % (self.root, place, name), "wb") as file:
                    file.write(text)
        given = b"".join([b"%d/%b\0" % (place, path) for place in range(len(files)) for path in asked])
        command = [b"git", b"-C", self.root, b"check-ignore", b"--stdin", b"-z", b"--no-index"]
        done = subprocess.run(command, input=given, capture_output=True, env=self.environment)
        assert done.returncode in (0, 1), done.stderr
        found: list[set[bytes]] = [set() for _ in files]
        for path in done.stdout.split(b"\0")[:-1]:
            place_text, _, rest = path.partition(b"/")
            found[int(place_text)].add(rest)
        return found


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return Repository(tmp_path_factory.mktemp("repository"))


def _ours(outer: bytes, inner: bytes | None, path: bytes) -> bool:
    """Whether a path is left out, itself or by a folder above it, as a scan would find it."""
    rules = Rules().within("0", outer, None)
    inside = rules.within("0/a", inner, None)
    parts = path.split(b"/")
    for end in range(1, len(parts) + 1):
        folder = end < len(parts) or path in FOLDERS
        directory = "/".join(["0", *map(os.fsdecode, parts[: end - 1])])
        if (inside if end > 1 and parts[0] == b"a" else rules).ignores(
            directory, os.fsdecode(parts[end - 1]), folder=folder
        ):
            return True
    return False


@settings(max_examples=examples(60), deadline=None)
@given(pairs, st.lists(paths, min_size=10, max_size=25, unique=True))
@example(
    [(b"[%b]" % letters, None) for letters in (b"!-^", b"^!", b"a-", b"-a", b"]-a", b"z-a", b"a-c-e")],
    [letter for letter in _LETTERS if letter != b"."],
)
@example([(b"a**/b", None), (b"**/b", None), (b"***/b", None), (b"a/**/b", None), (b"a/***", None), (b"**\\/b", None)],
         [b"ab", b"a/b", b"a/ab/b", b"b", b"-/a/b", b"a/b/b", b"a"])  # fmt: skip
@example([(b"?", None), (b"??", None), (b"[!a]", None), (b"[!a][!a]", None), ("[é]".encode(), None)],
         ["é".encode(), b"b", b"bb", b"\xc3", "é/é".encode()])  # fmt: skip
@example([(b"a //", None), (b"a\\ ", None), (b"a\\  ", None), (b"a \\", None), (b"a\\\\ ", None), (b"a\r", None)],
         [b"a", b"a ", b"a  ", b"a\\", b"a \\", b"a\\ "])  # fmt: skip
def test_every_pattern_decides_as_git_does(
    repository: Repository, files: list[tuple[bytes, bytes | None]], asked: list[bytes]
) -> None:
    theirs = repository.ignored(files, asked)
    ours = [{path for path in asked if _ours(outer, inner, path)} for outer, inner in files]
    assert ours == theirs


def test_every_class_holds_the_bytes_that_it_holds_for_git(repository: Repository) -> None:
    asked = [b"x%c" % byte for byte in range(1, 256) if byte != ord("/")]
    classes = [b"x[[:%b:]]" % name.encode() for name in _POSIX]
    for at in range(0, len(classes), FILES):
        files: list[tuple[bytes, bytes | None]] = [(pattern, None) for pattern in classes[at : at + FILES]]
        theirs = repository.ignored(files, asked)
        assert [{path for path in asked if _ours(outer, None, path)} for outer, _ in files] == theirs
