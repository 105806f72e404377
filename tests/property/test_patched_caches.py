"""Whatever is edited, added and removed, a cache that was patched has the bytes of one that is built from nothing."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.edited_pages import build, contents, edited, plain_readers, write
from support.examples import examples

WORDS = st.sampled_from(
    [
        *("alpha", "beta", "useEffect", "os.path", "the", "gammas", "Σας", "日本語", "é", "alpha-beta", "titled"),
        *("[alpha beta](b.plain)", "[rare](c.plain)", "rare", "alpha alpha alpha", "ภาษาไทย", "x\x1cy", "w" * 70),
    ]
)
LINES = st.one_of(
    st.lists(WORDS, max_size=8).map(" ".join),
    st.lists(WORDS, min_size=1, max_size=3).map(lambda found: "# " + " ".join(found)),
    st.sampled_from(["", "", "## beta", "alpha beta. " * 210, "(label)=", "include part.txt"]),
)
TEXTS = st.lists(LINES, max_size=8).map("\n".join)
NAMES = st.sampled_from(["alpha", "Beta/useEffect", "beta/the", "b", "c", "日本語"])
EDITS = st.one_of(
    st.tuples(st.just("write"), NAMES, TEXTS),
    st.tuples(st.just("append"), NAMES, st.lists(WORDS, min_size=1, max_size=3).map(" ".join)),
    st.tuples(st.just("replace"), NAMES, WORDS),
    st.tuples(st.just("remove"), NAMES, st.just("")),
)
USED: Counter[bool] = Counter()  # whether a build was patched


@settings(
    max_examples=examples(20),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    texts=st.dictionaries(NAMES, TEXTS, min_size=1, max_size=6),
    rounds=st.lists(st.lists(EDITS, min_size=1, max_size=2), min_size=1, max_size=3),
)
@example(
    # A word that at first only links hold, then a text too, and at last links alone again.
    texts={"alpha": "[rare](b.plain) x", "b": "beta", "c": "the end"},
    rounds=[
        [("append", "c", "rare")],
        [("replace", "c", "beta")],
        [("append", "b", "rare rare rare")],
        [("write", "b", "beta")],
    ],
)
@example(
    texts={"alpha": "x", "b": "x", "c": "y"},
    rounds=[[("write", "alpha", "y")], [("write", "b", "y z")]],
)
@example(
    # Pages that come and go, and links that lead to them before they are there.
    texts={"alpha": "[alpha beta](b.plain) x", "c": "beta alpha", "日本語": "# the\n\nalpha"},
    rounds=[[("write", "b", "x\n\n## beta\n\ny")], [("remove", "alpha", "")], [("write", "beta/the", "")]],
)
@example(
    # As many sections as before, of other documents.
    texts={"alpha": "x", "b": "y", "c": "# titled\n\nthe end"},
    rounds=[[("remove", "b", ""), ("write", "日本語", "z")], [("remove", "日本語", ""), ("write", "b", "x")]],
)
@example(
    texts={"alpha": "x alpha", "b": "(label)=\n\ny", "c": "[rare](b.plain) y"},
    rounds=[[("write", "c", "[beta](alpha.plain)")], [("remove", "c", ""), ("append", "b", "rare")]],
)
@example(
    # Two documents are counted again, and each has the number that the other had.
    texts={"alpha": "alpha [rare](c.plain)", "c": "beta"},
    rounds=[[("write", "alpha", "")]],
)
def test_a_patched_cache_has_the_bytes_of_one_built_from_nothing(
    tmp_path: Path, texts: dict[str, str], rounds: list[list[tuple[str, str, str]]]
) -> None:
    home = tmp_path / os.urandom(8).hex()
    with plain_readers():
        write(home, texts)
        build(home, texts, "cache", None, set())
        for edits in rounds:
            after = edited(texts, edits)
            write(home, after)
            unchanged = {name for name in after if texts.get(name) == after[name]}
            texts = after
            USED[build(home, texts, "cache", "cache", unchanged)] += 1
            build(home, texts, "expected", None, set())
            assert contents(home / "cache") == contents(home / "expected")
    shutil.rmtree(home)


def test_some_of_these_were_patched() -> None:
    assert not USED or USED[True], "no edit was small enough to be patched"


def test_a_cache_of_hundreds_of_pages_is_patched_alike(tmp_path: Path) -> None:
    """Large enough that lists are written in every way there is: by numbers, by gaps, and a byte for each."""
    texts = {
        f"page-{page:03}": "\n\n".join(
            [
                f"# page {page} seldom{page // 2} often{page % 7}",
                *[
                    " ".join(f"w{page * part * every % (11 * every)}" for every in range(1, 20 + page % 9))
                    for part in range(1, 3 + page % 3)
                ],
                f"## more of{page // 40}\n\nthe end of seldom{page % 150} " + "again " * (page % 90),
            ]
        )
        for page in range(330)
    }
    rounds: list[list[tuple[str, str, str]]] = [
        [("append", "page-040", "five words that are new")],
        [("write", "page-100", "short now")],
        [("write", "page-150x", texts["page-007"]), ("append", "page-300", "\n\n## w4\n\nw8 " + "w9 " * 70)],
        [("remove", "page-009", ""), ("remove", "page-200", ""), ("write", "zzz", "seldom3 w1 often2")],
        [("remove", "page-150x", ""), ("replace", "page-012", "x")],
    ]
    with plain_readers():
        write(tmp_path, texts)
        build(tmp_path, texts, "cache", None, set())
        for edits in rounds:
            after = edited(texts, edits)
            write(tmp_path, after)
            assert build(tmp_path, after, "cache", "cache", {name for name in after if texts.get(name) == after[name]})
            texts = after
            build(tmp_path, texts, "expected", None, set())
            assert contents(tmp_path / "cache") == contents(tmp_path / "expected")
