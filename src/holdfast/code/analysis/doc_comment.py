"""What a source file says of itself or of its package, and never the comment on the first thing it declares."""

from __future__ import annotations

from holdfast.code.analysis.facts import MAX_COMMENT, first_sentence
from holdfast.code.analysis.syntax import Node

# What may follow a file's own comment at once: whatever is no declaration.
_HEADS = frozenset(
    "package_declaration package_header package_clause import_declaration import import_statement preproc_include "
    "preproc_ifdef preproc_if preproc_def using_directive namespace_use_declaration open_module php_tag "
    "namespace_definition use_declaration".split()
)
_FIRST = 8  # a file's own comment is among its first 8 nodes
_FILE_TAGS = ("@packageDocumentation", "@fileoverview", "@fileOverview", "@file", "@module")


def file_doc(root: Node, language: str) -> str:
    """The first sentence of it; nothing where there is none."""
    return _RULES.get(language, _top_comment)(root)


def _text(node: Node) -> str:
    text: str = node.text[: 4 * MAX_COMMENT].decode("utf-8", "replace")
    return text


def _top_comment(root: Node, *, block_only: bool = False) -> str:
    """The comment at the top of a file, where a blank line, the file's end or an import follows."""
    comment: list[Node] = []
    for child in root.named_children[:_FIRST]:
        if child.type == "php_tag":
            continue
        if child.type.endswith("comment") and not child.text.startswith(b"#!"):
            if comment and child.start_point[0] > comment[-1].end_point[0] + 1:
                if sentence := _sentence(comment, block_only=block_only):
                    return sentence
                comment = []
            comment.append(child)
        elif child.type.endswith("comment") or child.type == "hash_bang_line":
            continue
        else:
            is_apart = comment and child.start_point[0] > comment[-1].end_point[0] + 1
            if comment and (is_apart or child.type in _HEADS or _is_require(child) or _is_tagged(comment)):
                return _sentence(comment, block_only=block_only)
            return ""
    return _sentence(comment, block_only=block_only)


def _is_require(node: Node) -> bool:
    """Whether a node is a call that loads another file, which is no declaration worth a comment."""
    if node.type in ("call", "command"):
        return bool(node.text.startswith((b"require", b"source ", b". ")))
    return node.type == "variable_declaration" and (b"require(" in node.text or b"@import(" in node.text)


def _is_tagged(comment: list[Node]) -> bool:
    return any(tag.encode() in node.text for node in comment for tag in _FILE_TAGS)


def _sentence(comment: list[Node], *, block_only: bool = False) -> str:
    if not comment or (block_only and not comment[0].text.startswith(b"/*")):
        return ""
    text = "\n".join([_text(node).removeprefix("(*").removesuffix("*)") for node in comment])
    for tag in _FILE_TAGS:
        text = text.replace(tag, "", 1)
    return first_sentence(text)


def _script(root: Node) -> str:
    return _top_comment(root, block_only=True)


def _go(root: Node) -> str:
    """The comment right above the package clause."""
    comment: list[Node] = []
    for child in root.named_children[:_FIRST]:
        if child.type == "package_clause":
            is_close = comment and child.start_point[0] == comment[-1].end_point[0] + 1
            return _sentence(comment) if is_close else ""
        if not child.type.endswith("comment"):
            return ""
        if comment and child.start_point[0] > comment[-1].end_point[0] + 1:
            comment = []
        comment.append(child)
    return ""


def _inner(root: Node) -> str:
    """Rust and Zig: `//!` and `/*!` alone."""
    lines = []
    for child in root.named_children:
        if not child.type.endswith("comment"):
            break
        if child.text.startswith((b"//!", b"/*!")):
            lines.append(_text(child))
        elif lines or len(lines) > MAX_COMMENT:
            break
    return first_sentence("\n".join([line.rstrip("\n") for line in lines[:20]]))


def _python(root: Node) -> str:
    return first_sentence(docstring(root))


def docstring(body: Node) -> str:
    """The docstring that a module, class or function body begins with."""
    first = next((child for child in body.named_children if child.type != "comment"), None)
    if first is None or first.type != "expression_statement" or first.named_child_count != 1:
        return ""
    string = first.named_children[0]
    if string.type != "string" or string.text[:1] not in (b'"', b"'", b"r", b"R", b"u", b"U"):
        return ""
    parts = [child for child in string.named_children if child.type == "string_content"]
    return "".join([_text(part) for part in parts])


def _elixir(root: Node) -> str:
    """`@moduledoc` of the first module."""
    for module in root.named_children:
        block = next((child for child in module.named_children if child.type == "do_block"), None)
        for child in block.named_children if block is not None else ():
            if child.type == "unary_operator" and child.text.startswith(b"@moduledoc"):
                return first_sentence(_text(child).removeprefix("@moduledoc").strip().strip('"~sS').strip())
    return ""


_RULES = {
    "Go": _go,
    "Rust": _inner,
    "Zig": _inner,
    "Python": _python,
    "Elixir": _elixir,
    "TypeScript": _script,
    "TSX": _script,
    "JavaScript": _script,
}
