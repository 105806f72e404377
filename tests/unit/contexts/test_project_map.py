"""The map of a project: what is on it, in which order, and that it keeps to its budget."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.code.analysis.facts import Export, FileFacts
from holdfast.code.analysis.references import References, hashes_in, pairs_in, references, word_hash
from holdfast.contexts.bindings import Binding
from holdfast.contexts.map_text import as_text
from holdfast.contexts.operations import OPERATIONS
from holdfast.contexts.project_map import DEFAULT_BUDGET, MapRequest, is_below, project_map
from holdfast.contexts.symbol_ranks import MapFile, ranked_symbols
from holdfast.core.errors import BudgetTooSmall
from holdfast.core.token_estimate import estimate_tokens


def file(path: str, defines: str = "", uses: str = "", *, generated: bool = False, test: bool = False) -> MapFile:
    """A file that defines `Name` and `Owner.member`, and uses some words."""
    exports: list[Export] = []
    for word in defines.split():
        owner, _, name = word.rpartition(".")
        exports.append(Export(word, "", name, owner, line=len(exports) + 1))
    facts = FileFacts(path.rpartition("/")[2], "Python", exports=tuple(exports), generated=generated)
    return MapFile(path, facts, references(f"{defines} {uses}".encode()), test)


PROJECT = [
    file("lib/core.py", "Engine Engine.run_all Rare", "Store"),
    file("lib/store.py", "Store Store.load_it"),
    file("lib/made.py", "Made", "Engine", generated=True),
    file("app/main.py", "Main", "Engine Store run_all"),
    file("app/other.py", "Other", "Engine"),
    file("tests/test_core.py", "TestEngine", "Engine Rare", test=True),
]


def test_a_map_has_a_line_a_file_most_used_first_and_counts_of_what_is_not_there() -> None:
    text = as_text(project_map(PROJECT, MapRequest(2000)))
    assert text.split("\n")[1:] == [
        "lib/core.py:1 Engine{run_all} :3 Rare",
        "lib/store.py:1 Store{load_it}",
        "app/main.py:1 Main",
        "app/other.py:1 Other",
    ]
    assert text.startswith("# 4 of 4 files · 7 of 7 public symbols, most used first · ")
    assert text.split("\n")[0].endswith(" of 2,000 tokens · left out: 1 test files, 1 generated files")


def test_what_does_not_fit_is_told_and_the_most_used_is_there() -> None:
    least = project_map(PROJECT, MapRequest(2000))["tokens_used"]
    value = project_map(PROJECT, MapRequest(least - 5))
    assert value["files"][0]["path"] == "lib/core.py"
    assert value["files"][0]["symbols"][0]["name"] == "Engine"
    more = value["symbol_count"] - value["symbols_shown"]
    hidden = value["file_count"] - len(value["files"])
    assert as_text(value).split("\n")[-1] == f"… {more} more symbols, {hidden} more files: raise budget or give scopes"


def test_the_default_budget_is_the_one_that_the_tool_states() -> None:
    operation = next(each for each in OPERATIONS if each.command == ("map",))
    stated = next(each.description for each in operation.parameters if each.name == "budget")
    assert stated == f"Most tokens (default: {DEFAULT_BUDGET})"


def test_a_budget_that_not_even_the_counts_fit_is_refused() -> None:
    with pytest.raises(BudgetTooSmall, match="the shortest map does not fit: "):
        project_map(PROJECT, MapRequest(5))


def test_scopes_show_a_part_and_count_references_from_everywhere() -> None:
    value = project_map(PROJECT, MapRequest(2000, ["lib"]))
    assert [one["path"] for one in value["files"]] == ["lib/core.py", "lib/store.py"]
    assert (value["file_count"], value["left_out"]["tests"]) == (2, 0)
    assert [one["path"] for one in project_map(PROJECT, MapRequest(2000, ["lib/store.py"]))["files"]] == [
        "lib/store.py"
    ]


def test_what_is_in_focus_and_what_it_uses_comes_first() -> None:
    paths = [one.path for one in ranked_symbols(PROJECT, {"app/other.py"})]
    assert list(dict.fromkeys(paths))[:2] == ["app/other.py", "lib/core.py"]


def test_an_empty_project_has_a_map() -> None:
    assert as_text(project_map([], MapRequest(2000))).startswith("# 0 of 0 files · 0 of 0 public symbols")


def test_files_that_were_not_read_are_told_by_language_and_reason() -> None:
    broken = MapFile("a.go", FileFacts("a.go", "Go", unread="not parsed"), References())
    text = as_text(project_map([broken], MapRequest(2000), left=3, unknown={"Haskell": 2}))
    assert "left out: 3 files beyond the limit" in text
    assert "not read: 1 Go files, not parsed, 2 Haskell files, no grammar" in text


def test_a_name_cannot_pass_for_another_line_or_steer_a_terminal() -> None:
    value = project_map([file("a\nb\x1b[31m.py", "Engine")], MapRequest(2000))
    assert as_text(value).split("\n")[1] == "a␊b␛[31m.py:1 Engine"


def test_a_name_that_everybody_defines_belongs_to_nobody() -> None:
    many = [file(f"m{at}.py", "make_it") for at in range(9)]
    ranked = ranked_symbols([*many, file("one.py", "only_here"), file("user.py", "", "make_it only_here")])
    assert ranked[0].name == "only_here"


def test_names_are_found_by_their_hashes_and_a_name_behind_a_joint_with_the_one_before_it() -> None:
    found = references("größe = Engine.run(x, 12).stop; if a->is".encode(), frozenset({b"if", b"is"}))
    assert set(hashes_in(found.names)) == {word_hash(word) for word in ("größe", "Engine", "run", "stop", "is")}
    pairs = {(word_hash(a), word_hash(b)) for a, b in (("Engine", "run"), ("", "stop"), ("a", "is"))}
    assert set(pairs_in(found.joined)) == pairs


def test_a_reference_through_an_import_counts_ten_times_a_namesake() -> None:
    bound = Binding({word_hash("make_it"): frozenset({"lib"})})
    user = MapFile("app/user.py", FileFacts("user.py", "Python"), references(b"make_it"), binding=bound)
    ranked = ranked_symbols([file("lib/one.py", "make_it"), file("other/two.py", "make_it"), user])
    assert [(one.path, one.score) for one in ranked] == [("lib/one.py", 5040), ("other/two.py", 0)]
    ranked = ranked_symbols([file("lib/one.py", "make_it"), file("app/user.py", "", "make_it")])
    assert [one.score for one in ranked] == [504]


def test_one_file_has_no_more_of_a_map_than_its_share() -> None:
    many = " ".join([f"Used{at}" for at in range(60)])
    ranked = ranked_symbols([file("big.py", many), file("small.py", "Seldom"), file("user.py", "", many)])
    assert [one.name for one in ranked].index("Seldom") == 23  # 16, and a third of what is before
    assert len(ranked) == 61
    others = [file(f"other{at}.py", " ".join([f"Other{at}x{name}" for name in range(60)])) for at in range(20)]
    ranked = ranked_symbols([file("big.py", many), file("small.py", "Seldom"), file("user.py", "", many), *others])
    assert [one.path for one in ranked[:19]].count("big.py") == 18  # 16, and an eighth
    assert len(ranked) == 61 + 1200


def test_a_files_neighbours_by_import_come_right_after_it() -> None:
    uses = Binding({word_hash("Engine"): frozenset({"lib"})})
    focus = MapFile("app/main.py", file("", "Main").facts, references(b"Engine"), binding=uses)
    user = MapFile("web/page.py", file("", "Page").facts, references(b"Main"), binding=Binding({}, frozenset({"app"})))
    files = [file("z/most.py", "Most"), *[file(f"u{at}.py", "", "Most") for at in range(9)], user, focus]
    ranked = ranked_symbols([*files, file("lib/engine.py", "Engine")], {"app/main.py"})
    assert [one.name for one in ranked] == ["Main", "Engine", "Page", "Most"]


def test_a_path_is_below_a_scope_by_whole_names() -> None:
    found = [is_below("lib/core.py", scope) for scope in ("", "lib", "lib/core.py", "li", "lib/core", "lib/core.py/x")]
    assert found == [True, True, True, False, False, False]


def test_every_count_and_symbol_of_a_map_is_in_its_value() -> None:
    broken = [MapFile(f"{name}.go", FileFacts(f"{name}.go", "Go", unread="not parsed"), References()) for name in "ab"]
    made_test = file("tests/made.py", "", generated=True, test=True)
    request = MapRequest(2000, focus=["lib/store.py"])
    value = project_map([*PROJECT, *broken, made_test], request, left=2, unknown={"Zig": 1, "Ada": 3})
    assert value == {
        "budget": 2000,
        "tokens_used": estimate_tokens(as_text(value) + "\n"),
        "symbols_shown": 7,
        "files": [
            {"path": "lib/store.py", "symbols": [{"name": "Store", "line": 1, "members": ["load_it"]}]},
            {
                "path": "lib/core.py",
                "symbols": [{"name": "Engine", "line": 1, "members": ["run_all"]}, {"name": "Rare", "line": 3}],
            },
            {"path": "app/main.py", "symbols": [{"name": "Main", "line": 1}]},
            {"path": "app/other.py", "symbols": [{"name": "Other", "line": 1}]},
        ],
        "file_count": 4,
        "symbol_count": 7,
        "left_out": {"tests": 2, "generated": 1, "beyond_limit": 2},
        "not_read": {"Ada: no grammar": 3, "Go: not parsed": 2, "Zig: no grammar": 1},
    }
    assert list(value["not_read"]) == sorted(value["not_read"])


def test_a_map_takes_as_many_symbols_as_fit_to_the_token() -> None:
    """A budget of what a shorter map takes gives that map; one token less gives a shorter one, and at last none."""
    value = project_map(PROJECT, MapRequest(2000))
    shown = []
    while value["symbols_shown"]:
        shown.append(value["symbols_shown"])
        # The budget is part of the text, so its own digits count: a smaller one may take a token less.
        value = project_map(PROJECT, MapRequest(value["tokens_used"] - 1))
        assert value["tokens_used"] <= value["budget"]
        assert project_map(PROJECT, MapRequest(value["budget"]))["symbols_shown"] == value["symbols_shown"]
    assert shown == [7, 7, 3, 2, 1]
    least = value["tokens_used"]
    with pytest.raises(BudgetTooSmall) as raised:
        project_map(PROJECT, MapRequest(least - 1))
    assert f"{least}" in raised.value.reason


WORDS = st.sampled_from(["Engine", "Store", "run_all", "load", "größe", "Main", "X" * 60])
FILES = st.lists(
    st.builds(
        file,
        st.sampled_from(["a.py", "b/c.py", "b/d.py", "e/f g.py", "e/h\n.py"]),
        st.lists(WORDS, max_size=6).map(" ".join),
        st.lists(WORDS, max_size=6).map(" ".join),
        generated=st.booleans(),
        test=st.booleans(),
    ),
    max_size=5,
    unique_by=lambda one: one.path,
)


class TestLaws:
    @settings(deadline=None)
    @given(FILES, st.integers(0, 400))
    def test_the_whole_text_keeps_to_the_budget_and_says_what_it_takes(self, files: list[MapFile], budget: int) -> None:
        try:
            value = project_map(files, MapRequest(budget))
        except BudgetTooSmall:
            return
        tokens = estimate_tokens(as_text(value) + "\n")
        assert tokens <= value["tokens_used"] <= budget

    @settings(deadline=None)
    @given(FILES, st.randoms())
    def test_the_order_of_files_changes_nothing(self, files: list[MapFile], random: object) -> None:
        shuffled = sorted(files, key=lambda _: random.random())  # type: ignore[attr-defined]  # a Random
        assert ranked_symbols(shuffled) == ranked_symbols(files)
