"""What directives of reStructuredText are, and what the beginnings of its lines say. Pure."""

from __future__ import annotations

CODE = frozenset(
    "code-block code sourcecode console parsed-literal prompt doctest testcode testoutput ipython math productionlist "
    "literal-block highlight-block".split(" ")
)
NOTES = {
    "note": "Note",
    "warning": "Warning",
    "tip": "Tip",
    "important": "Important",
    "hint": "Hint",
    "caution": "Caution",
    "danger": "Danger",
    "attention": "Attention",
    "error": "Error",
    "seealso": "See also",
    "todo": "To do",
}
VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
TITLED = frozenset(
    "admonition topic sidebar rubric table list-table csv-table centered tab tab-item dropdown".split(" ")
)
LEFT_OUT = frozenset(
    "toctree index module currentmodule contents default-role meta raw image rst-class class-name tabularcolumns "
    "sectionauthor codeauthor moduleauthor program py:module py:currentmodule graphviz digraph inheritance-diagram "
    "testsetup testcleanup autosummary sectnum role default-domain target-notes header footer".split(" ")
)
AUTODOC_DIRECTIVES = frozenset(
    [f"auto{kind}" for kind in ("module", "class", "function", "method", "exception", "data", "attribute", "decorator")]
)
KEPT = frozenset(
    "container only compound figure glossary epigraph highlights pull-quote hlist tabs tab-set grid".split(" ")
)
KINDS = frozenset(["class", "exception", "module"])


def is_border(bare: str) -> bool:
    """Whether a stripped line is a border of a table: `====  ====`."""
    return bare.startswith("==") and " " in bare and not bare.strip("= ")


def field_end(bare: str) -> int:
    """Where the name of a field ends that a line begins with; -1 when it begins with none."""
    if bare[0] != ":" or bare[1:2] in ("", ":", " ", "`"):
        return -1
    end = bare.find(": ", 1)
    return end if end > 0 else (len(bare) - 1 if bare.endswith(":") else -1)


def item_marker(bare: str) -> str:
    """The marker that a line begins an item with; empty when it begins none."""
    if bare[0] in "-*+\u2022":
        return bare[0] if bare[1:2] == " " else ""
    if bare.startswith("#. "):
        return "#."
    digits = len(bare) - len(bare.lstrip("0123456789"))
    if 0 < digits < 10 and bare[digits : digits + 1] in (".", ")") and bare[digits + 1 : digits + 2] == " ":
        return bare[: digits + 1]
    return ""


def plain_words(line: str) -> str:
    """A line of prose that Markdown would take for a heading or a fence."""
    return f"\\{line}" if line.startswith(("# ", "## ", "```", "~~~")) else line
