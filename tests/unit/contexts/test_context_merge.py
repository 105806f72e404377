"""Two branches that changed one context: machine fields are settled, both sides' words stay."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest

from holdfast.contexts import schema
from holdfast.contexts.conflict_markers import has_markers, versions
from holdfast.contexts.context_merge import merge, merged_lists
from holdfast.contexts.context_text import edited, machine_fields
from holdfast.contexts.on_disk.merged_file import merge_files, resolved
from holdfast.core.errors import ContextCorrupt
from holdfast.core.yaml_text import parse
from support.histories import BEGINNING, Branch, grown

MERGES = 200


def two_people_wrote(ours: Branch, theirs: Branch) -> bool:
    mine, other = dict(ours.texts), dict(theirs.texts)
    return any(mine[name] != other[name] for name in mine.keys() & other.keys())


def lost(text: str, ours: Branch, theirs: Branch) -> set[str]:
    """The words of people that a merged text lacks, and those it brought back."""
    gone = {word for word in ours.words | theirs.words if word not in text}
    return gone | {word for word in ours.removed | theirs.removed if word in text}


def test_two_hundred_merges_of_generated_histories_leave_no_conflict_but_two_peoples_words(tmp_path: Path) -> None:
    chance = Random(20)
    trunk = Branch(BEGINNING)
    seen = {"conflicts": 0, "clean": 0}
    for number in range(MERGES):
        start = Branch(trunk.text)
        ours, theirs = grown(start, chance, f"o{number}x"), grown(start, chance, f"t{number}x")
        paths = [str(tmp_path / name) for name in ("base", "ours", "theirs")]
        for path, text in zip(paths, (start.text, ours.text, theirs.text), strict=True):
            Path(path).write_text(text)
        merged = merge_files(*paths)
        written = Path(paths[1]).read_text()

        assert bool(merged.conflicts) == two_people_wrote(ours, theirs), (number, merged)
        assert lost(written, ours, theirs) == set(), (number, written)
        if merged.conflicts:
            seen["conflicts"] += 1
            assert merged.conflicts == ("summary",)
            assert has_markers(written)
            with pytest.raises(ContextCorrupt, match="both sides wrote summary"):
                resolved(written.encode())
            continue
        seen["clean"] += 1
        context = parse(written.encode())
        assert schema.check(context) == []
        assert machine_fields(context, written) >= {"exports"}
        assert ("summary" in machine_fields(context, written)) == ("About" not in context["summary"])
        trunk = Branch(written if len(written) < 2500 else BEGINNING)
    assert min(seen.values()) >= 10, seen


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_merges_without_the_driver_are_resolved_from_their_markers(tmp_path: Path, style: str) -> None:
    chance = Random(21)
    paths = [tmp_path / name for name in ("ours", "base", "theirs")]
    marked = 0
    for number in range(MERGES // 3):
        start = Branch(BEGINNING)
        ours, theirs = grown(start, chance, f"o{number}x"), grown(start, chance, f"t{number}x")
        for path, text in zip(paths, (ours.text, start.text, theirs.text), strict=True):
            path.write_text(text)
        option, base = ([], start.text) if style == "merge" else ([f"--{style}"], None)  # git's index has it then
        done = subprocess.run(["git", "merge-file", "-p", *option, *map(str, paths)], capture_output=True)
        text = done.stdout.decode()
        if not has_markers(text):
            continue
        marked += 1
        if two_people_wrote(ours, theirs) and "summary" in text.partition("<<<<<<<")[2]:
            with pytest.raises(ContextCorrupt, match="both sides wrote summary"):
                resolved(done.stdout, base)
            continue
        found = resolved(done.stdout, base).decode()
        assert schema.check(parse(found.encode())) == []
        # What a side took out cannot be told from what the other put in without what both began with.
        assert {word for word in ours.words | theirs.words if word not in found} == set(), (number, text, found)
    assert marked >= 50


def branch(**changes: object) -> str:
    return edited(BEGINNING, changes)


def test_a_persons_text_stays_before_the_machines() -> None:
    by_hand = BEGINNING.replace('"Lib: 2 Python files."', '"Pipes."')
    renewed = branch(summary="Lib: 3 Python files.", fingerprint="11111111")

    for ours, theirs in ((by_hand, renewed), (renewed, by_hand)):
        merged = merge(BEGINNING, ours, theirs)
        assert (parse(merged.text.encode())["summary"], merged.conflicts) == ("Pipes.", ())
        assert "summary" not in machine_fields(parse(merged.text.encode()), merged.text)


def test_what_only_one_side_changed_is_taken_and_the_later_time_stays() -> None:
    ours = branch(fingerprint="11111111", last_updated="2026-03-01T00:00:00Z")
    theirs = branch(fingerprint="22222222", last_updated="2026-02-01T00:00:00Z", todos=["x"])
    found = parse(merge(BEGINNING, ours, theirs).text.encode())

    assert (found["fingerprint"], found["last_updated"], found["todos"]) == ("11111111", "2026-03-01T00:00:00Z", ["x"])


def test_a_field_that_two_people_wrote_differently_stands_between_markers_and_nothing_else() -> None:
    ours = BEGINNING.replace('"Lib: 2 Python files."', "Ours.").replace("00000000", "11111111")
    theirs = BEGINNING.replace('"Lib: 2 Python files."', "Theirs.").replace("00000000", "22222222")
    merged = merge(BEGINNING, ours, theirs)
    rows = merged.text.splitlines()
    at = rows.index("<<<<<<< ours")

    assert merged.conflicts == ("summary",)
    assert rows[at : at + 5] == [
        *("<<<<<<< ours", "summary: Ours.", "=======", "summary: Theirs.", ">>>>>>> theirs"),
    ]
    assert (merged.text.count("<<<<<<<"), merged.text.count("fingerprint:")) == (1, 1)


def test_one_record_is_merged_part_by_part_and_a_conflict_names_the_part() -> None:
    project = {"name": "a", "description": "b", "language": "c"}
    base = branch(project=project)
    ours, theirs = branch(project={**project, "name": "x"}), branch(project={**project, "description": "y"})
    both = branch(project={**project, "name": "z"})

    assert parse(merge(base, ours, theirs).text.encode())["project"] == {
        "name": "x",
        "description": "y",
        "language": "c",
    }
    assert merge(base, ours, both).conflicts == ("project.name",)


def test_without_anything_in_common_lists_are_joined() -> None:
    ours, theirs = branch(constraints=["a"], fingerprint="11111111"), branch(constraints=["b"], fingerprint="22222222")
    found = parse(merge("", ours, theirs).text.encode())

    assert found["constraints"] == ["a", "b"]


def test_keys_of_others_are_merged_too() -> None:
    base = BEGINNING + "x-team: {name: pipes, tags: [a]}\n"
    ours, theirs = base.replace("[a]", "[a, b]"), base.replace("[a]", "[a, c]")

    assert parse(merge(base, ours, theirs).text.encode())["x-team"] == {"name": "pipes", "tags": ["a", "b", "c"]}


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        ([1], [1, 2], [1, 3], [1, 2, 3]),
        ([1, 2], [2], [1, 2, 3], [2, 3]),
        ([1, 2], [1], [2], []),
        ([], [1], [1], [1]),
        ([1], [1], [4, 1], [1, 4]),
        ([], [], [], []),
    ],
)
def test_lists_keep_both_sides(base: list[int], ours: list[int], theirs: list[int], expected: list[int]) -> None:
    assert merged_lists(base, ours, theirs) == expected


def test_markers_out_of_order_are_not_guessed_at() -> None:
    assert versions("<<<<<<< a\nx\n<<<<<<< b\n=======\n>>>>>>> c\n") is None
    assert versions("<<<<<<< a\nx\n") is None
    with pytest.raises(ContextCorrupt, match="not in order"):
        resolved(b"<<<<<<< a\n>>>>>>> b\n<<<<<<< c\n")


def test_a_text_that_only_talks_of_markers_is_left_alone() -> None:
    data = b"summary: |\n  <<<<<<< like this\n  =======\n  >>>>>>> that\n"
    assert resolved(data) is data
