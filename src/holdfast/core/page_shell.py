"""A page of HTML that needs nothing but itself: the shell around what it says, and the parts that many have. Pure.

Nothing on a page is fetched from elsewhere. Style and script stand in the page and are allowed by their hashes alone:
a browser runs nothing that a name or a text could bring along.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape

from holdfast.core.display_text import display_line, display_text


def whole_page(style: str, title: str, main: str, *, top: str = "", foot: str = "", script: str = "") -> str:
    """A page. `title` is text; the others are HTML already."""
    policy = page_policy(style, script)
    skip = '<a class="skip" href="#main">Skip to the content</a>\n' if top else ""
    scripted = f"<script>{script}</script>\n" if script else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="referrer" content="no-referrer">\n<title>{escape(display_line(title))}</title>\n'
        f"<style>{style}</style>\n</head>\n<body>\n{skip}{_within('header', 'top', top)}"
        f'<main id="main" tabindex="-1">\n{main}\n</main>\n{_within("footer", "foot", foot)}'
        f"{scripted}</body>\n</html>\n"
    )


def _within(element: str, name: str, content: str) -> str:
    return f'<{element} class="{name}">\n{content}\n</{element}>\n' if content else ""


def page_policy(style: str, script: str = "") -> str:
    """The content security policy of a page: this style, this script, and requests to its own origin."""
    allowed = ["default-src 'none'", f"style-src {_source(style)}", "base-uri 'none'"]
    allowed += [f"script-src {_source(script)}", "connect-src 'self'", "form-action 'self'"] if script else []
    return "; ".join(allowed if script else [*allowed, "form-action 'none'"])


def _source(text: str) -> str:
    return f"'sha256-{b2a_base64(sha256(text.encode()).digest(), newline=False).decode()}'"


def shown(text: str) -> str:
    """A name or a line from elsewhere: as text, on one line, in its own direction."""
    return f"<bdi>{escape(display_line(text))}</bdi>"


def block(text: str) -> str:
    """A text of several lines, escaped, with its line breaks."""
    return f'<pre dir="auto" tabindex="0">{escape(display_text(text))}</pre>'


def note(problem: str, advice: str = "") -> str:
    """Something that is wrong or not there, and what to do about it; the advice is HTML already."""
    text = f"<p>{shown(problem)}</p>" if problem else ""
    return f'<div class="note">{text}{f"<p>{advice}</p>" if advice else ""}</div>'


def command(words: str) -> str:
    """Words to type."""
    return f"<code>{escape(words)}</code>"


def counted(number: int, one: str, many: str = "") -> str:
    """`3 sections`; `many` is said of several where an `s` would not do."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def folded(summary: str, content: str, *, mark: str = "", is_open: bool = False) -> str:
    """A part that a reader may open; `mark` is its id, by which a renewed page keeps it open."""
    named = f' id="{escape(mark)}"' if mark else ""
    return f"<details{named}{' open' if is_open else ''}><summary>{summary}</summary>\n{content}\n</details>"


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """A list of names and values; each value is HTML already."""
    return f'<dl class="facts">{"".join([f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows])}</dl>'


def meter(part: int, whole: int, label: str) -> str:
    """How much of a whole a part is, as a bar."""
    width = 100 * min(part, whole) / whole if whole > 0 else 0
    return (
        f'<svg class="meter" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
        f'<rect class="track" width="100" height="4"/><rect class="fill" width="{width:.2f}" height="4"/></svg>'
    )


def stacked(parts: Sequence[tuple[str, int, str]]) -> str:
    """Parts of one whole as one bar, each (name, count, class), and what the colours mean."""
    total = sum([count for _, count, _ in parts]) or 1
    label = ", ".join([f"{count:,} {name}" for name, count, _ in parts])
    drawn, at = [], 0.0
    for _, count, kind in parts:
        width = 100 * count / total
        drawn.append(f'<rect class="{kind}" x="{at:.2f}" width="{width:.2f}" height="4"/>')
        at += width
    keys = [
        f'<li><svg viewBox="0 0 8 8" aria-hidden="true"><rect class="{kind}" width="8" height="8"/></svg>'
        f"{count:,} {escape(name)}</li>"
        for name, count, kind in parts
    ]
    return (
        f'<svg class="stack" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
        f'<rect class="track" width="100" height="4"/>{"".join(drawn)}</svg><ul class="legend">{"".join(keys)}</ul>'
    )
