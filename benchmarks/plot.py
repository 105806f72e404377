"""Draw time against corpus size, log-log, from what benchmarks/resolve.py wrote.

python -m benchmarks.plot docs/benchmarks/resolve.json docs/benchmarks/resolve.svg
"""

from __future__ import annotations

import json
import sys
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 76, 190, 44, 52
SERIES = (
    ("plain_ms", "without an index", "#b3412e"),
    ("cold_ms", "with it, cold command", "#1f6f8b"),
    ("warm_ms", "with it, warm server", "#3c8d40"),
)
NOTHING = ("python_ms", "python -c pass", "#888888")
FONT = 'font-family="system-ui, sans-serif"'


def drawing(results: list[dict[str, Any]]) -> str:
    """An SVG of its own: no font, script or style from elsewhere."""
    sizes = [figures["documents"] for figures in results]
    values = [figures[name] for figures in results for name, _, _ in (*SERIES, NOTHING)]
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    first, last = log10(min(sizes)), log10(max(sizes))

    def across(size: float) -> float:
        return LEFT + (log10(size) - first) / ((last - first) or 1) * (WIDTH - LEFT - RIGHT)

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - (log10(value) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    label = "Time to resolve a query against the number of documents"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="24" {FONT} font-size="15" fill="#222">Time to resolve a three-word query</text>',
    ]
    for power in range(low, high + 1):
        y = up(10**power)
        label = f"{10**power:g} ms" if power < 3 else f"{10 ** (power - 3):g} s"
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e3e3e3"/>')
        parts.append(_text(LEFT - 8, y + 4, label, "#555", "end"))
    for size in sizes:
        x = across(size)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#e3e3e3"/>')
        parts.append(_text(x, HEIGHT - BOTTOM + 18, f"{size:,}", "#555", "middle"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "documents of about 2.5 KB", "#555", "middle"))
    for name, label, colour in (*SERIES, NOTHING):
        points = [(across(figures["documents"]), up(figures[name])) for figures in results]
        dashes = ' stroke-dasharray="4 4"' if name == NOTHING[0] else ""
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
        if not dashes:
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
        parts.append(_text(points[-1][0] + 10, points[-1][1] + 4, label, colour, "start"))
    return "\n".join([*parts, "</svg>\n"])


def _text(x: float, y: float, text: str, colour: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {FONT} font-size="12" fill="{colour}" text-anchor="{anchor}">{text}</text>'


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_text(drawing(json.loads(source.read_text(encoding="utf-8"))), encoding="utf-8")
