"""Tags of Liquid and Hugo and `{{ expressions }}` in Markdown, as the text that they stand for. Pure, and linear.

No template is run: a value is looked up, a file included, the words of a tag kept; what a table does not know is
dropped, or becomes the last word of its name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from holdfast.caches.readers.generators import BRACES, LIQUID
from holdfast.caches.readers.included_text import DEEPEST, IncludedText
from holdfast.caches.readers.markdown_blocks import NOTE_TAGS, label, note
from holdfast.caches.readers.markdown_lines import fence_after, without_comments
from holdfast.caches.readers.page_text import Row
from holdfast.caches.readers.site_values import SiteValues
from holdfast.caches.search.sections import front_matter

_TAG = re.compile(
    r"(?a)\{%((?:[^%{]|%(?!\})|\{(?!%))*+)%\}"  # Liquid
    r"|\{\{([<%])((?:[^<>%{}]|[<>%](?!\}\}))*+)[>%]\}\}"  # Hugo
    r"|\{\{\{?([^{}]*+)\}?\}\}"
)
_ARGUMENT = re.compile(r"""(?a)([\w-]+)[ ]*=[ ]*("[^"]*"|'[^']*'|[^\s"']+)|("[^"]*"|'[^']*'|[^\s"']+)""")
# Tags whose words are a title, with the argument that has it.
_LABELS = frozenset(("tab", "tab-content", "step", "collapse", "expand", "details", "accordion", "qa", "card"))
_TOOLS = {"mac": "macOS", "linux": "Linux", "windows": "Windows", "bash": "Bash", "powershell": "PowerShell"}
_SHOWN = ("title", "name", "header", "label", "summary", "caption", "text", "aria-label", "question")
# Tags between which nothing is text.
_SKIPPED = frozenset(("comment", "for", "capture", "javascript", "style", "schema"))
_LIQUID_LINKS = ("embed", "file")
# Shortcodes between which there is code.
_CODE = frozenset(("code", "code-toggle", "highlight"))
# A link whose words are the title of the page that it leads to.
_TITLED_LINK = re.compile(r"(?a)\[AUTOTITLE\]\(([^()\s]{1,300})\)")
_VERSION = re.compile(r"(?a)^/?(?:en/)?(?:(?:enterprise|free)[\w.-]*@[\w.-]+/)?")
_WORD = re.compile(r"(?a)[A-Za-z0-9_-]+")
_STRING = re.compile(r"""(?a)^["']([^"']*)["']""")
_PATH = re.compile(r"(?a)^[\w$-]+(?:\.[\w$-]+|\[[^\[\]]{0,40}\])*")


class TemplateRows:
    """Lines of a page without tags of templates."""

    def __init__(
        self, site: SiteValues, included: IncludedText, values: dict[str, str] | None = None, depth: int = 0
    ) -> None:
        self._site, self._included, self._depth = site, included, depth
        self._values = {} if values is None else values
        traits = site.generator.traits
        self._has_liquid, self._has_braces = LIQUID in traits, BRACES in traits or LIQUID in traits
        self._skipped = ""  # the tag that ends what is no text
        self._is_raw = False
        self._fence = ""
        # Of the line that is read: its line in the source and its margin; of the tag, whether it is alone there, and
        # whether it is within a code span.
        self._source, self._margin, self._alone, self._is_in_code = 0, "", False, False
        self._found: list[Row] = []

    def rows(self, rows: Sequence[Row]) -> list[Row]:
        """The lines."""
        if self._has_liquid:
            rows = [(self._with_titles(text) if "[AUTOTITLE](" in text else text, source) for text, source in rows]
        if not any("{{" in text or "{%" in text for text, _ in rows):
            return list(rows)
        for text, source in rows:
            self._fence = fence_after(text, self._fence)
            if "{{" in text or "{%" in text:
                self._source = source
                self._line(text)
            elif not self._skipped:
                self._found.append((text, source))
        if self._depth:
            return self._found
        found = without_comments(self._found, "{%", "%}") if self._has_liquid else self._found
        return without_comments(without_comments(found, "{{<", ">}}"), "{{%", "%}}")

    def _line(self, text: str) -> None:
        """Write a line with its tags replaced; a line that had nothing else is left out."""
        self._margin = text[: len(text) - len(text.lstrip(" \t"))]
        kept: list[str] = []
        at = 0
        is_whole = False
        lead, end = len(text) - len(text.lstrip(" \t>*-")), len(text.rstrip(" \t"))
        ticks, counted, last_tick = 0, 0, text.rfind("`")
        for tag in _TAG.finditer(text):
            if not self._skipped:
                kept.append(text[at : tag.start()])
            at = tag.end()
            self._alone = tag.start() <= lead and at >= end
            ticks += text.count("`", counted, tag.start())
            counted = tag.start()
            self._is_in_code = ticks % 2 == 1 and last_tick >= at
            said = self._tag(tag)
            if said is not None and not self._skipped:
                is_whole = is_whole or bool(said)
                kept.append(said)
        if not self._skipped:
            kept.append(text[at:])
        line = "".join(kept)
        if line.strip(" \t>") or (not at and not self._skipped):
            self._found.append((line.rstrip(" \t") if at else line, self._source))
        elif not is_whole and not self._fence:
            self._found.append(("", self._source))

    def _tag(self, tag: re.Match[str]) -> str | None:
        liquid, hugo, shortcode, expression = tag.group(1, 2, 3, 4)
        if liquid is not None:
            return self._liquid(liquid.strip(" \t-"), tag[0]) if self._has_liquid else tag[0]
        if hugo is not None:
            spec = shortcode.strip(" \t/*")
            if self._alone and spec.partition(" ")[0] in _CODE and not shortcode.rstrip(" ").endswith("/"):
                is_end = shortcode.lstrip(" ").startswith("/")
                if is_end or not self._fence:
                    self._fence = "" if is_end else "```"
                    given = _arguments(spec.partition(" ")[2])
                    return "```" + ("" if is_end or "=" in given.get("0", "=") else given["0"])
            if self._fence or self._is_in_code:
                return f"{tag[0][:3]}{shortcode.removeprefix('/*').removesuffix('*/')}{tag[0][-3:]}"
            return self._shortcode(spec, shortcode)
        if not self._fence and expression.startswith("#"):
            return ""  # of mdBook: a title, a quiz
        if self._is_raw or not self._has_braces:
            return tag[0]
        value = self._expression(expression.strip(" \t-"), is_code=bool(self._fence) or self._is_in_code)
        return tag[0] if value is None else value

    def _expression(self, spec: str, is_code: bool) -> str | None:
        """The value of an expression, else its last word; None where it is code that has no value."""
        if (text := _STRING.match(spec)) is not None:
            return text[1]
        path = _PATH.match(spec)
        name = path[0] if path else ""
        value = self._values.get(name)
        if value is None and name:
            value = self._site.value(name.removeprefix("site.").removeprefix("config.").removeprefix("extra."))
        if value is not None or is_code:
            return value
        if name and self._has_liquid and not name.startswith(("page.", "content", "include.")):
            self._included.missing(f"{{{{ {name} }}}}")
        words = _WORD.findall(name.partition("[")[0])
        return words[-1].replace("_", " ").replace("-", " ") if words and "(" not in spec else ""

    def _liquid(self, spec: str, whole: str) -> str | None:
        name, _, rest = spec.partition(" ")
        if self._skipped:
            self._skipped = "" if name == self._skipped else self._skipped
            return None
        if self._is_raw and name != "endraw":
            return whole
        if name in ("raw", "endraw"):
            self._is_raw = name == "raw"
            return ""
        if name in _SKIPPED:
            self._skipped = f"end{name}"
            return ""
        if name in ("highlight", "endhighlight"):
            self._fence = "```" if name == "highlight" else ""
            return "```" + rest.partition(" ")[0]
        if name == "assign":
            variable, _, value = rest.partition("=")
            if (text := _STRING.match(value.strip(" "))) is not None:
                self._values[variable.strip(" ")] = text[1]
            return ""
        if name in ("data", "indented_data_reference"):
            return self._data(rest.partition(" ")[0])
        if name in ("include", "include_relative", "include_cached", "render"):
            return self._include(rest)
        if name in ("link", "post_url"):
            return rest.strip(" \"'")
        if name in _TOOLS:
            return label(_TOOLS[name])
        if name in ("else", "elsif"):
            return "" if self._alone else " / "
        return self._words(name, _arguments(rest))

    def _data(self, name: str) -> str:
        if name.startswith("reusables."):
            lines = self._file(f"data/{name.replace('.', '/')}.md")
            if lines is None:
                return ""
            if self._alone or len(lines) > 1:
                return self._put(lines)
            return " ".join(self._nested(lines))
        value = self._site.data_value(name)
        if value is None:
            self._included.missing(name)
            return name.rpartition(".")[2].replace("_", " ")
        return " ".join(self._nested([value])) if "{" in value else value

    def _with_titles(self, text: str) -> str:
        """A line whose links say the titles of their pages, or the last words of their addresses."""

        def titled(link: re.Match[str]) -> str:
            path, _, anchor = link[1].partition("#")
            page = _VERSION.sub("content/", path)
            found = [self._included.lines(f"{page}{end}") for end in (".md", "/index.md")]
            title = next((front_matter(lines)[1] for lines in found if lines), "")
            words = (anchor or path.rpartition("/")[2]).replace("-", " ")
            return f"[{' '.join(self._nested([title])) if title else words}]({link[1]})"

        return _TITLED_LINK.sub(titled, text)

    def _file(self, path: str, below: Sequence[str] = ("",)) -> list[str] | None:
        """The lines of a file that a tag includes; None, and reported, where it cannot be had."""
        lines = self._included.lines(path, below) if path and self._depth < DEEPEST else None
        if lines is None:
            self._included.missing(path)
        return lines

    def _nested(self, lines: Sequence[str]) -> list[str]:
        """What lines become by themselves."""
        if self._depth + 1 >= DEEPEST:
            return list(lines)
        inner = TemplateRows(self._site, self._included, self._values, self._depth + 1)
        return [text for text, _ in inner.rows(without_comments([(line, 0) for line in lines]))]

    def _put(self, lines: Sequence[str]) -> str:
        """Write the lines of a file where its tag is, instead of that."""
        body, _ = front_matter(list(lines) or [""])
        self._found += [(self._margin + text if text else "", self._source) for text in self._nested(lines[body:])]
        return ""

    def _include(self, spec: str) -> str:
        """A file of the folder for includes, or one that is named from the page; of HTML what it is given to show."""
        path = spec.strip(" ").split(" ")[0].strip("\"'")
        lines = self._file(path, ("_includes", "")) if path and "{" not in path else None
        if lines is not None and path.endswith((".md", ".markdown", ".txt")):
            return self._put(lines)
        if lines is None or self._alone:
            return ""
        given = _arguments(spec)
        return next((given[key] for key in ("version", *_SHOWN) if key in given), "")

    def _shortcode(self, spec: str, whole: str) -> str:
        name, _, rest = spec.partition(" ")
        if whole.strip(" ").startswith("/") or not name:
            return ""
        given = _arguments(rest)
        first = given.get("0", "")
        if name in ("ref", "relref"):
            return first or given.get("path", "")
        if name == "param" and first:
            value = self._site.value(first)
            if value is None:
                self._included.missing(first)
            return first.rpartition(".")[2] if value is None else value
        if name.rpartition("/")[2] in ("shared", "include", "readfile", "snippet"):
            path = (given.get("lookup") or given.get("file") or first).lstrip("/")
            if not path:
                self._included.missing(spec)
                return ""
            lines = self._file(path, ("", "shared", "content", "includes"))
            return "" if lines is None else self._put(lines)
        if name == "heading" and first:
            return first
        return self._words(name, given)

    def _words(self, name: str, given: dict[str, str]) -> str:
        """What a tag says that is in no other table: a note, a title, or nothing."""
        shown = next((given[key] for key in _SHOWN if given.get(key)), "")
        if name in NOTE_TAGS:
            kind = given.get("type") or given.get("style") or given.get("color") or given.get("0") or name
            return note(kind if _WORD.fullmatch(kind) else name, shown)
        if name in _LIQUID_LINKS:
            target = given.get("url") or given.get("src") or given.get("0", "")
            return f"[{shown or target.rstrip('/').rpartition('/')[2]}]({target})" if target else ""
        if name.rpartition("/")[2] in _LABELS:
            return label(shown or given.get("0", "")) if self._alone else shown
        return "" if self._alone else shown


def _arguments(spec: str) -> dict[str, str]:
    """The arguments of a tag by name, and those without one by number."""
    found: dict[str, str] = {}
    for name, value, bare in _ARGUMENT.findall(spec[:2000]):
        found[name or str(sum(key[0] in "0123456789" for key in found))] = (value or bare).strip("\"'")
    return found
