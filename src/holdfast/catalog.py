"""Everything Holdfast can do, in one list: the doors look up here what was asked for."""

from __future__ import annotations

from holdfast.caches.operations import OPERATIONS as CACHES
from holdfast.clients.operations import OPERATIONS as CLIENTS
from holdfast.contexts.operations import OPERATIONS as CONTEXTS
from holdfast.core.errors import UnknownName
from holdfast.specs.operations import OPERATIONS as SPECS
from holdfast.survey.operations import OPERATIONS as SURVEY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.offers import Prompt, Resource
    from holdfast.operation import Operation

CATALOG: tuple[Operation, ...] = (*CACHES, *CONTEXTS, *SPECS, *SURVEY, *CLIENTS)
# Those with tools: a server offers one, some or all of them.
FAMILIES = tuple(dict.fromkeys(operation.family for operation in CATALOG if operation.tool))
# The families with prompts; a server that offers none of them says so when it is opened.
PROMPTING = ("specs",)


def tools(families: Collection[str] = FAMILIES) -> list[Operation]:
    """The operations a server offers, in the order it lists them."""
    return [operation for operation in CATALOG if operation.tool and operation.family in families]


def underscored(tool: str) -> str:
    """A tool's name as clients spell it that accept no dots."""
    return tool.replace(".", "_")


def find_tool(name: str, families: Collection[str] = FAMILIES) -> Operation:
    """The operation behind a tool name, dotted or underscored; UnknownName when there is none."""
    offered = tools(families)
    for operation in offered:
        if name in (operation.tool, underscored(operation.tool)):
            return operation
    raise UnknownName("tool", name, [operation.tool for operation in offered])


def resources(families: Collection[str] = FAMILIES) -> list[Resource]:
    """The resources a server offers beside its tools, in the order it lists them."""
    from holdfast.specs.offers import RESOURCES  # only a client that asks for resources pays for this

    return [resource for resource in RESOURCES if resource.family in families]


def prompts(families: Collection[str] = FAMILIES) -> list[Prompt]:
    """The prompts a server offers, in the order it lists them."""
    from holdfast.specs.offers import PROMPTS

    return [prompt for prompt in PROMPTS if prompt.family in families]
