"""From facts to the fields of a context."""

from __future__ import annotations

import pytest

from holdfast.code.analysis.facts import Export, FileFacts
from holdfast.code.test_files import is_test
from holdfast.contexts.dependencies import Dependencies
from holdfast.contexts.description import (
    MAX_EXPORTS,
    About,
    Child,
    exports,
    fields,
    interfaces,
    maintenance,
    public_exports,
    summary,
)
from holdfast.contexts.manifests import about, readme_summary, says_something
from holdfast.contexts.source_kinds import is_source
from holdfast.core.tokens import tokens_of_bytes


def test_the_summary_comes_from_a_manifest_a_package_comment_or_a_readme_and_is_never_made_up() -> None:
    entry = FileFacts("__init__.py", "Python", "From the package.")
    other = FileFacts("a.py", "Python", "From a file.")
    main = FileFacts("__main__.py", "Python", "Starts it.")
    go = FileFacts("b.go", "Go", "Package b does it.")
    test = FileFacts("b_test.go", "Go", "Package b_test tests.")
    readme = About(readme="From the README.")
    assert [
        summary(About(description="From the manifest.", readme="From the README."), [entry]),
        summary(readme, [other, entry]),
        summary(readme, [other, main]),
        summary(About(), [test, go]),
        summary(About(), [other]),
        summary(About(), [main]),
        summary(About(), []),
    ] == ["From the manifest.", "From the package.", "From the README.", "Package b does it.", "", "", ""]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject.toml": '[project]\nname = "a"\ndescription = "D."\n'}, About("a", "D.", manager="pip")),
        ({"pyproject.toml": '[tool.poetry]\nname = "a"\ndescription = "D."\n'}, About("a", "D.", manager="pip")),
        ({"package.json": '{"name": "a", "description": "D."}'}, About("a", "D.", "a", manager="npm")),
        ({"Cargo.toml": '[package]\nname = "a-b"\ndescription = "D."\n'}, About("a-b", "D.", "a_b", manager="cargo")),
        ({"go.mod": "module example.com/x\n\ngo 1.22\n"}, About("x", "", "example.com/x", manager="go")),
        ({"composer.json": '{"name": "v/a", "description": "D."}'}, About("v/a", "D.", manager="composer")),
        ({"package.json": "not json", "pyproject.toml": "= broken"}, About(manager="pip")),
        ({"README.md": "# T\n\n[![b](x)](y)\n\nIt does [one](u) thing. More.\n"}, About(readme="It does one thing.")),
    ],
)  # fmt: skip
def test_manifests_and_readmes_tell_name_and_description(files: dict[str, str], expected: About) -> None:
    assert about(files) == expected


def test_a_readme_without_prose_tells_nothing() -> None:
    assert readme_summary("# Title\n\n---\n\n- a\n- b\n") == ""
    assert readme_summary("Shop Support Library\n====================\n\nThere is a script to build it.\n") == ""


def test_a_readme_is_quoted_without_the_marks_of_its_links() -> None:
    assert readme_summary("# T\n\nIt does [one][1] and [two](u).\n\n[1]: x\n") == "It does one and two."


def test_inline_tags_of_javadoc_are_what_they_hold() -> None:
    package = FileFacts("package-info.java", "Java", "Rules, see {@link a.Shop} and {@code x > 1}.")
    assert summary(About(), [package]) == "Rules, see a.Shop and x > 1."


def test_the_fields_of_a_directory_name_their_files_and_leave_tests_out() -> None:
    files = [
        FileFacts("a.py", "Python", "Does a.", (Export("go()", "Go there. Now.", "go"), Export("LIMIT", "", "LIMIT"))),
        FileFacts("b.rs", "Rust", "", (Export("hidden()", "", "hidden", is_inner=True),)),
        FileFacts("c.go", "Go", "", (Export("Made()", "", "Made"),), generated=True),
        FileFacts("test_a.py", "Python", "", (Export("test_go()", "Tests it.", "test_go"),)),
    ]
    needs = Dependencies(["lib"], ["numpy"])
    names = ["a.py", "b.rs", "c.go", "test_a.py"]
    made = fields(".", "", About("shop", "Sells."), files, names, needs, [Child("sub", "sub", "Below.")])
    assert made == {
        "summary": "Sells.",
        "maintenance": maintenance("."),
        "files": [
            {"name": "a.py", "purpose": "Does a.", "test_file": "test_a.py"},
            {"name": "b.rs", "purpose": "Rust source"},
            {"name": "c.go", "purpose": "Go source"},
            {"name": "test_a.py", "purpose": "Tests it."},
        ],
        "interfaces": [{"name": "a.py: go()", "description": "Go there."}],
        "dependencies": {"internal": ["lib"], "external": ["numpy"]},
        "subdirectories": [{"name": "sub/", "summary": "Below."}],
        "exports": ["a.py: go()", "a.py: LIMIT"],
        "project": {"name": "shop", "description": "Sells.", "language": "Python"},
        "structure": [{"path": "sub", "summary": "Below."}],
    }


def test_an_interface_of_go_is_shown_with_its_methods() -> None:
    files = [FileFacts("a.go", "Go", "", (Export("type A interface", "", "A", members=("Get", "Set")),))]
    assert exports("", files, public_exports("", files)) == ["a.go: type A interface: Get(), Set()"]


def test_a_list_that_is_cut_says_how_many_more_there_are() -> None:
    many = tuple(Export(f"f{at}()", "Does it.", f"f{at}") for at in range(MAX_EXPORTS + 10))
    files = [FileFacts("a.py", "Python", "", many)]
    offered = public_exports("lib", files)
    assert exports("lib", files, offered)[-1] == "… 11 more: project_map with this scope has the rest"
    assert len(exports("lib", files, offered)) == MAX_EXPORTS
    assert interfaces(offered)[-1] == {"name": "…", "description": f"{MAX_EXPORTS + 10 - 99} more"}


@pytest.mark.parametrize(
    ("place", "name", "expected"),
    [
        ("", "gin_test.go", True), ("", "test_a.py", True), ("", "conftest.py", True), ("src", "a.spec.ts", True),
        ("tests", "a.py", True), ("src/test/java/com", "A.java", True), ("x", "AppTest.java", True),
        ("lib/commonTest/kotlin", "A.kt", True), ("src/App.Tests", "A.cs", True), ("pkg/testdata", "a.go", True),
        ("src", "CartSpec.cs", False), ("src", "CartSpec.kt", True),
        ("", "testing.py", False), ("src/specs", "a.py", False), ("", "Test.java", False), ("contest", "a.py", False),
        ("", "latest.js", False), ("src", "Contest.cs", False), ("Test", "A.swift", False), ("", "attest.go", False),
    ],
)  # fmt: skip
def test_tests_are_told_by_the_names_that_runners_go_by(place: str, name: str, expected: bool) -> None:
    assert is_test(place, name) is expected


def test_source_files_are_told_by_their_names() -> None:
    names = ["a.py", "A.PY", "Makefile", "go.mod", "a.png", "LICENSE", ".context.yaml", ".context.config.yaml", ".env"]
    assert [name for name in names if is_source(name)] == ["a.py", "A.PY", "Makefile", "go.mod"]


def test_four_bytes_are_a_token_and_what_is_left_is_one_more() -> None:
    assert [tokens_of_bytes(size) for size in (0, 1, 4, 5)] == [0, 1, 1, 2]


def test_a_manifest_of_another_language_does_not_describe_the_source_beside_it() -> None:
    texts = {
        "package.json": '{"name": "phoenix", "description": "The official JavaScript client of it"}',
        "mix.exs": 'def project do [app: :phoenix, description: "Peace of mind from prototype to production"] end',
    }
    assert about(texts, "Elixir").description == "Peace of mind from prototype to production"
    assert about({"package.json": texts["package.json"]}, "Elixir").description == ""
    assert about({"package.json": texts["package.json"]}, "TypeScript").description != ""


def test_a_name_an_address_or_the_beginning_of_a_sentence_says_nothing() -> None:
    for text in (
        "@vue/reactivity",
        "https://img.shields.io/a b c",
        "[![CI](x)] a b",
        "Holds files such as",
        "a b …",
        "The task module.",
        "",
    ):
        assert not says_something(text)
    assert says_something("Sells things.")
