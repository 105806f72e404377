"""TypeScript, TSX and JavaScript: what is exported, in either module system, and what is put on an exported object."""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdfast.code.analysis.facts import Export, compact
from holdfast.code.analysis.source_text import word_end
from holdfast.code.analysis.syntax import Node, declarations, header, line_of, name_of, text_of
from holdfast.code.languages import Grammar

_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "generator_function"})
_CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
_MEMBERS = frozenset({"method_definition", "method_signature", "abstract_method_signature"})
_MODULE = ("module.exports", "exports")


def exports(root: Node, _grammar: Grammar, owner: str = "") -> Iterator[Export]:
    """Every export as a compact signature."""
    local: dict[str, list[Export]] = {}
    for node, comment in declarations(root):
        for export in _declared(node, comment):
            local.setdefault(export.owner or export.name, []).append(export)
    for node, comment in declarations(root):
        for export in _stated(node, comment, local, _grammar):
            yield _below(export, owner) if owner and not export.owner else export


def _below(export: Export, owner: str) -> Export:
    return export._replace(signature=compact(f"{owner}.{export.signature}"), owner=owner)


def _stated(node: Node, comment: str, local: dict[str, list[Export]], grammar: Grammar) -> Iterator[Export]:
    if node.type == "export_statement":
        yield from _exported(node, comment, local, grammar)
    elif node.type == "expression_statement" and node.named_child_count:
        inner = node.named_children[0]
        if inner.type == "internal_module":  # a namespace is an expression to the grammar
            return
        yield from _assigned(inner, comment, local)
    elif node.type in ("lexical_declaration", "variable_declaration"):
        for part in node.named_children:  # `var app = exports = module.exports = {}`
            value = part.child_by_field_name("value")
            if value is not None and value.type == "assignment_expression":
                yield from _assigned(value, comment, local)
    elif node.type == "ambient_declaration":
        for child in node.named_children:
            yield from _declaration(child, comment, grammar)


def _exported(node: Node, comment: str, local: dict[str, list[Export]], grammar: Grammar) -> Iterator[Export]:
    source = text_of(node.child_by_field_name("source")).strip("\"'`")
    declaration = node.child_by_field_name("declaration")
    if declaration is not None:
        yield from _declaration(declaration, comment, grammar)
        return
    listed = False
    for child in node.named_children:
        if child.type == "export_clause":
            listed = True
            for part in child.named_children:
                if part.type == "comment":
                    continue
                alias, name = part.child_by_field_name("alias"), name_of(part)
                shown = text_of(alias) if alias is not None else name
                if source:
                    yield Export(shown, "", shown, origin=source)
                else:
                    yield from (
                        local.get(name, [Export(name, "", name)]) if alias is None else [Export(shown, "", shown)]
                    )
        elif child.type == "namespace_export":
            listed = True
            name = text_of(child.named_children[0])
            yield Export(f"* as {name} from {source}", "", name, origin=source)
    if source and not listed:
        yield Export(f"* from {source}", "", "", origin=source)
    value = node.child_by_field_name("value")
    if value is None and not source and not listed:  # TypeScript: `export = Foo`
        value = next((child for child in node.named_children if child.type == "identifier"), None)
    if value is not None:
        name = text_of(value) if value.type == "identifier" else name_of(value)
        if name in local:
            yield from local[name]
        elif value.type in _CLASSES:
            yield from _class(value, comment, name or "default")
        else:
            yield Export(
                compact(f"default {name}") if name else _function("default", value), "", name, line=line_of(value)
            )


def _declaration(node: Node, comment: str, grammar: Grammar) -> Iterator[Export]:
    """What an exported or ambient declaration gives; a namespace with what it exports."""
    if node.type == "ambient_declaration":
        for child in node.named_children:
            yield from _declaration(child, comment, grammar)
    elif node.type in ("internal_module", "module"):
        name = text_of(node.child_by_field_name("name")).strip("\"'")
        yield Export(f"namespace {name}", comment, name, line=line_of(node))
        body = node.child_by_field_name("body")
        if body is not None:
            yield from exports(body, grammar, name)
    elif node.type == "import_alias":
        name = text_of(node.named_children[0])
        yield Export(name, "", name, line=line_of(node))
    else:
        yield from _declared(node, comment)


def _declared(node: Node, comment: str) -> Iterator[Export]:
    """The names a declaration gives, with their signatures."""
    kind, name = node.type, name_of(node)
    if kind in ("function_declaration", "generator_function_declaration", "function_signature"):
        yield Export(_function(name, node), comment, name, line=line_of(node))
    elif kind in _CLASSES:
        yield from _class(node, comment, name)
    elif kind in ("interface_declaration", "enum_declaration"):
        body = node.child_by_field_name("body")
        inner = [name_of(part) for part in body.named_children if part.type in _MEMBERS] if body is not None else []
        yield Export(compact(header(node)).rstrip(" {"), comment, name, members=tuple(inner), line=line_of(node))
    elif kind == "type_alias_declaration":
        yield Export(f"type {name}", comment, name, line=line_of(node))
    elif kind in ("lexical_declaration", "variable_declaration"):
        word = text_of(node.children[0]) if node.children else "const"
        for part in node.named_children:
            if part.type == "variable_declarator":
                yield from _variable(part, comment, word)


def _class(node: Node, comment: str, name: str) -> Iterator[Export]:
    text = compact(header(node)).rstrip(" {")
    yield Export(text if name != "default" else f"default {text}", comment, name, line=line_of(node))
    body = node.child_by_field_name("body")
    for member, above in declarations(body) if body is not None else ():
        method, text = name_of(member), text_of(member)
        is_hidden = method.startswith(("#", "_")) or text[: word_end(text, 0)] in ("private", "protected")
        if member.type in _MEMBERS and method != "constructor" and not is_hidden:
            yield Export(_function(f"{name}.{method}", member), above, method, name, line=line_of(member))


def _function(name: str, node: Node) -> str:
    parameters, returns = node.child_by_field_name("parameters"), node.child_by_field_name("return_type")
    if parameters is None:
        single = node.child_by_field_name("parameter")
        listed = f"({text_of(single)})" if single is not None else ""
    else:
        listed = text_of(parameters)
    return compact(f"{name}{listed}{text_of(returns)}")


def _variable(node: Node, doc: str, word: str) -> Iterator[Export]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        return
    if name.type.endswith("_pattern"):
        for part in name.named_children:
            if part.type == "shorthand_property_identifier_pattern":
                yield Export(f"{word} {text_of(part)}", doc, text_of(part), line=line_of(node))
        return
    shown = text_of(name)
    if value is not None and value.type in _FUNCTIONS:
        yield Export(_function(shown, value), doc, shown, line=line_of(node))
    else:
        yield Export(
            compact(f"{word} {shown}{text_of(node.child_by_field_name('type'))}"), doc, shown, line=line_of(node)
        )


def _assigned(assignment: Node, comment: str, local: dict[str, list[Export]]) -> Iterator[Export]:
    """`module.exports = …`, `exports.name = …`, `Type.prototype.name = …` and `object.name = function …`."""
    targets = []
    right: Node | None = assignment
    while right is not None and right.type == "assignment_expression":
        targets.append(text_of(right.child_by_field_name("left")))
        right = right.child_by_field_name("right")
    if right is None or not targets:
        return
    if any(target in _MODULE for target in targets):
        yield from _module_value(right, comment, local)
        targets = [target for target in targets if target not in _MODULE]
    for target in targets:
        owner, dot, name = target.rpartition(".")
        if not dot or not name or "[" in target or "(" in target or name.startswith("_"):
            continue
        if owner in _MODULE:
            given = [export for export in local.get(text_of(right), []) if export.name == name]
            yield from given or [
                Export(_function(name, right) if right.type in _FUNCTIONS else name, comment, name, line=line_of(right))
            ]
        elif right.type in _FUNCTIONS and owner.count(".") <= 1:
            shown = owner.removesuffix(".prototype")
            if "." not in shown and shown != "this":
                yield Export(_function(f"{shown}.{name}", right), comment, name, shown, line=line_of(right))


def _module_value(value: Node, comment: str, local: dict[str, list[Export]]) -> Iterator[Export]:
    if value.type == "object":
        for part in value.named_children:
            if part.type in ("spread_element", "comment"):
                continue
            name = text_of(part.child_by_field_name("key") or part.child_by_field_name("name") or part)
            given = part.child_by_field_name("value")
            if part.type == "method_definition" or (given is not None and given.type in _FUNCTIONS):
                yield Export(_function(name, part if given is None else given), "", name, line=line_of(part))
            elif name:
                yield from local.get(name, [Export(name, "", name, line=line_of(part))])
        return
    name = text_of(value) if value.type == "identifier" else name_of(value)
    if name in local:
        yield from local[name]
    elif value.type == "class":
        yield from _class(value, comment, name or "module.exports")
    else:
        yield Export(_function(name or "module.exports", value), comment, name, line=line_of(value))


_REQUIRED = re.compile(r"""(?a)(?<![\w\x80-\U0010ffff])(?:require|import)\(\s*+["'`]([^"'`]++)["'`]\s*+[,)]""")


def imports(root: Node, _grammar: Grammar) -> Iterator[str]:
    """Module specifiers of imports and re-exports, and of calls of `require` and `import` anywhere."""
    found = []
    for node in root.named_children:
        source = node.child_by_field_name("source")
        if node.type == "import_statement" and source is None:  # TypeScript: `import x = require("y")`
            clause = next((child for child in node.named_children if child.type == "import_require_clause"), None)
            source = clause.child_by_field_name("source") if clause is not None else None
        if source is not None and node.type in ("import_statement", "export_statement"):
            found.append((node.start_byte, text_of(source).strip("\"'`")))
        elif not node.type.endswith("comment") and (b"require(" in node.text or b"import(" in node.text):
            text = text_of(node)
            calls = [call for call in _REQUIRED.finditer(text) if not _in_comment(text, call.start())]
            found += [(node.start_byte + call.start(), call[1]) for call in calls]
    for _, name in sorted(found):
        yield name


def _in_comment(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip()
    return line.startswith(("//", "*", "/*"))
