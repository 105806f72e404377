"""`context.toml`: what it may say, and what is told when it says something else."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from holdfast.caches.project.project_file import (
    DeclaredCache,
    DeclaredSource,
    ProjectFile,
    parse_project_file,
)
from holdfast.core.errors import SettingsInvalid

WHOLE = """
[caches.fastapi]
sources = ["vendor/fastapi/docs/en", { git = "vendor/x", commit = "0123456789ABCDEF", path = "docs/./api" }]
include = ["**/*.md", "*.rst"]
exclude = ["release-notes.md"]
about   = "FastAPI documentation"
[caches.dependencies]
packages = ["pydantic", "@scope/name"]
python = "env"
[search]
tokenizer = "o200k_base"
"""


def test_a_whole_file_is_read() -> None:
    fastapi = DeclaredCache(
        "fastapi",
        (
            DeclaredSource("vendor/fastapi/docs/en"),
            DeclaredSource("vendor/x", is_git=True, commit="0123456789abcdef", folder="docs/api"),
        ),
        ("**/*.md", "*.rst"),
        ("release-notes.md",),
        "FastAPI documentation",
    )
    dependencies = DeclaredCache("dependencies", packages=("pydantic", "@scope/name"), python="env")
    assert parse_project_file(WHOLE.encode()) == ProjectFile((dependencies, fastapi), "o200k_base")
    assert parse_project_file(b"") == ProjectFile((), "estimate-1")
    schema = json.loads((Path(__file__).parents[4] / "schema" / "project.schema.json").read_bytes())
    jsonschema.validate(tomllib.loads(WHOLE), schema)


# What stands in the file, and a part of what is said of it.
WRONG = [
    ("[cache.a]", "there is no key 'cache': did you mean 'caches'?"),
    ("[caches.a]\nsource = ['x']", "there is no key 'caches.a.source': did you mean 'sources'?"),
    ("[caches.a]\nsources = ['x']\nzzz = 1", "known are sources, include, exclude, about, packages, python"),
    ("[search]\nbudget = 3", "there is no key 'search.budget'"),
    ("[caches.a]\nsources = 'x'", 'write sources = ["docs"]'),
    ("[caches.a]\nsources = [1]", "must hold paths, or git checkouts"),
    ("[caches.a]\nsources = ['']", "must be a path"),
    ("[caches.a]\nsources = ['../x']", "'../x' leads outside the project"),
    ("[caches.a]\nsources = ['/etc']", "'/etc' leads outside the project"),
    ("[caches.a]\nsources = [{ path = 'x' }]", "has a table without git"),
    ("[caches.a]\nsources = [{ git = 'x', ref = 'y' }]", "there is no key 'caches.a.sources.ref'"),
    ("[caches.a]\nsources = [{ git = 'x', commit = 'main' }]", "not a branch"),
    ("[caches.a]\nsources = [{ git = 'x', path = '../y' }]", "leads outside the checkout"),
    ("[caches.a]", "has neither sources nor packages"),
    ("[caches.a]\nsources = []", "has neither sources nor packages"),
    ("[caches.a]\nsources = ['x']\npython = 'y'", "of use with packages alone"),
    ("[caches.a]\npackages = 'x'", "must be a list of packages"),
    ("[caches.a]\npackages = [' ']", "names no package"),
    ("[caches.a]\nsources = ['x']\ninclude = '*.md'", "must be a list of patterns"),
    ("[caches.a]\nsources = ['x']\nexclude = ['#']", "a pattern that matches nothing"),
    ("[caches.a]\nsources = ['x']\nabout = 3", "about must be a text"),
    ("[caches.a]\nsources = ['x']\nabout = \"a\\u0000\"", "caches.a.about must be"),
    (f"[caches.a]\nsources = ['x']\nabout = '{'x' * 201}'", "say it in 200"),
    ("caches = 3", "caches must be a table"),
    ("[caches]\na = 3", "caches.a must be a table"),
    ("[caches.'../x']\nsources = ['y']", "leads outside the cache root"),
    ("[caches.'..']\nsources = ['y']", "leads outside the cache root"),
    ("[caches.'.x']\nsources = ['y']", "is no name"),
    ("[caches.'a:b']\nsources = ['y']", "is no name"),
    ("[caches.a]\nsources = ['x']\n[caches.A]\nsources = ['x']", "differ in case alone"),
    ("[caches.a]\nsources = ['x']\n[caches.a]\nsources = ['y']", "each key is written once"),
    ("[search]\ntokenizer = 'gpt2'", "one of: estimate-1, o200k_base, bytes/4"),
    ("[caches.a\n", "it is not TOML"),
    ("a = " + "[" * 5000, "it is"),
]


@pytest.mark.parametrize(("text", "said"), WRONG, ids=[said for _, said in WRONG])
def test_what_is_wrong_is_said_with_its_key(text: str, said: str) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        parse_project_file(text.encode())
    assert said in caught.value.reason
    assert caught.value.headline == "context.toml cannot be used"


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(SettingsInvalid, match="not UTF-8"):
        parse_project_file(b"a = '\xff'")
