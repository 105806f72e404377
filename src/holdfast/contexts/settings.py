"""The settings of a project, `.context.config.yaml`: what may stand there and what holds without it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from holdfast.core.canonical_json import encode

Value = Any

FILE_NAME = ".context.config.yaml"


class Settings(NamedTuple):
    """How a project is scanned and what `init` writes."""

    max_depth: int = 10
    min_tokens: int = 4096
    ignore: tuple[str, ...] = ()
    mode: str = "lean"


# name -> (kind, description). The last group belongs to the existing tool: accepted and ignored.
KEYS: Mapping[str, tuple[str, str]] = {
    "max_depth": (
        "whole",
        "How many folders below the root may have contexts; questions about code look at all (default 10)",
    ),
    "min_tokens": ("whole", "A directory whose source is smaller is skipped, unless one below is kept (default 4096)"),
    "ignore": ("texts", "More patterns to leave out, as in .contextignore"),
    "mode": ("mode", "lean: summary, exports and dependencies; full: files, interfaces and packages too"),
    "provider": ("foreign", "Not used: contexts are made offline"),
    "model": ("foreign", "Not used: contexts are made offline"),
    "api_key_env": ("foreign", "Not used: contexts are made offline"),
}
MODES = ("lean", "full")


def check(value: Value) -> list[str]:
    """What is wrong with the settings, a sentence each; an empty file is right."""
    if value is None:
        return []
    if type(value) is not dict:
        return ["must be a mapping of settings"]
    return [f"{name} {problem}" for name, item in value.items() if (problem := check_one(name, item))]


def check_one(name: str, value: Value) -> str:
    """What is wrong with one setting, or nothing."""
    if name not in KEYS:
        return "is no known setting"
    kind, _ = KEYS[name]
    if kind == "whole" and (type(value) is not int or value < 0):
        return "must be a whole number from 0"
    if kind == "texts" and (type(value) is not list or any(type(item) is not str for item in value)):
        return "must be a list of patterns"
    if kind == "mode" and value not in MODES:
        return "must be one of: " + ", ".join(MODES)
    return ""


def settings_of(value: Value) -> Settings:
    """The settings that stand in a file, each unfit or absent one replaced by its default."""
    given = value if type(value) is dict else {}
    fit = {name: item for name, item in given.items() if name in Settings._fields and not check_one(name, item)}
    if "ignore" in fit:
        fit["ignore"] = tuple(fit["ignore"])
    return Settings(**fit)


def rendered(name: str, value: Value) -> str:
    """A setting as lines of the file."""
    if type(value) is list:
        items = "".join([f"  - {encode(item)}\n" for item in value])
        return f"{name}:\n{items}" if items else f"{name}: []\n"
    return f"{name}: {value}\n"
