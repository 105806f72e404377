"""Words to a request: which command, with which arguments, and what a wrong word is answered with."""

from __future__ import annotations

import pytest

from holdfast.command.command_line import Command, command_of, parse
from holdfast.core.errors import ContextError, InvalidQuery, UnknownName, UsageError
from holdfast.operation import Operation, Parameter

QUERY = Parameter("query", "text", "", positional=True, flag="--query", error=InvalidQuery, required=True)
PARAMETERS = (
    QUERY,
    Parameter("budget", "integer", ""),
    Parameter("all", "flag", ""),
    Parameter("state", "texts", ""),
)
FIND = Command(("find",), "Find.", PARAMETERS)
SPEC_LIST, SPEC_NEXT = Command(("spec", "list"), "List.", ()), Command(("spec", "next"), "Next.", (QUERY,))
COMMANDS = (FIND, SPEC_LIST, SPEC_NEXT)


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("find", {}),
        ("find x", {"query": "x"}),
        ("find --query x", {"query": "x"}),
        ("find --query=--x", {"query": "--x"}),
        ("find -- --x", {"query": "--x"}),
        ("find -- --", {"query": "--"}),
        ("find -", {"query": "-"}),
        ("find x --budget 12 --all", {"query": "x", "budget": 12, "all": True}),
        ("find --budget=-3", {"budget": -3}),
        ("find --budget many", {"budget": "many"}),
        ("find --budget ٣", {"budget": "٣"}),
        ("find --state a --state=b", {"state": ["a", "b"]}),
        ("find --budget=", {"budget": ""}),
    ],
)
def test_words_are_read_as_arguments_each_of_its_kind(words: str, arguments: dict[str, object]) -> None:
    request = parse(words.split(), COMMANDS)
    assert (request.command, request.arguments, request.wants_help, request.group) == (FIND, arguments, False, "")


def test_a_number_of_four_hundred_digits_stays_a_text() -> None:
    for digits in (399, 400):
        value = parse(["find", "--budget", "9" * digits], COMMANDS).arguments["budget"]
        assert isinstance(value, int) is (digits < 400)


@pytest.mark.parametrize(
    ("words", "command", "group"),
    [
        ("", None, ""),
        ("--help", None, ""),
        ("-h find", None, ""),
        ("find --help", FIND, ""),
        ("find --budget -h", FIND, ""),
        ("spec --help", None, "spec"),
        ("spec list -h", SPEC_LIST, ""),
    ],
)
def test_help_is_asked_for_anywhere_before_the_separator(words: str, command: Command | None, group: str) -> None:
    request = parse(words.split(), COMMANDS)
    assert (request.command, request.wants_help, request.group) == (command, True, group)
    assert not parse(["find", "--", "--help"], COMMANDS).wants_help


@pytest.mark.parametrize(
    ("words", "error", "reason"),
    [
        ("spec", UsageError, "'spec' needs one of: list, next"),
        ("find a b", UsageError, "'find' does not know what to do with 'b': put a query of several words between"),
        ("spec list a", UsageError, "'spec list' does not know what to do with 'a'"),
        ("find --all=1", UsageError, "--all takes no value"),
        ("find --budget", UsageError, "--budget needs a value: --budget BUDGET"),
        ("find --budget --all", UsageError, "--budget needs a value: --budget BUDGET"),
        ("find --budget --state=x", UsageError, "--budget needs a value: --budget BUDGET"),
        ("find --budget 1 --budget 2", UsageError, "--budget is given twice"),
        ("find x --query y", UsageError, "--query is given twice"),
        ("find --query -x", InvalidQuery, "write a query that begins with '-' as --query=-x"),
    ],
)
def test_what_is_no_request_says_what_to_type(words: str, error: type[ContextError], reason: str) -> None:
    with pytest.raises(error) as raised:
        parse(words.split(), COMMANDS)
    assert (type(raised.value), raised.value.reason.startswith(reason)) == (error, True), raised.value.reason


@pytest.mark.parametrize(
    ("words", "kind", "name", "known"),
    [
        ("fnd", "command", "fnd", ["find", "spec"]),
        ("--verson", "flag", "--verson", ["--help", "--version"]),
        ("spec lst", "command of 'spec'", "lst", ["list", "next"]),
        ("find --al", "flag", "--al", ["--query", "--budget", "--all", "--state", "--help"]),
    ],
)
def test_an_unknown_word_is_named_with_what_is_known(words: str, kind: str, name: str, known: list[str]) -> None:
    with pytest.raises(UnknownName) as raised:
        parse(words.split(), COMMANDS)
    assert raised.value.args == UnknownName(kind, name, known).args


def test_an_operation_is_a_command_with_its_own_formats_and_pretty() -> None:
    declared = Parameter("format", "text", "", choices=("text", "json"))
    plain = Operation("caches", ("find",), "Find.", PARAMETERS, "m:f")
    written = plain._replace(parameters=(declared, *PARAMETERS), text="m:t")
    choices = [
        {each.name: each.choices for each in command_of(one).all_parameters}["format"] for one in (plain, written)
    ]
    assert choices == [("json", "pretty"), ("text", "json", "pretty")]
    assert [command_of(plain).name, command_of(plain).family, FIND.family] == ["find", "caches", ""]
