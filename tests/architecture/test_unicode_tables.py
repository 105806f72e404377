"""No answer depends on the Unicode version an interpreter was built with.

Every call whose result the interpreter's tables decide is looked for in the source: what is a letter, a digit, white
space or printable; case; where lines end; `\\w`, `\\s`, `\\d`, `\\b` and ignored case in patterns; numbers read from
text, which may be written in any script's digits; and Python source itself, whose names are letters. A call is proven
harmless where the same expression was found to be ASCII right there (`text.isascii() and text.isdigit()`). One module
may ask; what else does is listed with the reason why nothing depends on it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import holdfast

SOURCE = Path(holdfast.__file__).parent
MAY_ASK = {"core/unicode_text.py"}

CLASSES = {"isalpha", "isalnum", "isdigit", "isdecimal", "isnumeric", "isspace", "isupper", "islower", "istitle"}
CLASSES |= {"isidentifier", "isprintable"}
CASE = {"lower", "upper", "casefold", "title", "capitalize", "swapcase"}
TRIMMING = {"split", "rsplit", "strip", "lstrip", "rstrip"}  # without arguments, at white space
NUMBERS = {"int", "float", "complex", "repr"}
TABLES = {"unicodedata", "tokenize"}
PATTERNS = tuple("\\" + letter for letter in "wWsSdDbB")

BYTES = "of bytes, where only ASCII counts"
DIGITS = "of ASCII digits, which the lines before make sure of"
JSON_DIGITS = "of ASCII digits, as the scanner of JSON knows them, or that Python wrote"
SAME = "white space and line ends, which are the same characters in every supported Python (test_unicode_text)"
OLD_LETTERS = "of letters of Latin-1, Latin Extended-A, Greek and Cyrillic, whose case no Unicode version changed"
OWN_WORDS = "of a constant of the source, in ASCII"
# file -> {what asks: why nothing depends on it}
LISTED: dict[str, dict[str, str]] = {
    "caches/audit_answers.py": {"int": "of a number of seconds"},
    "caches/search/audit_page.py": {
        "int": "of a time that an audit wrote, in ASCII digits",
        "float": "of a time that an audit wrote, in ASCII digits",
    },
    "caches/search_answers.py": {"int": "of a number of seconds"},
    "caches/registry/file_set_tar.py": {"int": BYTES, "isdigit": BYTES},
    "caches/registry/registry_client.py": {"int": DIGITS},
    "caches/readers/asciidoc_reader.py": {"int": DIGITS},
    "caches/readers/html_blocks.py": {"int": DIGITS},
    "caches/readers/included_text.py": {"int": DIGITS},
    "caches/build/git_tree.py": {"int": "of the size that git writes, in ASCII digits"},
    "caches/segments/segment_table.py": {"int": "of binary digits that it wrote"},
    "caches/search/answer_cost.py": {"split": "of hex digits and blanks"},
    "caches/search/citations.py": {"int": DIGITS},
    "cli.py": {"float": DIGITS},
    "specs/on_disk/check_scope.py": {"int": "of the line numbers that git writes, in ASCII digits"},
    "command/command_line.py": {"int": DIGITS},
    "command/examples.py": {"int": "of an exit code in a text of the package"},
    "core/canonical_json.py": {"int": JSON_DIGITS, "float": JSON_DIGITS},
    "core/display_text.py": {"isprintable": "no interpreter says so of a control, a bidi mark or a surrogate"},
    "core/token_tables.py": {"int": "of digits in a text of the package", "split": "of ASCII in bytes"},
    "core/git_command.py": {"splitlines": SAME, "strip": SAME},
    "core/ignore_rules.py": {"repr": "part of a key that lives as long as the process", "split": SAME},
    "core/record.py": {"!r": "for whoever debugs; no answer shows a record"},
    "core/token_estimate.py": {"isalpha": BYTES, "islower": BYTES, "split": BYTES},
    "explore/explorer.py": {"int": DIGITS},
    "explore/project_look.py": {"int": "of digits that the explorer let through"},
    "core/token_file.py": {"split": BYTES},
    "core/http_address.py": {"int": DIGITS},
    "operation.py": {"upper": OWN_WORDS},
    "mcp/stdio.py": {"strip": BYTES},
    "mcp/tool_definitions.py": {"isalnum": BYTES, "lower": BYTES},
    "code/analysis/analyser.py": {"lower": BYTES},
    "code/analysis/doc_comment.py": {"strip": SAME},
    "contexts/symbol_lookup.py": {"split": SAME, "lower": OLD_LETTERS},
    "contexts/answers/mapping.py": {"strip": SAME},
    "contexts/symbol_ranks.py": {"isidentifier": "every identifier is a name by the pattern beside it, too"},
    "code/code_sections.py": {"lstrip": SAME, "rstrip": SAME, "split": SAME, "strip": SAME},
    "code/analysis/c_family.py": dict.fromkeys(("isalnum", "isalpha", "lstrip", "rstrip", "strip"), BYTES),
    "code/analysis/elixir.py": {"strip": SAME},
    "code/analysis/facts.py": {"\\s": SAME, "rstrip": SAME, "split": SAME, "strip": SAME},
    "code/analysis/javascript.py": {"lstrip": SAME},
    "code/analysis/rust.py": {"split": SAME},
    "code/analysis/syntax.py": {"split": SAME},
    "code/analysis/references.py": {"split": BYTES},
    "code/analysis/source_text.py": {"rstrip": SAME},
    "contexts/conflict_markers.py": {"splitlines": SAME},
    "contexts/context_merge.py": {"splitlines": SAME, "strip": SAME},
    "contexts/commands.py": {"split": SAME, "splitlines": SAME, "strip": SAME},
    "contexts/import_rules.py": {"strip": SAME},
    "contexts/claims.py": {"int": "of ASCII hex digits, which a pattern found", "split": SAME, "splitlines": SAME},
    "contexts/on_disk/claim_subjects.py": {"split": SAME},
    "contexts/context_text.py": {"lstrip": SAME, "rstrip": SAME, "split": SAME, "splitlines": SAME, "strip": SAME},
    "contexts/description.py": {"strip": SAME},
    "contexts/git_attributes.py": {"repr": BYTES, "split": BYTES, "isdigit": BYTES, "int": DIGITS},
    "code/git_index.py": {"split": BYTES, "int": BYTES},
    "code/languages.py": {"split": SAME},
    "contexts/manifests.py": {"\\s": SAME, "split": SAME, "splitlines": SAME, "strip": SAME},
    "contexts/on_disk/directory_view.py": {"strip": SAME},
    "contexts/on_disk/git.py": {"strip": BYTES, "split": SAME, "int": BYTES},
    "contexts/on_disk/git_setup.py": {"split": BYTES, "splitlines": BYTES, "strip": BYTES},
    "code/on_disk/repository.py": {"strip": BYTES, "lower": BYTES},
    "contexts/on_disk/settings_file.py": {"splitlines": SAME, "strip": SAME},
    "contexts/on_disk/validation.py": {"split": SAME, "strip": SAME},
    "contexts/schema.py": {"split": SAME},
    "contexts/source_kinds.py": {"split": SAME},
    "core/yaml_text.py": {"float": DIGITS, "int": DIGITS},
}


def asks(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, what asks) of everything in a module whose result the interpreter's Unicode tables decide."""
    yield from _asks(tree, frozenset())


def _asks(node: ast.AST, ascii_only: frozenset[str]) -> Iterator[tuple[int, str]]:
    found = _what_asks(node, ascii_only)
    if found:
        yield getattr(node, "lineno", 0), found
    if isinstance(node, ast.BoolOp):
        known = ascii_only
        for operand in node.values:
            yield from _asks(operand, known)
            known |= _told(operand, whether=isinstance(node.op, ast.And))
        return
    if isinstance(node, ast.IfExp | ast.If | ast.While):
        yield from _asks(node.test, ascii_only)
        for branch, whether in ((node.body, True), (node.orelse, False)):
            for part in branch if isinstance(branch, list) else [branch]:
                yield from _asks(part, ascii_only | _told(node.test, whether=whether))
        return
    for child in ast.iter_child_nodes(node):
        if not _is_text_for_people(node, child):
            yield from _asks(child, ascii_only)


def _told(test: ast.expr, *, whether: bool) -> frozenset[str]:
    """The expressions that are ASCII where a test came out so."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _told(test.operand, whether=not whether)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == whether:
        return frozenset().union(*[_told(operand, whether=whether) for operand in test.values])
    if whether and isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr == "isascii":
        return frozenset([ast.dump(test.func.value)])
    return frozenset()


def _is_text_for_people(parent: ast.AST, child: ast.AST) -> bool:
    """Whether a child is a docstring."""
    if not isinstance(parent, ast.Expr) or not isinstance(child, ast.Constant):
        return False
    return isinstance(child.value, str)


def _what_asks(node: ast.AST, ascii_only: frozenset[str]) -> str:
    if isinstance(node, ast.Call):
        return _call(node, ascii_only)
    if isinstance(node, ast.FormattedValue) and node.conversion == ord("r"):
        return "!r"
    if isinstance(node, ast.Import):
        return next((name.name for name in node.names if name.name in TABLES), "")
    if isinstance(node, ast.ImportFrom):
        return node.module if node.module in TABLES else ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and not node.value.startswith("(?a"):
        return next((pattern for pattern in PATTERNS if pattern in node.value), "")
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.value.id == "str" and node.attr in CLASSES | CASE | TRIMMING | {"splitlines"}:
            return node.attr
        if node.value.id == "re" and node.attr in ("I", "IGNORECASE", "U", "UNICODE", "LOCALE"):
            return "re." + node.attr
    return ""


def _call(call: ast.Call, ascii_only: frozenset[str]) -> str:
    function = call.func
    if isinstance(function, ast.Name):
        constant = bool(call.args) and isinstance(call.args[0], ast.Constant)
        return function.id if function.id in NUMBERS and call.args and not constant else ""
    if not isinstance(function, ast.Attribute) or ast.dump(function.value) in ascii_only:
        return ""
    if function.attr == "parse" and isinstance(function.value, ast.Name) and function.value.id == "ast":
        return "ast.parse"
    if isinstance(function.value, ast.Constant):
        return ""
    if function.attr == "splitlines":
        return function.attr
    # None of these of a text takes an argument but those that trim, which then do not ask; with one it is another's.
    return function.attr if function.attr in CLASSES | CASE | TRIMMING and not call.args and not call.keywords else ""


def test_nothing_asks_the_interpreter_what_a_character_is() -> None:
    unknown = []
    for file in sorted(SOURCE.rglob("*.py")):
        path = file.relative_to(SOURCE).as_posix()
        if path not in MAY_ASK:
            for line, what in asks(ast.parse(file.read_bytes())):
                if what not in LISTED.get(path, ()):
                    unknown.append(f"{path}:{line} {what}")
    assert unknown == []


def test_what_is_listed_is_there() -> None:
    gone = []
    for path, reasons in LISTED.items():
        if path.startswith("contexts/"):
            continue
        there = {what for _, what in asks(ast.parse((SOURCE / path).read_bytes()))}
        gone += [f"{path} {what}" for what in reasons if what not in there]
    assert gone == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("text.isalpha()", ["isalpha"]),
        ("text.isascii() and text.isalpha()", []),
        ("text.isalpha() and text.isascii()", ["isalpha"]),
        ("not text.isascii() or text.isalpha()", []),
        ("text.lower() if text.isascii() else other.lower()", ["lower"]),
        ("if text.isascii() and more:\n    text.lower()\nelse:\n    text.upper()", ["upper"]),
        ("if not text.isascii():\n    text.lower()\nelse:\n    text.upper()", ["lower"]),
        ("other.isascii() and text.isalpha()", ["isalpha"]),
        ("text.split()", ["split"]),
        ("text.split(',')", []),
        ("text.splitlines()", ["splitlines"]),
        ("text.splitlines(True)", ["splitlines"]),
        ("text.title()", ["title"]),
        ("pages.title(3)", []),
        ("'a b'.split()", []),
        ("int(text)", ["int"]),
        ("int(3.5)", []),
        ("map(str.lower, texts)", ["lower"]),
        ("f'{text!r}'", ["!r"]),
        ("re.compile(r'\\w+')", ["\\w"]),
        ("re.compile(r'(?a)\\w+')", []),
        ("re.compile('a', re.IGNORECASE)", ["re.IGNORECASE"]),
        ("import unicodedata", ["unicodedata"]),
        ("ast.parse(text)", ["ast.parse"]),
    ],
)
def test_a_call_that_asks_is_found(code: str, found: list[str]) -> None:
    assert [what for _, what in asks(ast.parse(code))] == found
