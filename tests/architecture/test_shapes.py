"""The seam is typed: what the catalog says of an operation's arguments is what its body is checked against.

A body is annotated with a TypedDict of its family's `shapes` module. A parameter that is added, renamed or becomes
required in one of the two places only would be seen by nobody else: checkers do not read the catalog.
"""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from types import ModuleType
from typing import Literal, NotRequired, Required, get_args, get_origin, get_type_hints

import pytest

from holdfast.catalog import CATALOG
from holdfast.operation import Operation, Parameter, load

KINDS = {"text": str, "query": str, "path": str, "integer": int, "flag": bool, "texts": list[str]}
# `Json` stands for Any.
UNTYPED = {"Any", "Json"}


def shapes_of(operation: Operation) -> ModuleType:
    return import_module(f"holdfast.{operation.family}.shapes")


every_operation = pytest.mark.parametrize("operation", CATALOG, ids=lambda operation: " ".join(operation.command))


def accepts(parameter: Parameter, hint: object) -> bool:
    """Whether a hint is the type of a parameter's kind, or names just its choices."""
    if hint == KINDS[parameter.kind]:
        return True
    if parameter.kind == "texts" and get_origin(hint) is list:
        (hint,) = get_args(hint)
    return get_origin(hint) is Literal and get_args(hint) == parameter.choices


def annotated(shapes: ModuleType, name: str) -> dict[str, tuple[object, bool]]:
    """What a TypedDict says: of each member its type, and whether it is required."""
    shape = getattr(shapes, name)
    members = {}
    for member, hint in get_type_hints(shape, include_extras=True).items():
        required = member in shape.__required_keys__
        if get_origin(hint) in (Required, NotRequired):
            required = get_origin(hint) is Required
            (hint,) = get_args(hint)
        members[member] = (hint, required)
    return members


@every_operation
def test_a_body_takes_the_arguments_that_the_catalog_declares(operation: Operation) -> None:
    shapes = shapes_of(operation)
    _, arguments = inspect.signature(load(operation.run)).parameters.values()
    said = annotated(shapes, str(arguments.annotation).rpartition(".")[2])
    assert said.keys() == {parameter.name for parameter in operation.parameters}
    for parameter in operation.parameters:
        hint, required = said[parameter.name]
        assert (accepts(parameter, hint), required) == (True, parameter.required), f"{parameter.name}: {hint}"


@every_operation
def test_a_body_says_what_it_answers(operation: Operation) -> None:
    shapes = shapes_of(operation)
    answer = str(inspect.signature(load(operation.run)).return_annotation)
    assert re.fullmatch(r"Outcome\[.+\]", answer), answer
    names = re.findall(r"\w+", answer)[1:]
    assert [name for name in names if not hasattr(shapes, name) and name != "None"] == []


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
