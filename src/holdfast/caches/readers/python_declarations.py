"""The declarations of a Python module as it is written: names, signatures, docstrings, comments, lines. Pure.

By tree-sitter's grammar, which comes with the package: the same file gives the same on every interpreter, also where it
is written for a newer one (docs/decisions/0027).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from holdfast.caches.readers.docstrings import dedented
from holdfast.caches.readers.page_text import Row
from holdfast.caches.readers.python_exports import statements, text_of
from holdfast.core.unicode_text import WHITE_SPACE, split_at_white_space

Node = Any  # tree_sitter.Node

_LONGEST, _LONGEST_VALUE = 2000, 300  # characters of a signature, and of a value; most are a tenth of it
_DEEPEST = 3  # classes within classes
_SHOWN = frozenset("property classmethod staticmethod abstractmethod overload cached_property override".split(" "))
_NO_VALUES = ("TypeVar(", "ParamSpec(", "TypeVarTuple(", "logging.getLogger(", "NewType(", "getLogger(")


class Declaration(NamedTuple):
    """A class ("class"), a function ("def") or a value (""); overloads are signatures of one function."""

    kind: str
    name: str
    signatures: tuple[Row, ...]
    doc: list[Row]
    members: tuple[Declaration, ...]
    is_called: bool


def module_docstring(root: Node) -> list[Row]:
    """The docstring of a module, or of a class or function by its body."""
    for child in root.named_children:
        if child.type == "comment":
            continue
        if child.type == "expression_statement" and len(child.named_children) == 1:
            return _docstring(child.named_children[0])
        break
    return []


def listed_names(root: Node) -> list[str] | None:
    """The names in `__all__`; None where there is none that is written out."""
    names: list[str] | None = None
    for node in statements(root):
        if node.type != "expression_statement" or not node.named_children:
            continue
        given = node.named_children[0]
        if given.type not in ("assignment", "augmented_assignment"):
            continue
        if text_of(given.child_by_field_name("left")) != "__all__":
            continue
        value = given.child_by_field_name("right")
        if value is None or value.type not in ("list", "tuple"):
            continue
        names = names or []
        names += [_string(one) for one in value.named_children if one.type == "string"]
    return names


def declarations(node: Node, depth: int = 0) -> list[Declaration]:
    """The declarations among the statements of a module or a body, in order, functions of one name as one."""
    found: list[Declaration] = []
    comments: list[Row] = []
    last = -2
    for statement in statements(node):
        if statement.type == "comment":
            if statement.start_point[0] != last + 1:
                comments = []
            last = statement.start_point[0]
            comments.append((text_of(statement), last + 1))
            continue
        above = comments if statement.start_point[0] == last + 1 else []
        comments, last = [], -2
        for one in _declared(statement, above, depth):
            before = found[-1] if found else None
            if before is not None and one.kind == "def" == before.kind and before.name == one.name:
                found[-1] = one._replace(signatures=before.signatures + one.signatures, doc=one.doc or before.doc)
            else:
                found.append(one)
        if statement.type == "expression_statement" and found and not found[-1].kind and not found[-1].doc:
            text = _docstring(statement.named_children[0]) if statement.named_children else []
            found[-1] = found[-1]._replace(doc=text) if text else found[-1]
    return found


def _declared(node: Node, comments: list[Row], depth: int) -> Iterator[Declaration]:
    decorators: list[str] = []
    if node.type == "decorated_definition":
        decorators = [text_of(child) for child in node.named_children if child.type == "decorator"]
        node = node.child_by_field_name("definition")
    if node is None:
        return
    name, body = text_of(node.child_by_field_name("name")), node.child_by_field_name("body")
    line = node.start_point[0] + 1
    if node.type in ("function_definition", "class_definition"):
        if any(one.endswith((".setter", ".deleter")) for one in decorators):
            return
        is_class = node.type == "class_definition"
        shown = [one for one in decorators if _is_shown(one, is_class=is_class)]
        signature = " ".join([*shown, _header(node)])
        doc = module_docstring(body) if body is not None else []
        members = tuple(declarations(body, depth + 1)) if is_class and body is not None and depth < _DEEPEST else ()
        is_called = is_class or not any("property" in one for one in shown)
        yield Declaration("class" if is_class else "def", name, ((signature, line),), doc, members, is_called)
    elif node.type == "type_alias_statement":
        left = text_of(node.child_by_field_name("left")).partition("[")[0]
        yield Declaration("", left, (*comments, (_one_line(text_of(node)), line)), [], (), False)
    elif node.type == "expression_statement" and node.named_children:
        yield from _value(node.named_children[0], comments)


def _is_shown(decorator: str, *, is_class: bool) -> bool:
    if is_class:
        return "dataclass" in decorator or decorator.startswith("@final")
    return decorator[1:].partition("(")[0].rpartition(".")[2] in _SHOWN


def _value(node: Node, comments: list[Row]) -> Iterator[Declaration]:
    if node.type != "assignment":
        return
    left = node.child_by_field_name("left")
    if left is None or left.type != "identifier":
        return
    value = text_of(node.child_by_field_name("right"))
    name, kind = text_of(left), text_of(node.child_by_field_name("type"))
    if value.startswith(_NO_VALUES):
        return
    beside = ""
    after = node.parent.next_sibling if node.parent is not None else None
    if after is not None and after.type == "comment" and after.start_point[0] == node.end_point[0]:
        beside = f"  {text_of(after)}"
    text = _one_line(f"{name}{': ' + kind if kind else ''}{' = ' + value if value else ''}", _LONGEST_VALUE)
    yield Declaration("", name, (*comments, (text + beside, node.start_point[0] + 1)), [], (), bool(kind or comments))


def _header(node: Node) -> str:
    """A definition up to its body, on one line, without the colon."""
    body = node.child_by_field_name("body")
    text = node.text if body is None else node.text[: body.start_byte - node.start_byte]
    lines = [_without_comment(line) for line in text.decode("utf-8", "replace").split("\n")]
    return _one_line("\n".join(lines)).rstrip(" ").removesuffix(":")


def _without_comment(line: str) -> str:
    """A line of a signature without the comment at its end; a mark inside a string is none."""
    return line.partition("  #")[0] if "'" not in line and '"' not in line else line


def _one_line(text: str, most: int = _LONGEST) -> str:
    line = " ".join(split_at_white_space(text))
    line = line.replace("( ", "(").replace(", )", ")").replace(",)", ")").replace(" )", ")")
    return line if len(line) <= most else f"{line[:most]} …"


def _string(node: Node) -> str:
    return "".join([text_of(child) for child in node.named_children if child.type == "string_content"])


def _docstring(node: Node) -> list[Row]:
    """The lines of a docstring as they read, each with its line of the file."""
    if node.type != "string" or any(child.type == "interpolation" for child in node.named_children):
        return []
    opening = text_of(node.children[0]) if node.children else ""
    end = node.children[-1] if node.children else node
    start = node.children[0].end_byte - node.start_byte if node.children else 0
    text = node.text[start : end.start_byte - node.start_byte].decode("utf-8", "replace")
    if "\\" in text and "r" not in opening and "R" not in opening:
        kept = text.replace("\\\\", "\x00").replace('\\"', '"').replace("\\'", "'").replace("\\\n", "\n")
        text = kept.replace("\x00", "\\")
    if "b" in opening or "B" in opening:
        return []
    first, *rest = text.replace("\r", "").expandtabs(8).split("\n")
    line = node.start_point[0] + 1
    rows = [(first.strip(WHITE_SPACE), line)]
    return rows + dedented([(one.rstrip(WHITE_SPACE), line + number) for number, one in enumerate(rest, 1)])
