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
_LONGEST = 1000
# Where the files of Kubernetes' shortcodes lie.
_EXAMPLES = ("examples", "")
_MARKER = re.compile(
    r"""(?a)^[ \t]*+(?:\{\*[ \t]*+(?P<starred>[^\s*]++)(?P<options>[^*]*+)\*\}"""
    r"""|\{![ \t]*+(?P<banged>[^\s!]++)[ \t]*+!\}"""
    r"""|;*+-++8<-++[ \t]++(?P<mark>["'])(?P<cut>[^"']++)(?P=mark)"""
    r"""|<<<(?!<)[ \t]*+@?/?(?P<angled>[^\s{]++)[^\n]*+"""
    r"""|\{\{#(?:include|rustdoc_include|playground|playpen)[ \t]++(?P<hashed>[^\s}]++)[^}]*+\}\}"""
    r"""|\{\{[%<][ \t]*+(?:code_sample|codenew|code)[ \t](?:[^}f]|f(?!ile=))*+file=["']/*+(?P<sample>[^"']++)["']"""
    r"""[^}]*+\}\})[ \t]*+$"""
)


class Marker(NamedTuple):
    """What a line includes: a file by its path, below some folders, and of it the lines or the part at a place."""

    path: str
    place: str
    is_code: bool
    below: Sequence[str] = ("",)


class Inclusion(NamedTuple):
    """What a marker stands for: lines, the language of a fence around them, and whether they are Markdown."""

    lines: list[str]
    language: str
    is_markdown: bool


def marker_of(line: str) -> Marker | None:
    """The marker that is all of a line, whether its file can be had or not."""
    spec = _MARKER.match(line[:_LONGEST])
    if spec is None:
        return None
    given = spec.groupdict("")
    if given["starred"]:
        return Marker(given["starred"], given["options"].partition("ln[")[2].partition("]")[0], is_code=False)
    if given["angled"]:  # VitePress: the lines in braces are marked, not chosen
        path, _, region = given["angled"].partition("#")
        return Marker(path, region, is_code=True)
    if given["cut"]:
        return snippet_of(given["cut"])
    if given["sample"]:
        return Marker(given["sample"], "", is_code=False, below=_EXAMPLES)
    path, _, place = (given["hashed"] or given["banged"]).partition(":" if given["hashed"] else "\n")
    return Marker(path, place, is_code=False)


def is_snippet_block(line: str) -> bool:
    """Whether a line begins or ends a list of snippets, one a line."""
    bare = line.strip(_BLANKS)
    return bool(bare) and bare.strip("-") == "8<" and len(bare) > 4


def snippet_of(line: str) -> Marker | None:
    """The marker that a line of a list of snippets is: `path:1:5`, `path:part`."""
    bare = line.strip(_BLANKS)
    if not bare or bare[0] in ";#":
        return None
    bare = bare.strip("\"'")
    path, _, place = bare.partition(":") if "://" not in bare else (bare, "", "")  # an address is never available
    return Marker(path, place, is_code=False)


def included_by(marker: Marker, included: IncludedText) -> Inclusion | None:
    """What a marker stands for; None where its file is not available."""
    path, place, is_code, below = marker
    lines = included.lines(path, below)
    if lines is None:
        return None
    if place:
        lines = _region(lines, place) if place.strip("0123456789:,-") else chosen_lines(lines, place)
    is_markdown = not is_code and path.endswith((".md", ".markdown", ".inc"))
    return Inclusion(dedented(lines), language_of(path), is_markdown)


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
