"""Spellings of the release before: each still says how it is written now. A release later they are unknown."""

from __future__ import annotations

from holdfast.operation import Parameter

# The command -> options that work for one more release: the argument each sets, and how it is written now.
MOVED = {
    "list": (Parameter("cache_root", "path", "--cache-root DIR", flag="--root"),),
    "explore": (Parameter("html", "path", "--html FILE", flag="--out"),),
}
# Commands that are an option of another now: what they were called, and how that is written.
RENAMED = {
    "rehash": "regen --hash-only",
    "watch": "status --watch",
    "audit": "replay --receipts",
    "cite verify": "verify --citations",
    "index": "build --index",
    "outdated": "sync --check",
    "spec revoke": "spec approve --revoke",
    "spec archive": "spec merge --archive",
    "spec trace": "spec check --trace",
    "steering init": "spec init --steering",
}
# Commands that are gone -> what to do instead.
REMOVED = {
    "stats": "`context savings` compares the tokens of contexts and sources",
    "ignore": "`context config ignore PATTERN,PATTERN`, or a line in .contextignore",
    "spec board": "`context explore` shows the specs, `context explore --html FILE` writes them as a page",
    "steering": "`context guide workflow` quotes them, `context spec init --steering` writes missing ones",
}
