from __future__ import annotations

import ast
from pathlib import Path

import pytest

from holdfast.core import errors
from holdfast.core.errors import FAILURES, ContextError, exit_codes


def test_every_failure_there_is_stands_in_the_table_and_in_the_tree() -> None:
    defined = {value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, ContextError)}
    assert defined - {ContextError} == set(FAILURES)
    assert [failure.__name__ for failure in FAILURES if f" {failure.__name__} " not in (errors.__doc__ or "")] == []
    assert [failure.exit_code for failure in FAILURES] == sorted(failure.exit_code for failure in FAILURES)


def test_codes_messages_and_exit_codes_of_the_context_tools_are_fixed() -> None:
    names = ["InvalidQuery", "InvalidBudget", "CacheMissing", "CacheInvalid", "IoError", "InternalError"]
    found = [(failure.code, failure.exit_code, failure.message) for failure in FAILURES if failure.__name__ in names]
    assert found == [
        ("invalid_query", 2, "Query is invalid"),
        ("invalid_budget", 3, "Budget is invalid"),
        ("cache_missing", 4, "Cache does not exist"),
        ("cache_invalid", 5, "Cache exists but is invalid"),
        ("io_error", 6, "I/O error occurred"),
        ("internal_error", 7, "Internal error"),
    ]


def test_every_exit_code_has_a_meaning() -> None:
    assert list(exit_codes()) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130]
    assert all(exit_codes().values())


@pytest.mark.parametrize(
    ("error", "first", "second"),
    [
        (errors.CacheMissing("there is no 'x'"), "Cache does not exist", "there is no 'x'"),
        (errors.CacheMissing("needed", headline="--cache is missing"), "--cache is missing", "needed"),
        (errors.BuildFailed(), "Cache was not built", ""),
    ],
)
def test_a_person_reads_the_message_first_unless_there_are_better_words(
    error: ContextError, first: str, second: str
) -> None:
    assert (error.headline, error.reason) == (first, second)


def test_no_failure_is_defined_anywhere_else() -> None:
    names = {"ContextError", *(failure.__name__ for failure in FAILURES)}
    package = Path(errors.__file__).parent.parent
    found = [
        f"{file.relative_to(package)}: {node.name}"
        for file in package.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.ClassDef)
        and (node.name in names or names & {ast.unparse(base).rpartition(".")[2] for base in node.bases})
        and file != Path(errors.__file__)
    ]
    assert found == []
