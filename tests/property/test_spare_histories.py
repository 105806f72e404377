"""Whatever is edited, and whatever becomes of the spare in between, a cache has the bytes of one built from nothing."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast import verify_cache
from holdfast.caches.build import spare_documents
from holdfast.caches.build.spare_documents import spare_path, spare_steps
from support.edited_pages import build, contents, edited, plain_readers, write

NAMES = st.sampled_from(["alpha", "Beta/useEffect", "b", "c", "日本語", "zz"])
TEXTS = st.sampled_from(
    ["", "x", "alpha beta", "# the\n\n[rare](b.plain)", "include part.txt", "one\n\n## two\n\nthree"]
)
EDITS = st.one_of(
    st.tuples(st.just("write"), NAMES, TEXTS),
    st.tuples(st.just("append"), NAMES, TEXTS),
    st.tuples(st.just("remove"), NAMES, st.just("")),
    st.tuples(st.just("move"), NAMES, NAMES),  # the same content by another id: one name of a file, other bytes
)
USED: Counter[str] = Counter()


@pytest.fixture(autouse=True, scope="module")
def _spares_of_small_caches() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spare_documents, "FEWEST", 0)
        yield


def _leave(spare: Path, outside: Path) -> None:
    pass


def _remove(spare: Path, outside: Path) -> None:
    shutil.rmtree(spare)


def _remove_half(spare: Path, outside: Path) -> None:
    for file in sorted(spare.iterdir())[::2]:
        file.unlink()


def _add_strangers(spare: Path, outside: Path) -> None:
    (spare / "notes.txt").write_bytes(b"notes")
    (spare / "folder").mkdir()
    (spare / "folder" / "file").write_bytes(b"file")
    (spare / "folder" / "link").symlink_to(outside)
    (spare / "link").symlink_to(outside)


def _alter_files(spare: Path, outside: Path) -> None:
    """The same names, files of other bytes: the cache's own are not touched."""
    for file in list(spare.iterdir()):
        file.unlink()
        file.write_bytes(b"altered")


def _rotate_names(spare: Path, outside: Path) -> None:
    """Every name leads to the file of the next."""
    names = sorted(os.listdir(spare))
    for name in names:
        os.rename(spare / name, spare / f"{name}.aside")
    for name, other in zip(names, [*names[1:], *names[:1]], strict=True):
        os.rename(spare / f"{name}.aside", spare / other)


def _link_names(spare: Path, outside: Path) -> None:
    for file in list(spare.iterdir()):
        file.unlink()
        file.symlink_to(outside / "file")


def _put_folders(spare: Path, outside: Path) -> None:
    for file in list(spare.iterdir()):
        file.unlink()
        file.mkdir()
        (file / "file").write_bytes(b"file")


def _be_a_link(spare: Path, outside: Path) -> None:
    shutil.rmtree(spare)
    spare.symlink_to(outside)


def _be_a_file(spare: Path, outside: Path) -> None:
    shutil.rmtree(spare)
    spare.write_bytes(b"file")


def _close(spare: Path, outside: Path) -> None:
    spare.chmod(0o500)


def _be_copied(spare: Path, outside: Path) -> None:
    """As after a copy of the project that knows no hard links."""
    shutil.copytree(spare, spare.with_name("copy"))
    shutil.rmtree(spare)
    os.rename(spare.with_name("copy"), spare)


def _lose_cache_files(spare: Path, outside: Path) -> None:
    """The cache was copied instead: nothing of the spare is its own."""
    cache = spare.with_name("cache")
    shutil.copytree(cache, spare.with_name("copy"))
    shutil.rmtree(cache)
    os.rename(spare.with_name("copy"), cache)


def _be_old(spare: Path, outside: Path) -> None:
    """The spare of an earlier cache, kept by somebody with all its links."""
    if (kept := outside.with_name("kept")).exists():
        shutil.rmtree(spare)
        shutil.copytree(kept, spare, copy_function=os.link)
    else:
        shutil.copytree(spare, kept, copy_function=os.link)


HOSTILITIES: tuple[Callable[[Path, Path], None], ...] = (
    *(_leave, _remove, _remove_half, _add_strangers, _alter_files, _rotate_names, _link_names, _put_folders),
    *(_be_a_link, _be_a_file, _close, _be_copied, _lose_cache_files, _be_old),
)


class _History:
    """Pages, the cache of them that is patched after each edit, and a folder that is nobody's business."""

    def __init__(self, home: Path, texts: dict[str, str]) -> None:
        self.home, self.texts = home, texts
        self.outside = home / "elsewhere" / "outside"
        self.outside.mkdir(parents=True)
        (self.outside / "file").write_bytes(b"outside")
        write(home, texts)
        build(home, texts, "cache", None, set())
        self.spare = Path(spare_path(str(home / "cache")))
        assert not os.path.lexists(self.spare)

    def edit(self, edits: list[tuple[str, str, str]], hostility: Callable[[Path, Path], None]) -> bool:
        """Edit, patch and compare; whether the spare became the documents of the cache."""
        if self.spare.is_dir() and not self.spare.is_symlink():
            hostility(self.spare, self.outside)
        try:
            held = os.open(self.spare, os.O_RDONLY | os.O_NOFOLLOW)  # so that no other folder can have its number
        except OSError:
            held = -1
        after = edited(self.texts, edits)
        write(self.home, after)
        unchanged = {name for name in after if self.texts.get(name) == after[name]}
        self.texts = after
        patched = build(self.home, after, "cache", "cache", unchanged, spare=True)
        build(self.home, after, "expected", None, set())
        assert contents(self.home / "cache") == contents(self.home / "expected")
        assert verify_cache(self.home / "cache").problems == []
        assert contents(self.outside) == {"file": (0o100644, b"outside")}
        hidden = [name for name in os.listdir(self.home) if "holdfast" in name or "replaced" in name]
        assert hidden == [self.spare.name] * patched
        if patched:
            assert all(file.is_file() and not file.is_symlink() for file in self.spare.iterdir())
        if held < 0:
            return False
        try:
            return os.path.samestat(os.fstat(held), os.stat(self.home / "cache" / "documents"))
        finally:
            os.close(held)


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(
    texts=st.dictionaries(NAMES, TEXTS, min_size=1, max_size=6),
    rounds=st.lists(
        st.tuples(st.lists(EDITS, min_size=1, max_size=2), st.sampled_from(HOSTILITIES)), min_size=2, max_size=5
    ),
)
@example(  # edited, edited back, and the name of a file that stays while its bytes change, twice
    texts={"alpha": "alpha beta", "b": "y", "c": "z"},
    rounds=[
        ([("write", "b", "other")], _leave),
        ([("write", "b", "y")], _leave),
        ([("move", "b", "zz")], _leave),
        ([("move", "zz", "b")], _leave),
        ([("remove", "c", "")], _leave),
        ([("write", "c", "z")], _leave),
    ],
)
@example(  # two pages of one content: the name of the second hangs on the first
    texts={"alpha": "x", "b": "y", "c": "z"},
    rounds=[
        ([("write", "zz", "x")], _leave),
        ([("remove", "alpha", "")], _leave),
        ([("write", "alpha", "x")], _leave),
        ([("move", "alpha", "c")], _leave),
        ([("write", "alpha", "x")], _rotate_names),
    ],
)
def test_whatever_becomes_of_the_spare_a_cache_is_as_one_built_from_nothing(
    tmp_path: Path,
    texts: dict[str, str],
    rounds: list[tuple[list[tuple[str, str, str]], Callable[[Path, Path], None]]],
) -> None:
    home = tmp_path / os.urandom(8).hex()
    with plain_readers():
        history = _History(home, texts)
        for edits, hostility in rounds:
            USED["taken" if history.edit(edits, hostility) else "not taken"] += 1
    shutil.rmtree(home)


@pytest.mark.parametrize("hostility", HOSTILITIES, ids=lambda hostility: hostility.__name__.strip("_"))
def test_a_spare_that_somebody_touched_is_put_right_or_removed(
    tmp_path: Path, hostility: Callable[[Path, Path], None]
) -> None:
    taken = []
    with plain_readers():
        history = _History(tmp_path / "home", {name: f"{name} words" for name in ("a", "b", "c", "d", "e")})
        for turn, act in enumerate([_leave, _leave, hostility, hostility, _leave]):
            taken.append(history.edit([("write", "c", f"turn {turn}")], act))
    unusable = hostility in (_remove, _be_a_link, _be_a_file, _close)
    assert taken == [False, True, not unusable, not unusable, True]


def test_spares_were_taken_in_these_histories() -> None:
    assert not USED or USED["taken"], "no spare was of use"


@given(
    spare=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 5)),
    own=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 5), min_size=1),
    wanted=st.data(),
)
def test_after_the_steps_every_name_leads_to_the_file_that_is_wanted(
    spare: dict[str, int], own: dict[str, int], wanted: st.DataObject
) -> None:
    names = wanted.draw(st.lists(st.sampled_from("abcdefghij"), unique=True))
    files = [wanted.draw(st.sampled_from(sorted(own))) for _ in names]
    wrong, lacking = spare_steps(spare, own, files, names)
    right = {name: number for name, number in spare.items() if name not in wrong}
    assert right == {
        name: own[file] for file, name in zip(files, names, strict=True) if spare.get(name, -1) == own[file]
    }
    linked = {names[place]: own[files[place]] for place in lacking}
    assert not linked.keys() & right.keys()
    assert {**right, **linked} == {name: own[file] for file, name in zip(files, names, strict=True)}


def test_a_file_that_the_cache_lacks_is_never_right() -> None:
    assert spare_steps({}, {}, ["documents/a"], ["a"]) == (set(), [0])
    assert spare_steps({"a": 1}, {}, ["documents/a"], ["a"]) == ({"a"}, [0])
