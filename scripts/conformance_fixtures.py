"""The `context` command with the tools, prompts and resources that the conformance suite looks for in any server.

Only the scenarios that cannot do without them are run against it; everything that answers is the product's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import holdfast.catalog
import holdfast.specs.offers
from holdfast.offers import Prompt, PromptArgument, Resource
from holdfast.operation import Operation, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.operation import CheckedArguments
    from holdfast.workspace import Workspace


def say_something(_workspace: Workspace, _arguments: CheckedArguments) -> Outcome[dict[str, str]]:
    return Outcome({"said": "something"})


def say_no(_workspace: Workspace, _arguments: CheckedArguments) -> Outcome[dict[str, str]]:
    return Outcome({"said": "no"}, exit_code=7, is_error=True)


def no_values(_workspace: Workspace, _name: str, _others: Mapping[str, str]) -> Iterable[str]:
    return ()


def a_text(_workspace: Workspace, variables: Mapping[str, str]) -> str:
    return f"a text for {dict(variables)}\n"


def nothing_listed(_workspace: Workspace) -> Iterable[Mapping[str, str]]:
    return ()


TOOLS = tuple(
    Operation("caches", (name,), name, (), f"{__name__}:{body}", tool=name, title=name, description=name)
    for name, body in (("test_simple_text", "say_something"), ("test_error_handling", "say_no"))
)
ARGUMENTS = tuple(PromptArgument(name, name, required=True) for name in ("arg1", "arg2"))
PROMPTS = tuple(
    Prompt("specs", name, name, name, arguments, a_text, no_values)
    for name, arguments in (("test_simple_prompt", ()), ("test_prompt_with_arguments", ARGUMENTS))
)
RESOURCES = tuple(
    Resource("specs", uri, uri, uri, uri, "text/plain", a_text, nothing_listed, no_values)
    for uri in ("test://static-text", "test://template/{id}/data")
)

if __name__ == "__main__":
    holdfast.catalog.CATALOG += TOOLS
    holdfast.specs.offers.PROMPTS += PROMPTS  # type: ignore[assignment]  # longer than it was
    holdfast.specs.offers.RESOURCES += RESOURCES  # type: ignore[assignment]  # the same

    from holdfast.cli import run as run_context

    run_context()
