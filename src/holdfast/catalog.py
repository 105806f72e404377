"""Everything Holdfast can do, in one list: the doors look up here what was asked for."""

from __future__ import annotations

from holdfast.caches.operations import OPERATIONS as CACHES
from holdfast.caches.search_operations import OPERATIONS as SECTIONS
from holdfast.core.errors import UnknownName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.operation import Operation

CATALOG: tuple[Operation, ...] = (*CACHES, *SECTIONS)
FAMILIES = tuple(dict.fromkeys(operation.family for operation in CATALOG))


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
