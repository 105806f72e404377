"""How many small faults of a module its quick tests miss: the measure of confidence in them.

python scripts/mutants.py                                   the modules of TESTED, and the share that survives
python scripts/mutants.py specs/task_order tests/unit/specs [--most 60] [--seed 7]

A mutant is the module with one change: a comparison, `and`/`or`, a negation, a condition, a number by one, a sign, a
member of a display, a returned value. It is compiled in a forked process that then runs the tests; no file is written.
Some mutants change nothing that a caller can see, so a share of zero is no aim.
"""

from __future__ import annotations

import ast
import copy
import importlib.machinery
import os
import random
import resource
import signal
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "holdfast"
TESTED = {
    "operation": ["tests/unit/test_operation.py"],
    "specs/living_merge": ["tests/unit/specs/test_living_merge.py", "-k", "not TestLaws"],
    "specs/task_order": ["tests/unit/specs/test_task_order.py"],
    "contexts/import_rules": ["tests/unit/contexts/test_import_rules.py", "tests/unit/contexts/test_imports.py"],
    "contexts/project_map": ["tests/unit/contexts/test_project_map.py", "-k", "not TestLaws"],
    "core/ignore_rules": ["tests/unit/core/test_ignore_rules.py"],
}
# Unit tests need neither tests/conftest.py nor plugins; a mutant takes a fifth of the time without them.
PYTEST = ["-xq", "-c", os.devnull, "--rootdir", str(ROOT), "--noconftest", "--import-mode=importlib"]
PYTEST += ["-o", f"pythonpath={ROOT}/tests", "-p", "no:cacheprovider", "-p", "no:warnings"]
SECONDS = 60  # that a mutant may take: one that loops counts as found
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


def changes(node: object) -> Iterator[ast.AST]:
    """A node, each time with one fault."""
    match node:
        case ast.Compare(ops=[kind, *rest]) if type(kind) in COMPARISONS:
            yield ast.Compare(node.left, [COMPARISONS[type(kind)](), *rest], node.comparators)
        case ast.BoolOp():
            yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
            yield from (ast.BoolOp(node.op, values) for values in _shorter(node.values) if len(values) > 1)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            yield ast.BinOp(node.left, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.right)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.If() | ast.While() | ast.IfExp():
            changed = copy.copy(node)
            changed.test = ast.UnaryOp(ast.Not(), node.test)
            yield changed
        case ast.Tuple(ctx=ast.Load()) | ast.List(ctx=ast.Load()) if all(
            isinstance(each, ast.Constant | ast.Starred) for each in node.elts
        ):
            yield from (type(node)(elements, ast.Load()) for elements in _shorter(node.elts))
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield ast.Return(ast.Constant(None))


def _shorter(nodes: list[ast.expr]) -> list[list[ast.expr]]:
    return [nodes[:place] + nodes[place + 1 :] for place in range(len(nodes))]


def parsed(text: str) -> ast.Module:
    """A module without what only type checkers read."""
    tree = ast.parse(text)
    checked = ("TYPE_CHECKING = False", "if TYPE_CHECKING:")
    tree.body = [node for node in tree.body if not ast.unparse(node).startswith(checked)]
    for node in ast.walk(tree):
        match node:
            case ast.arg():
                node.annotation = None
            case ast.FunctionDef():
                node.returns = None
            case ast.AnnAssign():
                node.annotation = ast.Name("object")
    return tree


def mutants(text: str) -> list[tuple[int, str]]:
    """Every mutant of a module, as the line that changed and the whole text."""
    tree = parsed(text)
    found = []
    for parent in list(ast.walk(tree)):
        for field, value in ast.iter_fields(parent):
            for place, node in enumerate(value if isinstance(value, list) else [value]):
                for changed in changes(node):
                    _put(parent, field, place, changed)
                    found.append((getattr(node, "lineno", 0), ast.unparse(ast.fix_missing_locations(tree))))
                _put(parent, field, place, node)
    return found


def _put(parent: ast.AST, field: str, place: int, node: object) -> None:
    value = getattr(parent, field)
    if isinstance(value, list):
        value[place] = node
    else:
        setattr(parent, field, node)


def survives(module: str, text: str, tests: list[str]) -> bool:
    """Whether the tests pass with another text of a module."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            signal.alarm(SECONDS)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            _replace(module, text)
            code = pytest.main([*PYTEST, *tests])
        finally:
            os._exit(int(code))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _replace(module: str, text: str) -> None:
    """Let the import of one module give another text."""
    path = str(SOURCES / f"{module}.py")
    get_code = importlib.machinery.SourceFileLoader.get_code

    def replaced(loader: importlib.machinery.SourceFileLoader, name: str) -> object:
        if loader.path == path:
            return compile(text, path, "exec")
        return get_code(loader, name)

    importlib.machinery.SourceFileLoader.get_code = replaced  # type: ignore[method-assign, assignment]  # in a forked process alone


def measured(module: str, tests: list[str], most: int, seed: int) -> tuple[int, int]:
    """How many mutants survived of how many tried; prints those that did."""
    text = (SOURCES / f"{module}.py").read_text(encoding="utf-8")
    if not survives(module, ast.unparse(parsed(text)), tests):
        sys.exit(f"{module}: the tests fail without any change")
    every = mutants(text)
    tried = sorted(random.Random(seed).sample(every, min(most, len(every))))
    plain = ast.unparse(parsed(text)).splitlines()
    survivors = [(line, changed) for line, changed in tried if survives(module, changed, tests)]
    print(f"{module}: {len(survivors)} of {len(tried)} survive ({len(every)} in all)", flush=True)
    for line, changed in survivors:
        after = [new for old, new in zip(plain, changed.splitlines(), strict=False) if old != new]
        print(f"  line {line}: {(after or [''])[0].strip()}", flush=True)
    return len(survivors), len(tried)


if __name__ == "__main__":
    parser = ArgumentParser()
    parser.add_argument("module", nargs="?")
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    chosen = {asked.module: asked.tests or TESTED[asked.module]} if asked.module else TESTED
    results = [measured(module, tests, asked.most, asked.seed) for module, tests in chosen.items()]
    survived, tried = (sum(column) for column in zip(*results, strict=True))
    print(f"{survived} of {tried} survive: {100 * survived / max(tried, 1):.0f} %")
