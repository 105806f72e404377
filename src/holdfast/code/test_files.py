"""Which files are tests, by the names that test runners go by, and which show how a project is used."""

from __future__ import annotations

from holdfast.code.languages import extension_of

# Directories that hold tests and what they need, and nothing that a program is built from.
_FOLDERS = frozenset("test tests __tests__ spec testdata __mocks__ __fixtures__ fixtures e2e testing_support".split())
_EXAMPLES = frozenset(
    "examples example docs doc samples sample demo demos benchmarks benches playground playgrounds fuzz".split()
)
_STEMS_BEFORE = ("test_",)
_STEMS_AFTER = ("_test", "_tests", "_spec", ".test", ".spec", "-test", "-spec")
_CAPITALS = ("Test", "Tests", "Spec", "IT", "TestCase")
_CAPITAL_LANGUAGES = frozenset("java kt kts scala cs php swift".split())


def is_test(place: str, name: str) -> bool:
    """Whether a file of a place, as a path from the project's root, is a test or only there for tests."""
    return is_test_place(place) or is_test_name(name)


def is_test_place(place: str) -> bool:
    """Whether a place lies in a directory of tests: `tests`, `src/test/java`, `commonTest`, `App.Tests`."""
    return any(
        part in _FOLDERS or (part.endswith(("Test", "Tests")) and ("a" <= part[0] <= "z" or "." in part))
        for part in place.split("/")
        if part
    )


def is_test_name(name: str) -> bool:
    """Whether a file's own name says that it is a test."""
    stem = name.rpartition(".")[0]
    if name == "conftest.py" or stem.startswith(_STEMS_BEFORE) or stem.endswith(_STEMS_AFTER):
        return True
    extension = extension_of(name)
    # In C# a class that ends in `Spec` is a specification: a query that has a name.
    endings = [ending for ending in _CAPITALS if extension != "cs" or ending != "Spec"]
    return extension in _CAPITAL_LANGUAGES and any(stem.endswith(ending) and stem != ending for ending in endings)


def is_example(path: str) -> bool:
    """Whether a file shows how the project is used, instead of being part of it, by the directories it lies in."""
    return not _EXAMPLES.isdisjoint(path.split("/")[:-1])
