"""Which names of a Python package are for its users, by its files alone. Pure.

A module is private when a part of its path begins with `_`. Of a private module those names are public that the
`__init__` of a public package around it imports from it, by name or by `*`, directly or through a package between them;
and whatever is imported so is named after the outermost package that has it: `httpx.Client`, not
`httpx._client.Client`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from holdfast.core.grammars import load_parser

Node = Any  # tree_sitter.Node

LARGEST = 10 << 20  # bytes of a module
_CONTINUED = re.compile(rb"(?:\\\n[ \t\n]*+){100,}")
_DEEPEST = 4  # conditions within conditions
_BRANCHES = frozenset(
    "if_statement else_clause elif_clause try_statement except_clause finally_clause with_statement block".split(" ")
)
_TESTS = frozenset(("tests", "test", "_tests", "conftest", "testsuite"))
_VENDORED = frozenset(
    "_vendor vendor _vendored vendored third_party thirdparty _third_party extern externals".split(" ")
)


class Imported(NamedTuple):
    """A name that a module takes from another: `*` for all of its public ones."""

    module: str
    name: str
    as_name: str


def parsed(data: bytes) -> Node:
    """The syntax tree of Python; its parser is always there.

    The grammar takes a time that grows with the square of a run of continued lines with nothing on them, which no one
    writes: a long one becomes blank lines.
    """
    data = _CONTINUED.sub(lambda found: b"\n" * found[0].count(b"\n"), data)
    return _parser().parse(data).root_node


@lru_cache(maxsize=1)
def _parser() -> Any:
    return load_parser("tree_sitter_python")


def module_name(source: str) -> str:
    """The name of the module of a file below its top: `pydantic/main.py` is `pydantic.main`."""
    path = source.removesuffix(".pyi").removesuffix(".py")
    return path.removesuffix("/__init__").replace("/", ".")


def is_private(module: str) -> bool:
    """Whether a part of a module's path begins with `_`."""
    return any(part.startswith("_") for part in module.split("."))


def is_for_users(source: str) -> bool:
    """Whether a file may hold what users of a package call: no tests, nothing vendored, nothing that is run."""
    *folders, name = source.split("/")
    stem = name.removesuffix(".pyi").removesuffix(".py")
    if stem == "__main__" or stem in _TESTS or stem.startswith("test_") or stem.endswith("_test"):
        return False
    return _TESTS.isdisjoint(folders) and _VENDORED.isdisjoint(folders)


def text_of(node: Node | None) -> str:
    """The source of a node; nothing of none."""
    return node.text.decode("utf-8", "replace") if node is not None else ""


def statements(node: Node, depth: int = 0) -> Iterator[Node]:
    """The statements of a module, those under conditions with it."""
    for child in node.named_children:
        if child.type in _BRANCHES:
            if depth < _DEEPEST:
                yield from statements(child, depth + 1)
        else:
            yield child


@lru_cache(maxsize=64)
def imports_of(text: str, package: str) -> tuple[Imported, ...]:
    """What the `__init__` of a package imports from modules, relative names resolved."""
    data = text.encode("utf-8", "replace")
    if len(data) > LARGEST:
        return ()
    found = []
    for node in statements(parsed(data)):
        if node.type != "import_from_statement":
            continue
        module = _resolved(text_of(node.child_by_field_name("module_name")), package)
        if any(child.type == "wildcard_import" for child in node.named_children):
            found.append(Imported(module, "*", "*"))
        for name in node.children_by_field_name("name"):
            if name.type == "aliased_import":
                whole, alias = text_of(name.child_by_field_name("name")), text_of(name.child_by_field_name("alias"))
            else:
                whole = alias = text_of(name)
            found.append(Imported(module, whole, alias))
    return tuple(found)


def _resolved(module: str, package: str) -> str:
    dots = len(module) - len(module.lstrip("."))
    if not dots:
        return module
    base = package.split(".")
    base = base[: max(len(base) - dots + 1, 0)]
    return ".".join([*base, *([module[dots:]] if module[dots:] else [])])


def exported_names(module: str, read: Callable[[str], str | None]) -> list[tuple[str, dict[str, str]]]:
    """The packages around a module that have names of it, the outermost first: each with name there by name here.

    `*` in such a table means all public names of the module. `read` gives the text of a file by its path.
    """
    parts = module.split(".")
    packages = [".".join(parts[:count]) for count in range(1, len(parts))]
    tables: dict[str, dict[str, str]] = {module: {}}
    found = []
    for package in reversed(packages):
        path = package.replace(".", "/")
        text = read(f"{path}/__init__.py")
        text = read(f"{path}/__init__.pyi") if text is None else text
        table: dict[str, str] = {}
        for one in imports_of(text, package) if text is not None else ():
            if one.module == module:
                table.setdefault(one.name, one.as_name)
            elif one.module in tables and one.module != package:
                inner = tables[one.module]
                if one.name == "*":
                    for here, there in inner.items():
                        if there == "*" or not there.startswith("_"):
                            table.setdefault(here, there)
                else:
                    for here, there in inner.items():
                        if there == one.name:
                            table.setdefault(here, one.as_name)
                    if "*" in inner and one.name not in inner:
                        table.setdefault(one.name, one.as_name)
        tables[package] = table
        if table and not is_private(package):
            found.append((package, table))
    return found[::-1]
