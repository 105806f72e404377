"""Edits of `context.toml` keep what a person wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.project.project_file import DeclaredCache, DeclaredSource, ProjectFile, parse_project_file
from holdfast.caches.project.toml_edit import with_cache, with_items
from holdfast.core.errors import SettingsInvalid, UsageError

GUIDES = DeclaredCache("guides", (DeclaredSource("docs"),), ("*.md",), (), 'say "hi"')


def declared(text: str) -> ProjectFile:
    return parse_project_file(text.encode())


@pytest.mark.parametrize("text", ["", "# mine\n", "# mine", "[search]\r\ntokenizer = 'bytes/4'\r\n"])
def test_a_cache_is_appended(text: str) -> None:
    edited = with_cache(text, declared(text), GUIDES)
    assert edited.startswith(text)
    assert declared(edited).caches == (GUIDES,)
    assert ("\r\n" in edited) == ("\r\n" in text)


def test_what_is_appended_reads_well() -> None:
    cache = DeclaredCache("v1.2", (DeclaredSource(""), DeclaredSource("b")), about="x")
    assert with_cache("# mine", declared(""), cache) == '# mine\n\n[caches."v1.2"]\nsources = [".", "b"]\nabout = "x"\n'


LISTS = [
    ('packages = ["a"]', 'packages = ["a", "x", "y"]'),
    ('packages = [ "a", ] # mine', 'packages = [ "a", "x", "y" ] # mine'),
    ("packages=['a','b' ]", "packages=['a','b', \"x\", \"y\" ]"),
    (
        'packages = [\n  "a", # why, "]"\n  "b" # last\n]',
        'packages = [\n  "a", # why, "]"\n  "b", # last\n  "x",\n  "y"\n]',
    ),
    ('packages = [\n\t"a",\n]', 'packages = [\n\t"a",\n\t"x",\n\t"y",\n]'),
    ('packages = [\n  "a"]', 'packages = [\n  "a", "x", "y"]'),
    ('sources = ["d"]', 'packages = ["x", "y"]\nsources = ["d"]'),
    ('packages = ["""a"""]', 'packages = ["""a""", "x", "y"]'),
    ('packages = ["a" , "b" ,]', 'packages = ["a" , "b", "x", "y"]'),
    ('packages = []\nsources = ["d"]', 'packages = ["x", "y"]\nsources = ["d"]'),
    ('about = "packages = ["\npackages = ["a"]', 'about = "packages = ["\npackages = ["a", "x", "y"]'),
]


@pytest.mark.parametrize(("before", "after"), LISTS, ids=[before for before, _ in LISTS])
def test_items_are_added_to_a_list_where_it_stands(before: str, after: str) -> None:
    other = '# top\n[caches.other]\nsources = [\n "[caches.dependencies]",\n]\n'
    frame = other + "\n[caches.dependencies] # here\n%s\n\n[search]\n"
    text = frame % before
    assert with_items(text, declared(text), "dependencies", "packages", ["x", "y"]) == frame % after


def test_a_list_with_a_dotted_key_is_found() -> None:
    text = '[caches]\ndependencies.packages = ["a"]\n'
    edited = with_items(text, declared(text), "dependencies", "packages", ["x"])
    assert edited == '[caches]\ndependencies.packages = ["a", "x"]\n'


def test_sources_are_added_beside_checkouts() -> None:
    text = '[caches.a]\nsources = [{ git = "v", path = "d" }]\n'
    edited = with_items(text, declared(text), "a", "sources", ["b"])
    assert edited == '[caches.a]\nsources = [{ git = "v", path = "d" }, "b"]\n'


@pytest.mark.parametrize(
    "text",
    [
        'caches = { dependencies = { packages = ["a"] } }\n',
        "[caches]\ndependencies = { packages = ['a'] }\n",
    ],
)
def test_what_is_written_in_another_way_is_left_alone_and_the_person_told_what_to_write(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        with_items(text, declared(text), "dependencies", "packages", ["x"])
    assert 'packages = [ …, "x"]' in caught.value.reason


TOML = st.text(alphabet="[]{}\"'=,# \nab\\", max_size=60)


@given(TOML, TOML)
def test_an_edit_says_what_was_meant_or_is_refused(one: str, two: str) -> None:
    text = f'{one}\n[caches.dependencies]\n{two}\npackages = ["a"]\n'
    try:
        before = declared(text)
    except SettingsInvalid:
        return
    try:
        edited = with_items(text, before, "dependencies", "packages", ["x"])
    except UsageError:
        return
    cache = declared(edited).cache("dependencies")
    assert cache is not None
    assert cache.packages == ("a", "x")
