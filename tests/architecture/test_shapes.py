"""No body and no view is untyped, so mypy checks the seam against the types of `scripts/argument_types`."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module

import pytest

from holdfast.catalog import CATALOG

# `Json` stands for Any.
UNTYPED = {"Any", "Json"}


def untyped_annotations(module: str) -> list[str]:
    """Every annotation in a module that says nothing."""
    found = []
    for node in ast.walk(ast.parse(inspect.getsource(import_module(module)))):
        annotations: list[ast.expr | None] = []
        if isinstance(node, ast.FunctionDef):
            every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
            annotations = [node.returns, *(argument.annotation for argument in every if argument)]
        elif isinstance(node, ast.AnnAssign):
            annotations = [node.annotation]
        found += [
            f"{module}:{annotation.lineno} {ast.unparse(annotation)}"
            for annotation in annotations
            if annotation and UNTYPED & set(re.findall(r"\w+", ast.unparse(annotation)))
        ]
    return found


@pytest.mark.parametrize(
    "module",
    sorted(
        {
            name.partition(":")[0]
            for operation in CATALOG
            for name in (operation.run, operation.view, operation.text)
            if name
        }
    ),
)
def test_no_body_and_no_view_is_untyped(module: str) -> None:
    assert untyped_annotations(module) == []


def test_the_doors_and_the_seam_name_any_only_where_code_is_loaded_by_name() -> None:
    doors = [
        "cli",
        "command.command_line",
        "command.completions",
        "command.help",
        "mcp.offers",
        "mcp.server",
        "mcp.stdio",
        "mcp.tool_definitions",
        "offers",
    ]
    assert [each for door in [*doors, "catalog"] for each in untyped_annotations(f"holdfast.{door}")] == []
    (loader,) = untyped_annotations("holdfast.operation")
    assert loader.endswith(" Any")
