"""What a walk finds of a folder's files together is what asking file by file finds, in the same order."""

from __future__ import annotations

import os
import stat
import tempfile
from hashlib import sha256
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.caches.build import source_state
from holdfast.caches.build.project_sources import FoundSources, Patterns, find_below
from holdfast.caches.build.source_state import (
    KnownFiles,
    KnownSources,
    SourceState,
    encode_state,
    file_digests,
    parse_state,
)
from holdfast.caches.readers.reader_table import reader_of
from holdfast.core.file_identity import identity
from holdfast.core.ignore_rules import BUILD_FOLDERS, Rules
from support.examples import examples

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from holdfast.core.file_identity import Identity

_STEMS = (b"a", b"b", b"B", b"README", b".hidden", b"#lock", b".#lock", b"~$a", b"\xff", "é".encode(), b"x\ny", b"k.b")
_ENDINGS = (b"", b".md", b".MD", b".txt", b".rst", b".mdx", b".log", b".json", b".md#", b".md~", b".")
_NAMES = [stem + ending for stem, ending in product(_STEMS, _ENDINGS)]
_FOLDERS = (b"", b"a", b"sub", b"sub/a", b"sub/build", b"sub/_build", b"sub/\xfe", b".git", b"venv", b"a/.context")
_LINES = (
    *(
        b"*.log",
        b"a.md",
        b"/a.md",
        b"sub/a.txt",
        b"sub/a/",
        b"!a.md",
        b"*",
        b"!*.md",
        b"*.m[dx]",
        b"**/b.md",
        b"sub/*.md",
    ),
    *(b"REA*", b"?.txt", b"a/**", b"#a", b"\\#lock*", b"", b"*.md\r", b"x*y.md", b"k.b*", b"/sub/a/*.rst", b"[ab].rst"),
)
_KINDS = ("file", "file", "file", "link to a file", "link to nothing", "link outside", "link to a folder", "pipe")
_trees = st.dictionaries(
    st.builds(os.path.join, st.sampled_from(_FOLDERS), st.sampled_from(_NAMES)),
    st.sampled_from(_KINDS),
    max_size=12,
)
_ignore_files = st.dictionaries(
    st.builds(
        os.path.join,
        *(st.sampled_from(_FOLDERS[:4]), st.sampled_from([b".gitignore", b".contextignore"])),
    ),
    st.lists(st.sampled_from(_LINES), max_size=4).map(b"\n".join),
    max_size=3,
)
_sources = st.text(min_size=1).filter(lambda text: "\0" not in text) | st.sampled_from(["\udcff", "a\udcc3\udca9"])
_globs = st.lists(st.sampled_from([line.decode() for line in _LINES]), max_size=2)


def _lay_out(root: bytes, tree: dict[bytes, str], ignores: dict[bytes, bytes]) -> None:
    laid = [*tree.items(), *[(path, "file") for path in ignores]]
    for path, _ in laid:
        os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
    for path, kind in laid:
        place = os.path.join(root, path)
        if os.path.lexists(place):
            continue
        if kind == "pipe":
            os.mkfifo(place)
        elif kind.startswith("link"):
            target = {"a file": b"real.md", "nothing": b"none.md", "a folder": b"sub", "outside": b"/etc/hostname"}
            given = target[kind.removeprefix("link ").removeprefix("to ")]
            os.symlink(given if given.startswith(b"/") else os.path.join(root, given), place)
        else:
            with open(place, "wb") as file:
                file.write(ignores.get(path, path))
    with open(os.path.join(root, b"real.md"), "wb") as file:
        file.write(b"real")


class _Naive:
    """The same walk, one file after another."""

    def __init__(self, root: str, patterns: Patterns) -> None:
        self.root, self.patterns = root, patterns
        self.items: list[tuple[str, str, str]] = []
        self.passed: list[tuple[str, bool]] = []
        self.kinds: dict[str, int] = {}

    def walk(self, place: str, rules: Rules) -> None:
        path = os.path.join(self.root, place) if place else self.root
        names = sorted(os.listdir(path))
        texts = [_text(os.path.join(path, name)) for name in (".gitignore", ".contextignore")]
        rules = rules.within(place, *texts)
        folders = []
        for name in names:
            source = os.path.join(place, name)
            is_folder = stat.S_ISDIR(os.lstat(os.path.join(path, name)).st_mode)
            if not is_folder:
                if not rules.ignores(place, name, folder=False):
                    self.look_at(name, source)
            elif (
                name not in (".git", ".context", "_build")
                and not rules.ignores(place, name, folder=True)
                and not self.patterns.excludes(source, folder=True)
            ):
                folders.append(source)
        for source in reversed(folders):
            self.walk(source, rules)

    def look_at(self, name: str, source: str) -> None:
        if name.startswith((".#", "~$")) or (name.startswith("#") and name.endswith("#")):
            self.passed.append((source, False))
            return
        if name.startswith(".") or self.patterns.excludes(source, folder=False) or not self.patterns.includes(source):
            return
        path, reader = os.path.join(self.root, source), reader_of(name)
        if os.path.islink(path):
            path = os.path.realpath(path)
            if not os.path.exists(path) or not path.startswith(f"{self.root}/"):
                if reader is not None:
                    self.passed.append((source, True))
                return
            if os.path.isdir(path):
                self.passed.append((source, False))
                return
            texts = [_text(os.path.join(self.root, name)) for name in (".gitignore", ".contextignore")]
            if Rules().within("", *texts).ignores("", os.path.basename(path), folder=False):  # the only target there is
                if reader is not None:
                    self.passed.append((source, True))
                return
        if os.path.exists(path) and not os.path.isfile(path) and reader is not None:
            self.passed.append((source, True))
            return
        try:
            source.encode()
        except UnicodeEncodeError:
            self.passed.append((source, True))
            return
        if reader is None:
            kind = f".{name.rpartition('.')[2].lower()}" if "." in name[1:] else "without an extension"
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
        else:
            self.items.append((source, path, reader.name))


def _text(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


@settings(max_examples=examples(120))
@given(_trees, _ignore_files, _globs, _globs)
@example({b"a/a.md": "file", b"a/b.md": "link to a file", b"sub/b.txt": "file", b"a/#lock.md#": "file"}, {}, [], [])
@example({b"a.md": "file", b"B.md": "file", b"sub/a.md": "file"}, {b".gitignore": b"/a.md\n*.m[dx]\n"}, [], [])
@example({b"a/k.b.md": "link to a file", b"b.log": "link to a file"}, {b".gitignore": b"/real.md\n"}, [], [])
@example({b"a/\xff.md": "file", b"a/a.md": "file", b"sub/a.md": "pipe"}, {b"a/.contextignore": b"!a.md"}, ["*.md"], [])
def test_together_as_one_by_one(
    tree: dict[bytes, str], ignores: dict[bytes, bytes], include: list[str], exclude: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(os.path.realpath(folder), "docs")
        os.mkdir(root)
        _lay_out(os.fsencode(root), tree, ignores)
        patterns, found = Patterns.of(include, exclude), FoundSources.none()
        find_below(root, root, patterns, "", found, lambda _: None)
        naive = _Naive(root, patterns)
        naive.walk("", Rules())
        assert [(item.source, item.path, item.reader) for item in found.items] == naive.items
        assert [each.is_fault for each in found.passed] == [is_fault for _, is_fault in naive.passed]
        assert list(found.other_kinds.items()) == list(naive.kinds.items())
        assert not BUILD_FOLDERS.intersection([part for item in found.items for part in item.source.split("/")[:-1]])
        for item, stamp in zip(found.items, found.stamps, strict=True):
            assert stamp in (None, identity(os.lstat(item.path)))


def _written(folder: Path, names: str) -> tuple[list[str], list[Identity], list[str]]:
    """Files that are old, what each is, and its hash."""
    paths = [str(folder / name) for name in names]
    for path in paths:
        with open(path, "w", encoding="utf-8") as file:
            file.write(path)
    return paths, [identity(os.lstat(path)) for path in paths], [sha256(path.encode()).hexdigest() for path in paths]


def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file counts as old."""
    monkeypatch.setattr(source_state, "time_ns", lambda: 1 << 62)


NOTHING = SourceState.none().files


def claimed(known: KnownFiles, digests: Sequence[str]) -> KnownFiles:
    """What is known, with other digests."""
    return {path: (stamps, digests["abc".index(path[-1])]) for path, (stamps, _) in known.items()}


def test_files_are_read_again_only_where_they_may_have_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _settled(monkeypatch)
    paths, stamps, digests = _written(tmp_path, "abc")
    found, known = file_digests(NOTHING, paths, stamps)
    assert (found, known) == file_digests(NOTHING, paths, [None] * 3)
    assert found == digests
    told = ["0" * 64, "1" * 64, "2" * 64]  # who reads the file says otherwise
    known = claimed(known, told)
    assert file_digests(known, paths, stamps) == (told, known)
    assert file_digests(known, paths, [None] * 3) == (told, known)
    assert file_digests(known, paths[1:], stamps[1:])[0] == told[1:]
    assert file_digests(known, paths[::-1], stamps[::-1])[0] == told[::-1]
    for at in range(5):  # whatever number of the stamps is another
        modified, size, inode, changed, device = [number + (place == at) for place, number in enumerate(stamps[1])]
        other = modified, size, inode, changed, device
        again, after = file_digests(known, paths, [stamps[0], other, stamps[2]])
        assert again == [told[0], digests[1], told[2]]
        assert file_digests(after, paths, stamps) == (again, after)
    more, stamps_of_more, digests_of_more = _written(tmp_path, "aBc")
    assert file_digests(known, more, [stamps[0], stamps_of_more[1], stamps[2]])[0] == [
        told[0],
        digests_of_more[1],
        told[2],
    ]


def test_files_that_cannot_be_read_or_are_young_are_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, stamps, digests = _written(tmp_path, "abc")
    found, young = file_digests(NOTHING, paths, stamps)
    assert found == digests
    assert file_digests(claimed(young, "012"), paths, stamps)[0] == digests
    _settled(monkeypatch)
    os.unlink(paths[1])
    for stamp in (None, stamps[1]):
        (first, gone, last), known = file_digests(NOTHING, paths, [stamps[0], stamp, stamps[2]])
        assert (first, last) == (digests[0], digests[2])
        assert isinstance(gone, FileNotFoundError)
        again = file_digests(claimed(known, "012"), paths, [stamps[0], stamp, stamps[2]])[0]
        assert (again[0], again[2]) == ("0", "2")
        assert isinstance(again[1], FileNotFoundError)
    _written(tmp_path, "b")
    assert file_digests(claimed(known, "012"), paths, [*stamps[:1], None, *stamps[2:]])[0] == [
        "0",
        digests[1],
        "2",
    ]


@given(st.lists(_sources, unique=True, max_size=4), st.booleans())
def test_what_is_remembered_comes_back(sources: list[str], has_more: bool) -> None:
    more: dict[str, tuple[dict[str, str], str]] = {source: ({"x": "1"}, "why") for source in sources[: int(has_more)]}
    known = KnownSources(dict.fromkeys(sources, ("0", "text-1")), more, {"y": "2"}, "sha256:3")
    files, made = dict.fromkeys(sources, ("1 2 3 4 5", "5")), {"a": ("1 2 3 4 5", "6"), "b": ("", "7")}
    state = SourceState("version", "settings", files, known, made, has_more)
    data = encode_state(state)
    assert parse_state(data) == state
    assert parse_state(data[:-2]) == SourceState.none()
