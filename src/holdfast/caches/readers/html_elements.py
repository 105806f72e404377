"""What elements of HTML are by their names and attributes: left out, the page itself, code in a language. Pure."""

from __future__ import annotations

from holdfast.core.unicode_text import lower_case, split_at_white_space

# Elements that have no end.
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split(" "))
_LEFT_OUT = frozenset(
    "nav footer script style template svg iframe object canvas video audio map select button dialog datalist noscript "
    "annotation annotation-xml menu".split(" ")
)
_LEFT_OUT_ROLES = frozenset("navigation banner contentinfo search complementary menu menubar dialog toolbar".split(" "))
# Marks that a generator adds to what people wrote: links beside headings, numbers beside lines of code.
_LEFT_OUT_CLASSES = frozenset(
    "headerlink hash-link anchor-link anchorjs-link header-anchor sl-anchor-link linenos linenodiv lineno gutter "
    "rouge-gutter viewcode-link visually-hidden sr-only skip-link".split(" ")
)
_NOTES = frozenset("note admonition callout alert tip warning hint important caution danger info".split(" "))
_MAY_LACK_END = frozenset("p li dt dd tr td th thead tbody tfoot html body head option colgroup".split(" "))
_CONTENT_IDS = frozenset("content main main-content maincontent page-content bodycontent mw-content-text".split(" "))
_LANGUAGE_MARKS = ("language-", "lang-", "highlight-source-", "highlight-text-", "highlight-", "brush:")
_NO_LANGUAGES = frozenset(("default", "none", "notranslate", "plaintext", "text", "ansi", "txt", "plain", ""))


def is_left_out(name: str, given: dict[str, str], *, in_content: bool) -> bool:
    """Whether an element is no content: what leads elsewhere, what runs, what a generator added, what is not shown."""
    if name in _LEFT_OUT or (name == "header" and not in_content):
        return True
    if not given:
        return name == "aside"
    classes = split_at_white_space(given.get("class", ""))
    if name == "aside":
        words = {word for one in classes for word in lower_case(one).split("-")}
        return given.get("role") != "note" and not words & _NOTES
    if name in _MAY_LACK_END:
        return name == "td" and not _LEFT_OUT_CLASSES.isdisjoint(classes)
    return (
        given.get("role") in _LEFT_OUT_ROLES
        or "hidden" in given
        or given.get("aria-hidden") == "true"
        or not _LEFT_OUT_CLASSES.isdisjoint(classes)
    )


def part_of_page(name: str, given: dict[str, str]) -> str:
    """Which part of a page an element may be."""
    if name == "main" or given.get("role") == "main":
        return "main"
    if name == "article":
        return "article"
    return "content" if given and lower_case(given.get("id", "")) in _CONTENT_IDS else ""


def is_layout(given: dict[str, str]) -> bool:
    """Whether a table only places things: lines of code beside their numbers, columns of a page."""
    classes = lower_case(given.get("class", ""))
    return given.get("role") in ("presentation", "none") or "highlighttable" in classes or "rouge-table" in classes


def code_language(given: dict[str, str]) -> str:
    """The language that classes and attributes give to code."""
    if not given:
        return ""
    for key in ("data-lang", "data-language"):
        if key in given:
            return _name(given[key])
    classes = split_at_white_space(given.get("class", "").replace("brush: ", "brush:"))
    for one in classes:
        lowered = lower_case(one)
        mark = next((mark for mark in _LANGUAGE_MARKS if lowered.startswith(mark)), "")
        if mark and _name(lowered[len(mark) :]):
            return _name(lowered[len(mark) :])
    if classes[:1] == ["sourceCode"] and len(classes) > 1:
        return _name(lower_case(classes[1]))
    return ""


def _name(text: str) -> str:
    name = text.rstrip(";")
    plain = name.replace("-", "").replace("+", "").replace("#", "").replace("_", "").replace(".", "")
    return name if len(name) < 20 and plain.isascii() and plain.isalnum() and name not in _NO_LANGUAGES else ""
