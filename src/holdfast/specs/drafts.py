"""Documents nobody has written yet: what still equals its template is a draft, and counts as missing."""

from __future__ import annotations

from holdfast.specs.white_space import WHITE_SPACE

_NAME = "{{name}}"
# In bytes. Whoever adds more than this has written something; and no template is as short as that.
MAX_SIZE = 1 << 16
SHORTEST = 100


def is_draft(text: str, template: str) -> bool:
    """Whether a text is its template, blank lines and line ends aside; `{{name}}` there stands for any name."""
    lines, wanted = _lines(text), _lines(template)
    return len(lines) == len(wanted) and all(map(_fits, lines, wanted))


def _fits(line: str, wanted: str) -> bool:
    before, marked, after = wanted.partition(_NAME)
    if not marked:
        return line == wanted
    return len(line) >= len(before) + len(after) and line.startswith(before) and line.endswith(after)


def _lines(text: str) -> list[str]:
    lines = [line.rstrip(WHITE_SPACE) for line in text.removeprefix("\ufeff").replace("\r", "\n").split("\n")]
    return [line for line in lines if line]
