"""What a family offers beside its operations: resources to read and prompts to start from, as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from holdfast.workspace import Workspace

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_HEX = "0123456789ABCDEFabcdef"


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
    return "".join([chr(b) if chr(b) in _UNRESERVED else f"%{b:02X}" for b in text.encode("utf-8", "replace")])


def unquote(segment: str) -> str | None:
    """A segment of an address, decoded; None when it is not well formed."""
    first, *rest = segment.split("%")
    parts = [first.encode("utf-8", "surrogatepass")]
    for part in rest:
        if len(part) < 2 or part[0] not in _HEX or part[1] not in _HEX:
            return None
        parts += [bytes([int(part[:2], 16)]), part[2:].encode("utf-8", "surrogatepass")]
    try:
        return b"".join(parts).decode()
    except UnicodeDecodeError:
        return None
