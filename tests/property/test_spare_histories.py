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
from support.examples import examples
from support.touched_spares import HOSTILITIES, be_a_file, be_a_link, close, leave, remove, rotate_names

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


@pytest.mark.rough
@settings(
    max_examples=examples(20),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
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
        ([("write", "b", "other")], leave),
        ([("write", "b", "y")], leave),
        ([("move", "b", "zz")], leave),
        ([("move", "zz", "b")], leave),
        ([("remove", "c", "")], leave),
        ([("write", "c", "z")], leave),
    ],
)
@example(  # two pages of one content: the name of the second hangs on the first
    texts={"alpha": "x", "b": "y", "c": "z"},
    rounds=[
        ([("write", "zz", "x")], leave),
        ([("remove", "alpha", "")], leave),
        ([("write", "alpha", "x")], leave),
        ([("move", "alpha", "c")], leave),
        ([("write", "alpha", "x")], rotate_names),
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


@pytest.mark.rough
@pytest.mark.parametrize("hostility", HOSTILITIES, ids=lambda hostility: hostility.__name__)
def test_a_spare_that_somebody_touched_is_put_right_or_removed(
    tmp_path: Path, hostility: Callable[[Path, Path], None]
) -> None:
    taken = []
    with plain_readers():
        history = _History(tmp_path / "home", {name: f"{name} words" for name in ("a", "b", "c", "d", "e")})
        for turn, act in enumerate([leave, leave, hostility, hostility, leave]):
            taken.append(history.edit([("write", "c", f"turn {turn}")], act))
    unusable = hostility in (remove, be_a_link, be_a_file, close)
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
