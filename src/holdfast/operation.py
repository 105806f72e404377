"""An operation: one thing Holdfast can do, declared once for both doors; and `answer`, which does it.

`answer` is the only place that checks arguments, encodes an answer or turns an error into one. The doors gather
arguments and deliver text; neither can format, so they cannot differ.
"""

from __future__ import annotations

import sys

from holdfast.core.canonical_json import encode, encode_pretty
from holdfast.core.errors import ContextError, InvalidBudget, InvalidQuery, IoError, UnknownName, UsageError
from holdfast.core.record import Generic, NamedTuple, TypeVar
from holdfast.core.unicode_text import is_path, is_unicode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal

    from holdfast.workspace import Door, Workspace

    Kind = Literal["text", "path", "integer", "flag", "texts"]
    CheckedArguments = dict[str, object]
    # What `module:function` may name, as its caller sees it; each family declares its own types (`shapes.py`).
    Body = Callable[[Workspace, CheckedArguments], "Outcome[object]"]
    Failure = Callable[[ContextError], object]
    Write = Callable[[object], str]

Answer = TypeVar("Answer")
# The tools of the specifications, which refuse an unknown argument as an error of the protocol. Ours answer it as any
# other failure, so that a model reads which arguments there are.
SPECIFIED = frozenset(
    (
        *("context.resolve", "context.list_caches", "context.inspect_cache"),
        *("list_contexts", "check_freshness", "query_context"),
        *("spec-status", "spec-workflow-guide", "get-implementer-guide", "get-reviewer-guide"),
    )
)


class Parameter(NamedTuple):
    """One argument of an operation, as both doors know it.

    `kind` is `text` (valid Unicode, of at most `max_bytes` of UTF-8), `path` (any name the system can hold), `integer`,
    `flag` or `texts` (at most `max_items`, each as a `text`).
    `error` is what a missing or unfit value counts as; without one it is a usage error.
    """

    name: str
    kind: Kind
    description: str
    required: bool = False
    metavar: str = ""
    choices: tuple[str, ...] = ()
    maximum: int | None = None
    max_bytes: int | None = None
    max_items: int | None = None
    error: type[ContextError] = UsageError
    check_order: int = 0  # ties are checked in the order declared
    positional: bool = False
    flag: str = ""  # on the command line, when it is not `--name`; a positional one can then be given as either
    only: Door | None = None  # where the other door does not offer it
    is_plain: bool = False  # its name says it all: a tool's schema does without the description

    @property
    def option(self) -> str:
        """The spelling on the command line."""
        return self.flag or "--" + self.name.replace("_", "-")

    @property
    def is_option(self) -> bool:
        """Whether it can be given by its option."""
        return not self.positional or bool(self.flag)

    @property
    def value_name(self) -> str:
        """The name of its value in help."""
        return self.metavar or self.name.upper()

    @property
    def typed(self) -> str:
        """Its name on the command line: its option, or the name of its position."""
        return self.value_name if self.positional else self.option

    @property
    def usage(self) -> str:
        """How it is typed, value included."""
        return self.typed if self.positional or self.kind == "flag" else f"{self.option} {self.value_name}"


class Words(str):
    """An answer as a person reads it, delivered as it is: neither encoded nor shown in a view."""

    __slots__ = ()


class Outcome(NamedTuple, Generic[Answer]):
    """What an operation found: a value to encode, and what it means for exit codes and `isError`."""

    value: Answer
    exit_code: int = 0
    is_error: bool = False
    note: str = ""  # for the person at the terminal, on stderr
    # Work to do once the answer is on its way; takes the name of the client that asked.
    afterwards: Callable[[str], None] | None = None
    text: str = ""  # what the operation's `text` would make of the value, where it is made already
    code: str = ""  # of the failure that the value tells, where it tells one


class Reply(NamedTuple):
    """What a door delivers: the text, byte for byte in UTF-8; the rest is how. `is_json` says what the text is."""

    text: str
    exit_code: int = 0
    is_error: bool = False
    value: object = None
    error: ContextError | None = None
    note: str = ""
    afterwards: Callable[[str], None] | None = None
    is_json: bool = True
    code: str = ""  # of the failure that is delivered, if one is: for counters


def error_object(error: ContextError) -> dict[str, dict[str, str]]:
    """An error as the `context.*` tools give it: code and canonical message, nothing else."""
    return {"error": {"code": error.code, "message": error.message}}


def explained_error(error: ContextError) -> dict[str, dict[str, str]]:
    """The same for our own tools: a wrong argument is answered with what is right, and repeats only what was given."""
    failure = error_object(error)
    if isinstance(error, UsageError | InvalidBudget | InvalidQuery) and error.message == type(error).message:
        failure["error"]["message"] = f"{error.headline}: {error.reason}" if error.reason else error.headline
    return failure


def load(reference: str) -> Any:
    """The function that `module:function` names; its module is imported when it is first asked for.

    What it takes and gives depends on who names it: the caller says so.
    """
    module, _, function = reference.partition(":")
    __import__(module)  # `importlib` would cost a cold command more than it saves here
    return getattr(sys.modules[module], function)


class Variant(NamedTuple):
    """What an operation does instead where one of its parameters is given: another body, with fewer parameters."""

    given: str  # the name of the parameter
    run: str
    view: str
    takes: tuple[str, ...] = ()  # the parameters that go with it
    needs: tuple[str, ...] = ()  # those of them that it cannot do without


class Operation(NamedTuple):
    """One entry of the catalog. Code is named as `module:function` and loaded when it is needed (see `load`)."""

    family: str
    command: tuple[str, ...]
    summary: str
    parameters: tuple[Parameter, ...]
    run: str  # the body, `(workspace, arguments) -> Outcome`
    tool: str = ""
    title: str = ""
    description: str = ""
    view: str = ""  # `(value, seconds) -> renderable`, what a terminal shows instead
    # `(value) -> text`: an answer is this text, and JSON only when `format`, a parameter then, says so.
    text: str = ""
    failure: str = "holdfast.operation:error_object"  # `(error) -> value`, the shape of a failure
    failures_are_answers: bool = False  # a failure is printed like any answer, not reported on stderr
    always_load: bool = False  # clients that hide tools behind a search should show this one
    large_result: bool = False  # the answer may be longer than clients usually take whole
    variants: tuple[Variant, ...] = ()

    def offered(self, door: Door) -> list[Parameter]:
        """The parameters that a door offers."""
        return [parameter for parameter in self.parameters if parameter.only in (None, door)]

    def variant_for(self, arguments: Mapping[str, object]) -> Operation:
        """The variant that the arguments ask for, as an operation; this one where they ask for none."""
        for variant in self.variants:
            if variant.given not in arguments:
                continue
            own = (variant.given, *variant.takes)
            option = {each.name: each.typed for each in self.parameters}
            for name in arguments:
                if name in option and name not in own:
                    raise UsageError(f"{option[name]} does not go with {option[variant.given]}")
            taken = [each._replace(required=each.name in variant.needs) for each in self.parameters if each.name in own]
            return self._replace(parameters=tuple(taken), run=variant.run, view=variant.view, variants=())
        return self


def answer(
    operation: Operation, arguments: Mapping[str, object], workspace: Workspace, *, pretty: bool = False
) -> Reply:
    """Check, run, encode. A ContextError becomes a reply; UnknownName is raised, since it is the caller's mistake."""
    known = [parameter.name for parameter in operation.offered(workspace.door)]
    unknown = [name for name in arguments if name not in known]
    is_own = workspace.door == "tool" and operation.tool not in SPECIFIED
    if unknown and not is_own:
        raise UnknownName("argument", unknown[0], known)
    try:
        try:
            if unknown:
                refused = UsageError(f"Unknown argument '{unknown[0]}': there are {', '.join(known)}")
                refused.message = refused.reason  # which names no place
                raise refused
            if operation.variants:
                operation = operation.variant_for(arguments)
            body: Body = load(operation.run)
            outcome = body(workspace, check_arguments(operation, arguments, workspace.door))
        except OSError as error:
            raise IoError(f"the system refused: {error.strerror}") from error
    except ContextError as error:
        failure: Failure = load(operation.failure)
        value = failure(error)
        if isinstance(value, dict) and "scope" in value and isinstance(arguments.get("scope"), str):
            value["scope"] = arguments["scope"]  # a scope in an answer echoes the request
        # An error refers to the frames it passed through, and they to their arguments: the reply would keep those
        # alive, in a cycle that only the collector frees. It needs none of them.
        error.__traceback__ = error.__context__ = error.__cause__ = None
        reported = None if operation.failures_are_answers else error
        text = _line(value, pretty=pretty)
        return Reply(
            text, error.exit_code, is_error=True, value=value, error=reported, note=error.note, code=error.code
        )
    if isinstance(outcome.value, Words):
        words = (outcome.value + "\n").encode("utf-8", "replace").decode()
        return Reply(words, outcome.exit_code, outcome.is_error, None, None, outcome.note, is_json=False)
    is_json = not operation.text or arguments.get("format") == "json"
    if is_json:
        text = _line(outcome.value, pretty=pretty)
    elif not (text := outcome.text):
        write: Write = load(operation.text)
        text = write(outcome.value) + "\n"
    return Reply(
        *(text, outcome.exit_code, outcome.is_error, outcome.value, None, outcome.note, outcome.afterwards, is_json),
        outcome.code,
    )


def _line(value: object, *, pretty: bool) -> str:
    return (encode_pretty(value) if pretty else encode(value)) + "\n"


def check_arguments(operation: Operation, arguments: Mapping[str, object], door: Door) -> CheckedArguments:
    """The arguments, each of its kind, the absent ones left out; the first unfit one raises its error."""
    # A failure that is an answer has the same words at both doors; any other says what to type.
    typed = door == "command" and not operation.failures_are_answers
    checked: CheckedArguments = {}
    for parameter in sorted(operation.parameters, key=lambda parameter: parameter.check_order):
        value = arguments.get(parameter.name)
        if value is None and (parameter.name not in arguments or not parameter.required):
            if parameter.required and (typed or (door == "command" and not operation.tool)):
                needed = f"'{' '.join(operation.command)}' needs {parameter.usage}"
                raise parameter.error(needed, headline=f"{parameter.typed} is missing")
            if parameter.required:
                raise parameter.error(f"{parameter.name} is required")
            continue
        if not fits(parameter, value):
            raise parameter.error(f"{parameter.typed if typed else parameter.name} must be {expectation(parameter)}")
        checked[parameter.name] = value
    return checked


def fits(parameter: Parameter, value: object) -> bool:
    """Whether a value is what a parameter takes."""
    if parameter.kind == "flag":
        return isinstance(value, bool)
    if parameter.kind == "integer":
        # A boolean is an int to Python, not to a caller.
        return type(value) is int and value >= 0 and (parameter.maximum is None or value <= parameter.maximum)
    if parameter.kind == "texts":
        most = parameter.max_items
        return (
            isinstance(value, list)
            and (most is None or len(value) <= most)
            and all(_is_choice(parameter, item) for item in value)
        )
    if parameter.kind == "path":
        return isinstance(value, str) and (value.isascii() or is_path(value))
    return _is_choice(parameter, value)


def _is_choice(parameter: Parameter, value: object) -> bool:
    if not isinstance(value, str) or (parameter.choices and value not in parameter.choices):
        return False
    if value.isascii():
        size = len(value)
    elif is_unicode(value):
        size = len(value.encode())
    else:
        return False
    return parameter.max_bytes is None or size <= parameter.max_bytes


def expectation(parameter: Parameter) -> str:
    """What a value must be, in words that end `must be …`."""
    if parameter.choices:
        return "one of: " + ", ".join(parameter.choices)
    if parameter.kind == "integer":
        bound = f" up to {parameter.maximum}" if parameter.maximum is not None else ""
        return f"a whole number from 0{bound}"
    if parameter.max_items is not None:
        each = f", each at most {parameter.max_bytes} bytes" if parameter.max_bytes is not None else ""
        return f"a list of at most {parameter.max_items} strings{each}"
    if parameter.max_bytes is not None:
        return f"a string of valid Unicode, at most {parameter.max_bytes} bytes of it"
    return {"flag": "true or false", "texts": "a list of strings", "path": "a path"}.get(parameter.kind, "a string")
