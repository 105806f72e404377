"""OCaml: values, types, modules and exceptions, of implementations and interfaces."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.code.analysis.facts import Export, compact
from holdfast.code.analysis.syntax import Node, declarations, line_of, text_of
from holdfast.code.languages import Grammar

_KINDS = {
    "value_definition": "let",
    "value_specification": "val",
    "external": "val",
    "type_definition": "type",
    "exception_definition": "exception",
    "module_definition": "module",
    "module_type_definition": "module type",
    "class_definition": "class",
}
_NAMES = frozenset("value_name type_constructor constructor_name module_name module_type_name class_name".split())
_BINDINGS = frozenset("let_binding type_binding module_binding class_binding constructor_declaration".split())


def exports(root: Node, _grammar: Grammar, owner: str = "") -> Iterator[Export]:
    """Everything at the top, and what modules inside the file hold."""
    for node, comment in declarations(root):
        kind = _KINDS.get(node.type, "")
        bindings = [child for child in node.named_children if child.type in _BINDINGS] or ([node] if kind else [])
        for binding in bindings if kind else ():
            name = next((text_of(child) for child in binding.named_children if child.type in _NAMES), "")
            if not name or name.startswith("_") or name == "()":
                continue
            full = f"{owner}.{name}" if owner else name
            text = f"{kind} {full}"
            if kind == "val" and (given := node.child_by_field_name("type")) is not None:
                text += f" : {text_of(given)}"
            yield Export(compact(text), comment, name, owner, line=line_of(binding))
            for body in binding.named_children:
                if body.type in ("structure", "signature"):
                    yield from exports(body, _grammar, name)


def imports(root: Node, _grammar: Grammar) -> Iterator[str]:
    """Modules that are opened or included at the top."""
    for node in root.named_children:
        if node.type in ("open_module", "include_module") and node.named_child_count:
            yield text_of(node.named_children[-1])
