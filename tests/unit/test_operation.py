"""The seam of the product: what `answer` accepts, refuses and delivers, with bodies of this file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.core.errors import CacheMissing, ContextError, InvalidBudget, UnknownName, UsageError
from holdfast.operation import (
    Operation,
    Outcome,
    Parameter,
    Reply,
    Variant,
    Words,
    answer,
    check_arguments,
    expectation,
    fits,
)
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.workspace import Door

TEXT, NUMBER = Parameter("a_text", "text", "a text"), Parameter("number", "integer", "a number", maximum=9)
MUST = Parameter("must", "text", "needed", required=True, positional=True)
TOOLS_ONLY = Parameter("for_tools", "flag", "only there", only="tool")


def operation(body: Callable[..., Outcome[Any]], *parameters: Parameter, **others: Any) -> Operation:
    globals()["body"] = body
    return Operation("caches", ("say", "it"), "Say it.", parameters, f"{__name__}:body", **others)


def reply(
    body: Callable[..., Outcome[Any]],
    arguments: dict[str, object] | None = None,
    *,
    pretty: bool = False,
    **others: Any,
) -> Reply:
    return answer(operation(body, TEXT, NUMBER, **others), arguments or {}, Workspace(), pretty=pretty)


def refuse(*_: object) -> Outcome[object]:
    error = CacheMissing("no such cache")
    error.note = "a hint"
    raise error


def refused_by_the_system(*_: object) -> Outcome[object]:
    raise PermissionError(13, "Permission denied", "/secret/path")


def as_words(value: dict[str, object]) -> str:
    return f"words of {value['a']}"


def own_failure(error: ContextError) -> dict[str, object]:
    return {"failed": error.code}


def test_an_answer_is_one_line_of_json_and_carries_all_that_the_body_found() -> None:
    def afterwards(_client: str) -> None: ...

    found = reply(lambda *_: Outcome({"b": 1, "a": "é"}, 4, True, "a note", afterwards, code="stale"))
    assert found == Reply('{"b":1,"a":"é"}\n', 4, True, {"b": 1, "a": "é"}, None, "a note", afterwards, True, "stale")
    assert found.text == '{"b":1,"a":"é"}\n'
    plain = reply(lambda *_: Outcome([]))
    assert plain == Reply("[]\n", 0, False, [], None, "", None, True, "")


def test_a_pretty_answer_is_the_same_value_over_several_lines() -> None:
    assert reply(lambda *_: Outcome({"a": [1]}), pretty=True).text == '{\n  "a": [\n    1\n  ]\n}\n'
    failed = reply(refuse, pretty=True).text
    assert (json.loads(failed), failed.count("\n") > 1) == (json.loads(reply(refuse).text), True)


def test_words_are_delivered_as_they_are() -> None:
    said = reply(lambda *_: Outcome(Words("a line"), 3, True, "a note"), text=f"{__name__}:as_words")
    assert said == Reply("a line\n", 3, True, None, None, "a note", is_json=False)


def test_an_operation_with_a_text_answers_in_it_unless_json_is_asked_for() -> None:
    def body(*_: object) -> Outcome[object]:
        return Outcome({"a": 1})

    format_of = Parameter("format", "text", "which")
    said: dict[str, Any] = {"text": f"{__name__}:as_words"}
    assert reply(body, **said) == Reply("words of 1\n", value={"a": 1}, is_json=False)
    assert reply(lambda *_: Outcome({"a": 1}, text="made already\n"), **said).text == "made already\n"
    asked = answer(operation(body, format_of, **said), {"format": "json"}, Workspace())
    assert (asked.text, asked.is_json) == ('{"a":1}\n', True)
    asked = answer(operation(body, format_of, **said), {"format": "text"}, Workspace())
    assert (asked.text, asked.is_json) == ("words of 1\n", False)


def test_a_failure_has_the_code_the_exit_code_and_the_words_of_its_class() -> None:
    failed = reply(refuse)
    value = {"error": {"code": "cache_missing", "message": CacheMissing.message}}
    assert (json.loads(failed.text), failed.value) == (value, value)
    assert (failed.exit_code, failed.is_error, failed.note, failed.code, failed.is_json) == (
        CacheMissing.exit_code,
        True,
        "a hint",
        "cache_missing",
        True,
    )
    assert isinstance(failed.error, CacheMissing)
    assert (failed.error.__traceback__, failed.error.__context__, failed.error.__cause__) == (None, None, None)


def test_a_failure_that_is_an_answer_reports_no_error_and_may_have_a_shape_of_its_own() -> None:
    failed = reply(refuse, failures_are_answers=True, failure=f"{__name__}:own_failure")
    assert (failed.text, failed.error, failed.is_error, failed.code) == (
        '{"failed":"cache_missing"}\n',
        None,
        True,
        "cache_missing",
    )


def test_what_the_system_refuses_is_reported_without_the_path() -> None:
    failed = reply(refused_by_the_system)
    assert isinstance(failed.error, ContextError)
    assert (failed.code, failed.error.reason) == ("io_error", "the system refused: Permission denied")
    assert "secret" not in failed.text


def test_an_unknown_argument_is_the_mistake_of_the_caller_and_names_the_known_ones() -> None:
    declared = operation(lambda *_: Outcome(1), TEXT, TOOLS_ONLY)
    with pytest.raises(UnknownName) as raised:
        answer(declared, {"for_tools": True}, Workspace())
    assert raised.value.args == UnknownName("argument", "for_tools", ["a_text"]).args
    assert answer(declared, {"for_tools": True}, Workspace(door="tool")).text == "1\n"
    assert [[each.name for each in declared.offered(door)] for door in ("command", "tool")] == [
        ["a_text"],
        ["a_text", "for_tools"],
    ]


@pytest.mark.parametrize(
    ("tool", "is_refused"),
    [
        *((tool, True) for tool in ("context.resolve", "context.list_caches", "context.inspect_cache")),
        *((tool, True) for tool in ("list_contexts", "check_freshness", "query_context", "spec-status")),
        *((tool, True) for tool in ("spec-workflow-guide", "get-implementer-guide", "get-reviewer-guide")),
        *((tool, False) for tool in ("context.search", "context.read", "project_map")),
    ],
)
def test_a_tool_of_ours_answers_an_unknown_argument_and_a_specified_one_leaves_it_to_the_protocol(
    tool: str, is_refused: bool
) -> None:
    ours = operation(lambda *_: Outcome({}), TEXT, tool=tool)
    workspace = Workspace(door="tool")
    if is_refused:
        with pytest.raises(UnknownName, match="nope"):
            answer(ours, {"nope": 1}, workspace)
    else:
        said = answer(ours, {"nope": 1}, workspace)
        assert (said.is_error, json.loads(said.text)["error"]["message"]) == (
            True,
            "Unknown argument 'nope': there are a_text",
        )


def test_a_variant_takes_its_own_parameters_and_needs_some_of_them() -> None:
    variant = Variant("number", "module:other", "module:view", takes=("a_text",), needs=("a_text",))
    plain = operation(lambda *_: Outcome({}), TEXT, NUMBER, MUST, variants=(variant,))
    assert plain.variant_for({"a_text": "x"}) is plain
    found = plain.variant_for({"number": 1})
    assert (found.run, found.view, found.variants) == ("module:other", "module:view", ())
    assert [(each.name, each.required) for each in found.parameters] == [("a_text", True), ("number", False)]
    with pytest.raises(UsageError, match="MUST does not go with --number"):
        plain.variant_for({"number": 1, "must": "x"})


def scoped_failure(error: ContextError) -> dict[str, object]:
    return {"scope": "", "failed": error.code}


def test_a_failure_with_a_scope_echoes_the_scope_that_was_asked_for() -> None:
    asked = Parameter("scope", "text", "a scope")
    failing = operation(refuse, asked, failure=f"{__name__}:scoped_failure")
    assert answer(failing, {"scope": "a/b"}, Workspace()).value == {"scope": "a/b", "failed": "cache_missing"}
    assert answer(failing, {}, Workspace()).value == {"scope": "", "failed": "cache_missing"}
    unscoped = operation(refuse, asked, failure=f"{__name__}:own_failure")
    assert answer(unscoped, {"scope": "a/b"}, Workspace()).value == {"failed": "cache_missing"}


def test_the_body_gets_the_checked_arguments_without_the_absent_ones() -> None:
    def body(_workspace: object, arguments: object) -> Outcome[object]:
        return Outcome(arguments)

    assert reply(body, {"number": 3, "a_text": None}).text == '{"number":3}\n'


def problem(parameter: Parameter, arguments: dict[str, object], door: Door = "command", **others: Any) -> ContextError:
    with pytest.raises(ContextError) as raised:
        check_arguments(operation(refuse, parameter, **others), arguments, door)
    return raised.value


@pytest.mark.parametrize(
    ("door", "others", "headline", "reason"),
    [
        ("command", {}, "MUST is missing", "'say it' needs MUST"),
        ("tool", {}, UsageError.message, "must is required"),
        ("command", {"failures_are_answers": True, "tool": "say"}, UsageError.message, "must is required"),
        ("command", {"failures_are_answers": True, "tool": ""}, "MUST is missing", "'say it' needs MUST"),
    ],
)
def test_a_missing_argument_says_what_to_type_where_a_person_types(
    door: Door, others: dict[str, Any], headline: str, reason: str
) -> None:
    error = problem(MUST, {}, door, **others)
    assert (type(error), error.headline, error.reason) == (UsageError, headline, reason)


def test_an_unfit_argument_raises_the_error_of_its_parameter() -> None:
    budget = Parameter("a_budget", "integer", "most", maximum=7, error=InvalidBudget)
    reasons = [problem(budget, {"a_budget": 8}, door).reason for door in ("command", "tool")]
    assert reasons == [f"{name} must be a whole number from 0 up to 7" for name in ("--a-budget", "a_budget")]
    assert isinstance(problem(budget, {"a_budget": True}), InvalidBudget)
    # Null is a value where one is needed, and absence where none is.
    assert problem(MUST, {"must": None}, "tool").reason == "must must be a string"
    assert check_arguments(operation(refuse, budget), {"a_budget": None}, "tool") == {}


def test_arguments_are_checked_by_their_order_and_then_as_declared() -> None:
    late, early, also = (
        Parameter(name, "flag", "", check_order=order) for name, order in [("l", 1), ("e", 0), ("a", 0)]
    )
    wrong: dict[str, object] = {"l": 1, "e": 1, "a": 1}
    declared = operation(refuse, late, early, also)
    with pytest.raises(UsageError, match=r"^e must"):
        check_arguments(declared, wrong, "tool")
    with pytest.raises(UsageError, match=r"^a must"):
        check_arguments(declared, {**wrong, "e": True}, "tool")
    assert list(check_arguments(declared, dict.fromkeys(wrong, False), "tool")) == ["e", "a", "l"]


LIST = Parameter("p", "texts", "", max_items=2, max_bytes=2)
FITS: list[tuple[Parameter, list[object], list[object]]] = [
    (Parameter("p", "flag", ""), [True, False], [1, 0, "true", None]),
    (Parameter("p", "integer", ""), [0, 1, 10**30], [-1, True, 1.0, "1", None]),
    (Parameter("p", "integer", "", maximum=5), [0, 4, 5], [6]),
    (Parameter("p", "integer", "", maximum=0), [0], [1]),
    (Parameter("p", "text", ""), ["", "é", "x" * 9999], [1, None, "\ud800", ["a"]]),
    (Parameter("p", "text", "", max_bytes=2), ["", "ab", "é"], ["abc", "éa"]),
    (Parameter("p", "text", "", max_bytes=0), [""], ["a"]),
    (Parameter("p", "text", "", choices=("a", "bé")), ["a", "bé"], ["b", "", "A", None]),
    (Parameter("p", "path", ""), ["", "é", "\udc80"], [1, None, "\ud800"]),
    (LIST, [[], ["ab", "é"]], ["ab", ("a",), ["a", "b", "c"], ["abc"], ["a", 1], None]),
    (Parameter("p", "texts", "", max_items=0), [[]], [["a"]]),
    (Parameter("p", "texts", ""), [["a"] * 99], [["\ud800"]]),
]


@pytest.mark.parametrize(("parameter", "good", "bad"), FITS, ids=lambda case: None)
def test_a_value_fits_its_kind_and_its_bounds(parameter: Parameter, good: list[object], bad: list[object]) -> None:
    assert [value for value in good if not fits(parameter, value)] == []
    assert [value for value in bad if fits(parameter, value)] == []


def test_what_a_value_must_be_is_said_with_its_bounds() -> None:
    assert [expectation(parameter) for parameter, _, _ in FITS] == [
        "true or false",
        "a whole number from 0",
        "a whole number from 0 up to 5",
        "a whole number from 0 up to 0",
        "a string",
        "a string of valid Unicode, at most 2 bytes of it",
        "a string of valid Unicode, at most 0 bytes of it",
        "one of: a, bé",
        "a path",
        "a list of at most 2 strings, each at most 2 bytes",
        "a list of at most 0 strings",
        "a list of strings",
    ]


@pytest.mark.parametrize(
    ("parameter", "option", "typed", "usage", "is_option"),
    [
        (Parameter("a_name", "text", ""), "--a-name", "--a-name", "--a-name A_NAME", True),
        (Parameter("a_name", "flag", ""), "--a-name", "--a-name", "--a-name", True),
        (Parameter("name", "text", "", metavar="WORD", flag="-n"), "-n", "-n", "-n WORD", True),
        (Parameter("name", "text", "", positional=True), "--name", "NAME", "NAME", False),
        (Parameter("name", "text", "", positional=True, flag="--called"), "--called", "NAME", "NAME", True),
    ],
)
def test_a_parameter_is_spelled_as_people_type_it(
    parameter: Parameter, option: str, typed: str, usage: str, is_option: bool
) -> None:
    assert (parameter.option, parameter.typed, parameter.usage, parameter.is_option) == (
        option,
        typed,
        usage,
        is_option,
    )
