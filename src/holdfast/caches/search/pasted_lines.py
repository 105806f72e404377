"""A long query: an issue with its body, a stack trace, a log. What each of its lines counts. Pure.

The title, which is the first sentence, counts in full. The words below it weigh together at most half as much as those
of the title in error messages, a quarter in other lines, an eighth in fences, frames of a stack and indented lines: a
body never outweighs its title, however long it is. Machine paths count nothing.
"""

from __future__ import annotations

from holdfast.core.unicode_text import WHITE_SPACE, lower_case, split_at_white_space

# The most that the words of a kind of line weigh together, in eighths of the title.
_TITLE, _ERRORS, _PLAIN, _STACK = 8, 4, 2, 1
# A query with this many lines is a paste.
_LONG_QUERY = 4
# As a receipt states them.
PASTE = {"lines": _LONG_QUERY, "errors": _ERRORS, "plain": _PLAIN, "stack": _STACK, "fenced": _STACK}
_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
# What the name of an error ends in, before its colon, and what the line of one begins with.
_ERROR_ENDS = ("error", "exception", "warning", "fatal", "panic", "panicked")
_ERROR_BEGINS = ("error", "fatal", "panic", "caused by", "uncaught", "unhandled")
_TRACEBACK = "Traceback (most recent call last)"
_SENTENCE_ENDS = (". ", "? ", "! ")
_FENCES = ("```", "~~~")
_QUOTES = "\"'`()[]{}<>,;"


def is_paste(query: str) -> bool:
    """Whether a query has too many lines to have been typed."""
    return len(_lines(query)) >= _LONG_QUERY


def _lines(query: str) -> list[str]:
    return [line for line in query.replace("\r", "\n").split("\n") if line.strip(WHITE_SPACE)]


def paste_texts(query: str) -> list[tuple[str, int]]:
    """The texts of a paste, the title first, each with what its words may weigh together in eighths of the title.

    Without a title the error messages are what is asked, else the stack.
    """
    title, is_fenced = "", False
    by_share: dict[int, list[str]] = {_ERRORS: [], _PLAIN: [], _STACK: []}
    for line in _lines(query):
        is_apart = is_fenced or _is_of_a_stack(line)
        if line.strip(WHITE_SPACE).startswith(_FENCES):
            is_fenced = not is_fenced
        elif not title and not is_apart:  # an error message as well
            end = min([line.find(end) for end in _SENTENCE_ENDS if end in line], default=len(line))
            title = line[:end]
            by_share[_PLAIN].append(line[end:])
        else:
            by_share[_ERRORS if is_error(line) else _STACK if is_apart else _PLAIN].append(line)
    texts = [(title, _TITLE), *[("\n".join(lines), share) for share, lines in by_share.items()]]
    return [(_without_paths(text), share) for text, share in texts]


def is_number(word: str) -> bool:
    """Whether a word has more digits than letters: a count, a time, a version, an address in memory."""
    return sum(map(_DIGITS.__contains__, word)) > sum(map(_LETTERS.__contains__, word))


def is_error(line: str) -> bool:
    """Whether a line is an error message: `ValueError: …`, `error TS2307: …`, `Caused by: …`."""
    before, colon, after = line.strip(WHITE_SPACE).partition(":")
    if not colon or not after.strip(WHITE_SPACE) or line.startswith("File "):
        return False
    name = lower_case(before)
    return name.endswith(_ERROR_ENDS) or name.startswith(_ERROR_BEGINS)


def _is_of_a_stack(line: str) -> bool:
    """Whether a line of a paste is indented or looks like a frame: `at f (a.js:1:2)`, `#0 …`, `File "…", line 1`,
    `from a.rb:1:in f`."""
    if line[0] in WHITE_SPACE or line.startswith(_TRACEBACK):
        return True
    if line.startswith(("at ", "from ")):
        return "(" in line or any(line[at + 1 : at + 2] in _DIGITS for at in range(len(line)) if line[at] == ":")
    if line[0] == "#":
        return line[1:2] in _DIGITS
    return line.startswith('File "') and '", line ' in line


def _without_paths(text: str) -> str:
    return " ".join([word for word in split_at_white_space(text) if not _is_machine_path(word.strip(_QUOTES))])


def _is_machine_path(word: str) -> bool:
    """`/home/a/b.py`, `~/a/b`, `file:///a/b`, `C:\\a\\b`: of one machine, whatever its folders are called."""
    path = word.replace("\\", "/")
    begins = path.startswith(("/", "~/", "file:/")) or path[1:3] == ":/"
    return begins and path.count("/") > 1
