"""What a family offers beside its operations: resources to read and prompts to start from, as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple
from urllib.parse import quote as quote_any
from urllib.parse import unquote_to_bytes

from holdfast.workspace import Workspace

_HEX = frozenset("0123456789ABCDEFabcdef")


class Resource(NamedTuple):
    """A text behind an address. An address with `{variables}` is a template for one address per value."""

    family: str
    uri: str
    name: str
    title: str
    description: str
    mime_type: str
    read: Callable[[Workspace, Mapping[str, str]], str | None]  # None: there is no such text
    existing: Callable[[Workspace], Iterable[Mapping[str, str]]]  # the variables of each that is there now
    complete: Callable[[Workspace, str, Mapping[str, str]], Iterable[str]]  # values for a variable, given others

    @property
    def is_template(self) -> bool:
        """Whether the address has variables."""
        return "{" in self.uri


class PromptArgument(NamedTuple):
    """One blank in a prompt."""

    name: str
    description: str
    required: bool = False


class Prompt(NamedTuple):
    """A message a person can start from."""

    family: str
    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]
    render: Callable[[Workspace, Mapping[str, str]], str]  # raises OfferError
    complete: Callable[[Workspace, str, Mapping[str, str]], Iterable[str]]


def expand(template: str, variables: Mapping[str, str]) -> str:
    """An address with its variables filled in."""
    for name, value in variables.items():
        template = template.replace("{" + name + "}", quote(value))
    return template


def match(template: str, uri: str) -> dict[str, str] | None:
    """The variables that make a template this address; None when none do."""
    expected, given = template.split("/"), uri.split("/")
    if len(expected) != len(given):
        return None
    variables = {}
    for part, text in zip(expected, given, strict=True):
        if part.startswith("{"):
            value = unquote(text)
            if not value:
                return None
            variables[part[1:-1]] = value
        elif part != text:
            return None
    return variables


def quote(text: str) -> str:
    """A text as one segment of an address."""
    return quote_any(text, safe="", errors="replace")


def unquote(segment: str) -> str | None:
    """A segment of an address, decoded; None when it is not well formed."""
    if not all(len(part) > 1 and _HEX.issuperset(part[:2]) for part in segment.split("%")[1:]):
        return None
    try:
        return unquote_to_bytes(segment).decode()
    except UnicodeError:
        return None
