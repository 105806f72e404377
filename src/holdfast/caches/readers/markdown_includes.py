"""The lines in which Markdown includes a file, in the dialects of the tools that render it. Pure.

`{* path ln[1:5] hl[2] *}` (FastAPI), `{!path!}` (markdown-include), `--8<-- "path:1:5"` and its block form (MkDocs
snippets), `{{% code_sample file="path" %}}` (Kubernetes), `{{#include path:1:5}}` (mdBook), `<<< @/path{1,3}`
(VitePress). What is not among the sources is left out and reported, and stays as it is within code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from holdfast.caches.readers.included_text import IncludedText, chosen_lines, dedented, language_of
from holdfast.core.record import NamedTuple

_BLANKS = " \t"
_QUOTES = "\"'"
_LONGEST = 1000
_SHORTCODES = ("code_sample", "codenew", "code")
# Where the files of Kubernetes' shortcodes lie.
_EXAMPLES = ("examples", "")
_SCISSORS = "-8<-"


_INCLUDE = re.compile(
    r"""(?a)^[ \t]*+(?:\{\*[ ]*+(\S++)[^*]*+\*\}|\{![ ]*+([^\s!]++)[ ]*+!\}|-++8<-++[ ]++["']([^"']+)["']"""
    r"""|<<<[ ]*+@?(\S++)|\{\{#(?:include|rustdoc_include|playground|playpen)[ ]++([^\s}]++)[^}]*+\}\})[ \t]*+$"""
)


class Inclusion(NamedTuple):
    """What a line includes: lines, the language of a fence around them, and whether they are Markdown themselves."""

    lines: list[str]
    language: str
    is_markdown: bool


def included_by(line: str, included: IncludedText) -> Inclusion | None:
    """The inclusion that is all of a line; None where the line includes nothing that is available."""
    bare = line.strip(_BLANKS)
    if len(bare) > _LONGEST:
        return None
    if bare.startswith("{*") and bare.endswith("*}"):
        return _starred(bare[2:-2].strip(_BLANKS), included)
    if bare.startswith("{!") and bare.endswith("!}"):
        return _found(bare[2:-2].strip(_BLANKS), "", included)
    if bare.startswith("{{"):
        return _shortcode(bare, included)
    if bare.startswith("<<<") and not bare.startswith("<<<<"):
        return _angled(bare[3:].strip(_BLANKS), included)
    if _SCISSORS in bare:
        return _snippet(bare.lstrip(";"), included)
    return None


def included_path(line: str) -> str:
    """The path of the file that a line includes, whether it can be had or not; empty where it includes none."""
    if "8<" not in line and line.lstrip(_BLANKS)[:2] not in ("{*", "{!", "{{", "<<"):
        return ""
    spec = _INCLUDE.match(line[:_LONGEST])
    return next(filter(None, spec.groups()), "") if spec else ""


def is_snippet_block(line: str) -> bool:
    """Whether a line begins or ends a list of snippets, one a line."""
    bare = line.strip(_BLANKS)
    return bool(bare) and bare.strip("-") == "8<" and len(bare) > 4


def snippet_of(line: str, included: IncludedText) -> Inclusion | None:
    """What a line of a list of snippets includes."""
    bare = line.strip(_BLANKS)
    return None if not bare or bare[0] in ";#" else _sections(bare.strip(_QUOTES), included)


def _starred(spec: str, included: IncludedText) -> Inclusion | None:
    path, _, options = spec.partition(" ")
    at = options.find("ln[")
    ranges = options[at + 3 :].partition("]")[0] if at >= 0 else ""
    return _found(path, ranges, included)


def _found(path: str, ranges: str, included: IncludedText, below: Sequence[str] = ("",)) -> Inclusion | None:
    lines = included.lines(path, below)
    if lines is None:
        return None
    if ranges:
        lines = chosen_lines(lines, ranges)
    is_markdown = path.endswith((".md", ".markdown", ".inc"))
    return Inclusion(dedented(lines), language_of(path), is_markdown)


def _shortcode(bare: str, included: IncludedText) -> Inclusion | None:
    if bare.startswith("{{#") and bare.endswith("}}"):
        name, _, spec = bare[3:-2].strip(_BLANKS).partition(" ")
        spec = spec.strip(_BLANKS)
        if name not in ("include", "rustdoc_include", "playground", "playpen") or not spec:
            return None
        path, _, place = spec.split(" ", 1)[0].partition(":")
        return _part(path, place, included)
    if bare[2:3] not in ("%", "<") or not bare.endswith((">}}", "%}}")):
        return None
    name, _, spec = bare[3:-3].strip(_BLANKS).partition(" ")
    if name not in _SHORTCODES:
        return None
    at = spec.find("file=")
    mark = spec[at + 5 : at + 6]
    if at < 0 or mark not in _QUOTES or not mark:
        return None
    return _found(spec[at + 6 :].partition(mark)[0].lstrip("/"), "", included, _EXAMPLES)


def _angled(spec: str, included: IncludedText) -> Inclusion | None:
    """VitePress: `@/path#region{1,3 ts}`, the lines in braces being marked, not chosen."""
    path = spec.partition("{")[0].partition(" ")[0]
    path, _, region = path.partition("#")
    lines = included.lines(path.removeprefix("@/").removeprefix("@"))
    if lines is None:
        return None
    if region:
        lines = _region(lines, region)
    return Inclusion(dedented(lines), language_of(path), is_markdown=False)


def _snippet(bare: str, included: IncludedText) -> Inclusion | None:
    marks, _, spec = bare.partition(" ")
    spec = spec.strip(_BLANKS)
    if marks.strip("-") != "8<" or len(spec) < 3 or spec[0] not in _QUOTES or spec[-1] != spec[0]:
        return None
    return _sections(spec[1:-1], included)


def _sections(spec: str, included: IncludedText) -> Inclusion | None:
    path, _, place = spec.partition(":")
    return None if spec.startswith(("http:", "https:")) else _part(path, place, included)


def _part(path: str, place: str, included: IncludedText) -> Inclusion | None:
    """Of a file, the lines or the named part that follow its path: `1:5`, `:5`, `3`, `name`."""
    if not place or not place.strip("0123456789:,-"):
        return _found(path, place, included)
    whole = included.lines(path)
    if whole is None:
        return None
    return Inclusion(dedented(_region(whole, place)), language_of(path), path.endswith((".md", ".markdown")))


def _region(lines: Sequence[str], name: str) -> list[str]:
    """The lines between the marks of a part, whatever comment they stand in; all where it has no marks."""
    begins = (f"[start:{name}]", f"ANCHOR: {name}", f"#region {name}", f"region {name}")
    ends = (f"[end:{name}]", f"ANCHOR_END: {name}", f"#endregion {name}", f"endregion {name}")
    first = next((number + 1 for number, line in enumerate(lines) if line.rstrip(" -*/>").endswith(begins)), None)
    if first is None:
        return list(lines)
    is_end = [line.rstrip(" -*/>").endswith((*ends, "#endregion")) for line in lines[first:]]
    last = first + is_end.index(True) if True in is_end else len(lines)
    marks = ("[start:", "[end:", "ANCHOR: ", "ANCHOR_END: ")
    return [line for line in lines[first:last] if not any(mark in line for mark in marks)]
