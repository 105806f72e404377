"""Spellings of the release before: each still says how it is written now. A release later they are unknown."""

from __future__ import annotations

from holdfast.operation import Parameter

# The command -> options that work for one more release: the argument each sets, and how it is written now.
MOVED = {
    "list": (Parameter("cache_root", "path", "--cache-root DIR", flag="--root"),),
    "explore": (Parameter("html", "path", "--html FILE", flag="--out"),),
}
# Commands that are gone -> what to do instead.
REMOVED = {
    "stats": "`context savings` compares the tokens of contexts and sources",
    "ignore": "`context config ignore PATTERN,PATTERN`, or a line in .contextignore",
    "spec board": "`context explore` shows the specs, `context explore --html FILE` writes them as a page",
    "steering": "`context guide workflow` quotes the steering documents, `context steering init` writes missing ones",
}
