"""Python source: the same facts on every interpreter, since none of them parses it."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.code.analysis.doc_comment import docstring
from holdfast.code.analysis.facts import MAX_COMMENT, Export, compact
from holdfast.code.analysis.source_text import is_capital, is_constant_name
from holdfast.code.analysis.syntax import Node, line_of, name_of, text_of
from holdfast.code.languages import Grammar

_MAX_SHOWN = 3000  # characters of the methods of a class
_IMPORTS = ("import_statement", "import_from_statement")
# Statements that hold statements; expressions hold no import.
_HOLDERS = frozenset(
    "module block ERROR if_statement elif_clause else_clause try_statement except_clause except_group_clause "
    "finally_clause with_statement for_statement while_statement match_statement case_clause function_definition "
    "class_definition decorated_definition".split()
)


class _Module:
    """What a module binds at its top, in order."""

    def __init__(self, root: Node) -> None:
        self.found: dict[str, Export] = {}
        self.passed_on: dict[str, Export] = {}  # names that are imported to be exported
        self.imported: dict[str, Export] = {}
        self.renamed: set[str] = set()  # names imported under their own name (`import x as x`)
        self.listed: list[str] | None = None
        for node in _statements(root):
            self._bind(node)

    def _bind(self, node: Node) -> None:
        if node.type == "decorated_definition":
            node = node.child_by_field_name("definition")
        if node is None:
            return
        if node.type == "function_definition":
            name = name_of(node)
            self.found[name] = Export(_signature(node), _doc(node), name, line=line_of(node))
        elif node.type == "class_definition":
            self.found[name_of(node)] = _class(node)
        elif node.type == "type_alias_statement":
            name = text_of(node.named_children[0]).partition("[")[0]
            self.found[name] = Export(f"type {name}", "", name, line=line_of(node))
        elif node.type == "import_from_statement":
            self._import(node)
        elif node.type == "expression_statement" and node.named_child_count:
            self._expression(node.named_children[0])

    def _import(self, node: Node) -> None:
        module = text_of(node.child_by_field_name("module_name"))
        for part in node.children_by_field_name("name"):
            name, alias = part, part.child_by_field_name("alias")
            if part.type == "aliased_import":
                name = part.child_by_field_name("name")
            bound = text_of(alias) if alias is not None else text_of(name)
            export = self.imported[bound] = Export(bound, "", bound, origin=module)
            if (alias is not None and text_of(name) == bound) or (alias is None and module.startswith(".")):
                self.passed_on[bound] = export
            if alias is not None:
                self.renamed.add(bound)

    def _expression(self, node: Node) -> None:
        if node.type == "assignment":
            self._assignment(node)
        elif node.type == "augmented_assignment" and text_of(node.child_by_field_name("left")) == "__all__":
            self._list(node.child_by_field_name("right"))
        elif node.type == "call":
            function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
            if text_of(function) in ("__all__.extend", "__all__.append") and arguments.named_child_count:
                self._list(arguments.named_children[0])

    def _assignment(self, node: Node) -> None:
        annotation, value, targets = node.child_by_field_name("type"), node, []
        while value is not None and value.type == "assignment":
            targets.append(value.child_by_field_name("left"))
            value = value.child_by_field_name("right")
        for target in targets:
            name = text_of(target)
            if name == "__all__":
                self._list(value)
            elif target.type == "identifier" and annotation is not None:
                self.found[name] = Export(compact(f"{name}: {text_of(annotation)}"), "", name, line=line_of(target))
            elif target.type == "identifier" and (is_capital(name[:1]) or is_constant_name(name) or _is_made(value)):
                self.found[name] = Export(name, "", name, line=line_of(target))

    def _list(self, value: Node | None) -> None:
        """The names that a list, or a sum with lists in it, writes out."""
        if value is None:
            return
        if value.type in ("list", "tuple", "set"):
            self.listed = self.listed or []
            for item in value.named_children:
                self._list(item)
        elif value.type == "string":
            contents = [text_of(part) for part in value.named_children if part.type == "string_content"]
            self.listed = [*(self.listed or []), *contents]
        elif value.type == "binary_operator":
            self._list(value.child_by_field_name("left"))
            self._list(value.child_by_field_name("right"))


def _statements(body: Node) -> Iterator[Node]:
    """The statements at the top, also inside `if`, `try` and `with`."""
    for node in body.named_children:
        if node.type in ("if_statement", "try_statement", "with_statement"):
            for part in node.named_children:
                if part.type == "block":
                    yield from _statements(part)
                elif part.type.endswith("_clause"):
                    for block in part.named_children:
                        if block.type == "block":
                            yield from _statements(block)
        else:
            yield node


def exports(root: Node, _grammar: Grammar) -> Iterator[Export]:
    """What `__all__` lists; without one, public functions, classes, constants and typed or constructed values."""
    module = _Module(root)
    if module.listed is not None:
        for name in module.listed:
            yield module.found.get(name) or module.imported.get(name) or Export(name, "", name)
        return
    own = [export for name, export in module.found.items() if not name.startswith("_") and name != "TYPE_CHECKING"]
    for name, export in module.passed_on.items():
        # `import Y as Y` says that Y is exported, and a module that only imports is there to pass names on.
        if name[0] != "_" and name not in module.found and (name in module.renamed or not own):
            yield export
    yield from own


def _is_made(value: Node | None) -> bool:
    """Whether a value is made by a call, as `app = Flask(__name__)` is; a logger is nobody else's."""
    if value is None or value.type != "call":
        return False
    return text_of(value.child_by_field_name("function")).rpartition(".")[2] != "getLogger"


def _signature(node: Node) -> str:
    parameters, returns = node.child_by_field_name("parameters"), node.child_by_field_name("return_type")
    name = node.child_by_field_name("name")
    if parameters is None or name is None:
        return name_of(node)
    last = parameters if returns is None else returns
    text = node.text[name.start_byte - node.start_byte : last.end_byte - node.start_byte]
    if b"#" in text:
        text = _without_comments(parameters, text, name.start_byte)
    return compact(text.decode("utf-8", "replace"))


def _without_comments(parameters: Node, text: bytes, start: int) -> bytes:
    comments = [node for node in parameters.named_children if node.type == "comment"]
    for node in reversed(comments):
        text = text[: node.start_byte - start] + text[node.end_byte - start :]
    return text


def _class(node: Node) -> Export:
    bases = node.child_by_field_name("superclasses")
    shown_bases = [text_of(base) for base in bases.named_children if base.type != "keyword_argument"] if bases else []
    body = node.child_by_field_name("body")
    methods, values = [], []
    for item in body.named_children if body is not None else ():
        if item.type == "expression_statement" and item.named_child_count:
            values += _class_values(item.named_children[0])
        if item.type == "decorated_definition":
            item = item.child_by_field_name("definition")
        if item is not None and item.type == "function_definition" and not name_of(item).startswith("_"):
            methods.append(name_of(item))
    methods = list(dict.fromkeys(methods))
    shown = ", ".join([f"{method}()" for method in methods])
    if len(shown) > _MAX_SHOWN:
        kept = shown[:_MAX_SHOWN].count(", ")
        shown = ", ".join([*[f"{method}()" for method in methods[:kept]], f"… {len(methods) - kept} more"])
    name = name_of(node)
    text = f"class {name}" + (f"({', '.join(shown_bases)})" if shown_bases else "") + (f": {shown}" if shown else "")
    return Export(
        compact(text, 2 * _MAX_SHOWN),
        _doc(node),
        name,
        members=tuple(dict.fromkeys([*methods, *values])),
        line=line_of(node),
    )


def _class_values(node: Node) -> list[str]:
    """The name that a class gives to a value or a field, where others may use it."""
    target = node.child_by_field_name("left") if node.type == "assignment" else None
    name = text_of(target) if target is not None and target.type == "identifier" else ""
    return [name] if name and not name.startswith("_") else []


def _doc(node: Node) -> str:
    body = node.child_by_field_name("body")
    return docstring(body)[:MAX_COMMENT] if body is not None else ""


def imports(root: Node, _grammar: Grammar) -> Iterator[str]:
    """Modules that are imported anywhere in the file; relative ones keep their dots."""
    for node in _import_nodes(root):
        if node.type == "import_statement":
            for part in node.children_by_field_name("name"):
                yield text_of(part.child_by_field_name("name") or part)
        elif node.type == "import_from_statement":
            base = text_of(node.child_by_field_name("module_name")).replace(" ", "")
            names = node.children_by_field_name("name")
            if not names:  # a star
                yield base
            for part in names:
                name = text_of(part.child_by_field_name("name") or part)
                yield f"{base}{'' if base.endswith('.') else '.'}{name}"


def _import_nodes(root: Node) -> Iterator[Node]:
    """Every import statement, in the order of the file. Expressions hold none and are not entered."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in _IMPORTS:
            yield node
        elif node.type in _HOLDERS:
            waiting.extend(reversed(node.named_children))
