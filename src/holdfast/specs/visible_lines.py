"""Which lines of a Markdown text a reader sees as text: not those in code fences or HTML comments."""

from __future__ import annotations

from holdfast.specs.white_space import trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_OPEN, _CLOSE = "<!--", "-->"


def visible_lines(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Each line outside fences and comments, with its number from 0. Takes one pass, however long the lines are.

    A fence that is never closed reaches the end of the text, and so does a comment that starts a line; one that opens
    in the middle of a line counts only if it is closed, so that a task may speak of `<!--`.
    """
    last_close = max((number for number, line in enumerate(lines) if _CLOSE in line), default=-1)
    fence = ""
    in_comment = False
    for number, line in enumerate(lines):
        if in_comment:
            in_comment = _CLOSE not in line
        elif fence:
            if _closes(line, fence):
                fence = ""
        elif fence := _fence(line):
            pass
        elif _OPEN not in line:
            yield number, line
        elif trimmed(line).startswith(_OPEN):
            in_comment = _CLOSE not in line[line.index(_OPEN) + 2 :]  # `<!-->` is a whole comment
        else:
            yield number, line
            in_comment = number < last_close and _leaves_a_comment_open(line)


def _fence(line: str) -> str:
    """The run of backticks or tildes that opens a fence on this line, or nothing."""
    if "```" not in line and "~~~" not in line:
        return ""
    text = trimmed(line)
    if text[:2] in ("- ", "* ", "+ "):
        text = trimmed(text[2:])
    mark = text[:1]
    if mark not in ("`", "~") or not text.startswith(mark * 3):
        return ""
    rest = text.lstrip(mark)
    # A backtick after the run makes it code within a line.
    return "" if mark == "`" and "`" in rest else mark * (len(text) - len(rest))


def _closes(line: str, fence: str) -> bool:
    text = trimmed(line)
    return text.startswith(fence) and not text.strip(fence[0])


def _leaves_a_comment_open(line: str) -> bool:
    start = line.rindex(_OPEN)
    in_code = line.count("`", 0, start) % 2 == 1
    return not in_code and _CLOSE not in line[start + 2 :]
