"""Python source, read with the interpreter's own parser."""

from __future__ import annotations

import ast
import warnings

from holdfast.contexts.analysis.facts import MAX_COMMENT, Export, FileFacts, compact, first_sentence
from holdfast.contexts.analysis.source_text import is_constant_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_METHODS = 12


def analyse(name: str, data: bytes) -> FileFacts:
    """The facts of a Python file; of one that does not parse, only its language."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in someone's source is not ours to report
            module = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return FileFacts(name, "Python")
    return FileFacts(
        name,
        "Python",
        first_sentence(ast.get_docstring(module, clean=False) or ""),
        tuple(_exports(module, data.split(b"\n"))),
        tuple(dict.fromkeys(_imports(module.body))),
    )


def _exports(module: ast.Module, lines: list[bytes]) -> Iterator[Export]:
    listed = _listed_names(module)
    found: dict[str, Export] = {}
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = Export(_signature(node, lines), _doc(node))
        elif isinstance(node, ast.ClassDef):
            found[node.name] = Export(_class_signature(node), _doc(node))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = Export(compact(f"{node.target.id}: {ast.unparse(node.annotation)}"))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = Export(target.id)
    if listed is not None:
        for name in listed:
            yield found.get(name, Export(name))
        return
    for name, export in found.items():
        is_value = export.signature == name or export.signature.startswith(f"{name}:")
        if not name.startswith("_") and (not is_value or is_constant_name(name)) and name != "TYPE_CHECKING":
            yield export


def _listed_names(module: ast.Module) -> list[str] | None:
    """The names in a literal `__all__`; None without one."""
    for node in module.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
        ):
            try:
                names = ast.literal_eval(node.value)
            except (ValueError, TypeError):
                return None
            return [name for name in names if isinstance(name, str)] if isinstance(names, list | tuple) else None
    return None


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[bytes]) -> str:
    """As it is written, which is many times quicker than writing it from the tree; a comment inside spoils that."""
    body = node.body[0]
    first, last = node.lineno - 1, body.lineno - 1
    if last < len(lines):
        if first == last:
            header = lines[first][node.col_offset : body.col_offset]
        else:
            header = b"\n".join(
                [lines[first][node.col_offset :], *lines[first + 1 : last], lines[last][: body.col_offset]]
            )
        text = header.decode("utf-8", "replace").rstrip(" \t\r\n")
        text = text.removeprefix("async").lstrip().removeprefix("def").lstrip()
        if text.endswith(":") and text.startswith(node.name) and "#" not in text:
            return compact(text[:-1])
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return compact(f"{node.name}({ast.unparse(node.args)}){returns}")


def _class_signature(node: ast.ClassDef) -> str:
    bases = ", ".join([ast.unparse(base) for base in node.bases])
    methods = [
        item.name
        for item in node.body
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and not item.name.startswith("_")
    ]
    shown = ", ".join([f"{method}()" for method in methods[:_MAX_METHODS]])
    return compact(f"class {node.name}" + (f"({bases})" if bases else "") + (f": {shown}" if shown else ""))


def _doc(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    return (ast.get_docstring(node, clean=False) or "")[:MAX_COMMENT]


def _imports(body: list[ast.stmt]) -> Iterator[str]:
    """Modules imported at the top, also inside `if` and `try`; relative ones keep their dots."""
    for node in body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                yield f"{base}{'' if base.endswith('.') else '.'}{alias.name}" if alias.name != "*" else base
        elif isinstance(node, ast.If):
            yield from _imports(node.body)
            yield from _imports(node.orelse)
        elif isinstance(node, ast.Try):
            yield from _imports(node.body)
            for handler in node.handlers:
                yield from _imports(handler.body)
