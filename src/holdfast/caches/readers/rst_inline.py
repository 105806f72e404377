"""Words of reStructuredText as those of Markdown: roles, links, literals, substitutions. Pure, and linear."""

from __future__ import annotations

import re
from collections.abc import Mapping

from holdfast.caches.readers.page_text import inline_code
from holdfast.core.unicode_text import lower_case, split_at_white_space

# A role at the end of a text; a note's mark or a name that is a link.
_ROLE = re.compile(r"(?a):([\w:+.-]{1,58}):\Z")
_LONGEST_ROLE = 60
_NAMED = re.compile(r"(?a)(\[[^\[\]]{1,60}\])_(?![A-Za-z0-9])|(?<![A-Za-z0-9.-])([A-Za-z0-9.-]{1,60}+)_(?![A-Za-z0-9])")
# Roles whose text is prose; that of any other is a name, and is given as code.
_PROSE = frozenset(
    "ref doc term numref any abbr emphasis strong sub sup subscript superscript title-reference title t guilabel "
    "menuselection dfn rfc pep ticket cve bpo gh issue pr user youtube wiki pypi commit index eq math".split(" ")
)
_LINKED = frozenset(["doc", "download"])


def inline_markdown(text: str, targets: Mapping[str, str], substitutions: Mapping[str, str]) -> str:
    """The words of a paragraph, with as many line ends as it had."""
    if "`" not in text and "_" not in text and "|" not in text and "\\" not in text:
        return text
    found: list[str] = []
    at = 0
    has_literals = True
    while (tick := text.find("`", at)) >= 0:
        if text.startswith("``", tick):
            end = text.find("``", tick + 2) if has_literals else -1
            if end < 0:
                has_literals = False
                found.append(_plain(text[at:tick], targets, substitutions) + "``")
                at = tick + 2
                continue
            while text[end + 2 : end + 3] == "`":
                end += 1
            found.append(_plain(text[at:tick], targets, substitutions))
            found.append(inline_code(text[tick + 2 : end]))
            at = end + 2
            continue
        end = text.find("`", tick + 1)
        if end < 0:
            break
        before, role = _role(text[at:tick])
        found.append(_plain(before, targets, substitutions))
        after = end + 1
        if role:
            written = _role_text(role, text[tick + 1 : end])
        elif text[after : after + 1] == "_":
            after += 2 if text[after + 1 : after + 2] == "_" else 1
            written = _link(text[tick + 1 : end], targets)
        else:
            written = text[tick:after]
        missing = text.count("\n", tick, after) - written.count("\n")
        if missing > 0:  # the part taken out held a line's end: it goes before what is left
            found[-1] = found[-1].rstrip(" ") + "\n" * missing
        found.append(written)
        at = after
    found.append(_plain(text[at:], targets, substitutions))
    return "".join(found)


def title_and_target(text: str) -> tuple[str, str]:
    """`title <target>` in its two parts; the title is empty where there is but one."""
    at = text.rfind("<")
    if at <= 0 or not text.endswith(">") or text[at - 1] not in " \n":
        return "", text
    return text[:at].rstrip(" \n"), text[at + 1 : -1]


def _role(before: str) -> tuple[str, str]:
    """The text before a role, and its name without the colons; the name is empty where there is none."""
    role = _ROLE.search(before, max(len(before) - _LONGEST_ROLE, 0)) if before.endswith(":") else None
    return (before[: role.start()], role[1]) if role is not None else (before, "")


def _role_text(role: str, text: str) -> str:
    title, target = title_and_target(text)
    name = role.rpartition(":")[2]
    if name in _LINKED:
        return f"[{title or target}]({target})"
    if name in _PROSE:
        return title or target
    written = title or target.lstrip("!")
    if written.startswith("~"):
        written = written[1:].rpartition(".")[2]
    return inline_code(written)


def _link(text: str, targets: Mapping[str, str]) -> str:
    title, target = title_and_target(text)
    if title:
        return f"[{title}]({target})" if not target.endswith("_") else title
    if target.startswith("<") and target.endswith(">"):
        return target
    url = targets.get(normal_name(text))
    return f"[{text}]({url})" if url else text


def normal_name(text: str) -> str:
    """A name as it is compared: lower case, one blank between words."""
    return lower_case(" ".join(split_at_white_space(text)))


def _plain(text: str, targets: Mapping[str, str], substitutions: Mapping[str, str]) -> str:
    if substitutions and "|" in text:
        text = _substituted(text, substitutions)
    if "_" in text and (targets or "]_" in text):
        text = _NAMED.sub(lambda found: _reference(found, targets), text)
    return text.replace("\\ ", "").replace("\\\n", "\n") if "\\" in text else text


def _substituted(text: str, substitutions: Mapping[str, str]) -> str:
    parts = text.split("|")
    found = [parts[0]]
    number = 1
    while number < len(parts):
        if number + 1 < len(parts) and parts[number] in substitutions:
            found.append(substitutions[parts[number]] + parts[number + 1])
            number += 2
        else:
            found.append("|" + parts[number])
            number += 1
    return "".join(found)


def _reference(found: re.Match[str], targets: Mapping[str, str]) -> str:
    """Of `[1]_` the note's mark alone, of `name_` a link where it leads anywhere."""
    mark, name = found.groups()
    url = targets.get(lower_case(name)) if name else None
    return mark or (f"[{name}]({url})" if url else found[0])
