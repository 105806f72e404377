"""Draw docs/pictures/demo.svg: a terminal in which the commands of README.md are run, from what they really print.

python scripts/picture.py            draw it
python scripts/picture.py --check    say whether it is current
"""

from __future__ import annotations

import re
import sys
from html import escape, unescape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from support.transcripts import COLUMNS, Command, Ran, renewed  # noqa: E402  # the path has to be set first

PICTURE = ROOT / "docs" / "pictures" / "demo.svg"
WIDE, HIGH, MARGIN, BAR = 8.4, 19, 16, 30
SECONDS_TO_READ = {"context search": 3.0}
COLOURS = {
    30: "#484f58",
    31: "#ff7b72",
    32: "#7ee787",
    33: "#e3b341",
    34: "#79c0ff",
    35: "#d2a8ff",
    36: "#76e3ea",
    37: "#e6edf3",
}
STYLES = {1: "font-weight:bold", 2: "fill-opacity:.65", 3: "font-style:italic", 4: "text-decoration:underline"}
BUTTONS = ("#ff5f57", "#febc2e", "#28c840")
TITLE = "A question is answered with citations, the answer is replayed, and an invented citation is caught"
STYLE = """text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }
text { fill: #e6edf3; white-space: pre }
.l { animation: show .01s both }
@keyframes show { from { visibility: hidden } to { visibility: visible } }
@media (prefers-reduced-motion: reduce) { .l { animation: none } }
"""
TAG = re.compile(r"<[^>]*>")
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m|\x1b\[[0-9;?]*[A-Za-z]")


class Line(NamedTuple):
    """A line of the screen as markup, and the second at which it appears."""

    markup: str
    at: float


def styled(text: str) -> str:
    """A line with its colours as SVG."""
    pieces, codes, end = [], set[int](), 0
    for found in [*SEQUENCE.finditer(text), None]:
        start = found.start() if found else len(text)
        if piece := text[end:start]:
            style = ";".join(_style(code) for code in sorted(codes) if _style(code))
            pieces.append(f'<tspan style="{style}">{escape(piece)}</tspan>' if style else escape(piece))
        if found:
            end = found.end()
            numbers = [int(number or 0) for number in (found[1] or "0").split(";")] if found[0].endswith("m") else []
            for number in numbers:
                codes = set() if number == 0 else codes | {number}
    return "".join(pieces)


def _style(code: int) -> str:
    colour = COLOURS.get(code - 60 if code >= 90 else code)
    return f"fill:{colour}" if colour else STYLES.get(code, "")


def screen() -> list[Line]:
    """What somebody sees who types the commands of the README."""
    lines, now = [], 0.0

    def look(command: Command, ran: Ran) -> None:
        nonlocal now
        if command.shown.startswith("context setup"):
            return  # it is no part of the story
        shown = command.shown.removesuffix('; echo "exit $?"')
        lines.append(
            Line(f'<tspan style="fill:#7ee787">$</tspan> <tspan style="font-weight:bold">{escape(shown)}</tspan>', now)
        )
        now += 0.6
        printed = [line.rstrip() for line in ran.written.rstrip("\n").split("\n")]
        lines.extend(Line(styled(line), now) for line in printed if not line.startswith("exit "))
        lines.append(Line("", now))
        now += next((time for words, time in SECONDS_TO_READ.items() if shown.startswith(words)), 1.8)

    renewed((ROOT / "README.md").read_text(encoding="utf-8"), at_command=look)
    return lines


def svg(lines: list[Line]) -> str:
    """The picture: nothing in it is loaded from elsewhere, and without animation all lines stand there at once."""
    while not lines[-1].markup:
        lines.pop()
    widest = max(COLUMNS, *(len(TAG.sub("", unescape(line.markup))) for line in lines))
    width, height = round(widest * WIDE + 2 * MARGIN), BAR + len(lines) * HIGH + MARGIN
    rows = "".join(
        f'<text class="l" style="animation-delay:{line.at:.1f}s" x="{MARGIN}" y="{BAR + (number + 1) * HIGH - 5}">'
        f"{line.markup}</text>\n"
        for number, line in enumerate(lines)
        if line.markup
    )
    buttons = "".join(f'<circle cx="{18 + 18 * place}" cy="15" r="5.5" fill="{BUTTONS[place]}"/>' for place in range(3))
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" xml:space="preserve">\n'
        f"<title>{TITLE}</title>\n"
        "<!-- Drawn by scripts/picture.py from what the commands of README.md print. -->\n"
        f"<style>\n{STYLE}</style>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>\n{buttons}\n{rows}</svg>\n'
    )


if __name__ == "__main__":
    drawn = svg(screen())
    if "--check" in sys.argv:
        if not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != drawn:
            sys.exit("docs/pictures/demo.svg is not current: run ./scripts/docs")
    else:
        PICTURE.parent.mkdir(parents=True, exist_ok=True)
        PICTURE.write_text(drawn, encoding="utf-8")
