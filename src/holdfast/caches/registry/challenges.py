"""Authentication challenges of a registry: the header `WWW-Authenticate`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from holdfast.core.unicode_text import lower_case

# A word, a text in quotation marks (to the end where they are not closed), or one of the two signs.
_TOKEN = re.compile(r"""[A-Za-z0-9!#$%&'*+.^_`|~-]+|"(?:[^"\\]|\\.)*"?|[=,]""")
_ESCAPED = re.compile(r"\\(.)")


class Challenge(NamedTuple):
    """A way of being let in, in lower case, with what the server says of it."""

    scheme: str
    fields: Mapping[str, str]


def parse_challenges(headers: Iterable[str]) -> list[Challenge]:
    """The challenges of a response, in their order; what cannot be understood is passed over."""
    found: list[Challenge] = []
    for header in headers:
        tokens = _TOKEN.findall(header)
        fields: dict[str, str] | None = None
        place = 0
        while place < len(tokens):
            token, sign, value = tokens[place], *[*tokens[place + 1 : place + 3], "", ""][:2]
            place += 1
            if token in ("=", ",") or token.startswith('"'):
                continue
            if sign != "=":
                fields = {}
                found.append(Challenge(lower_case(token), fields))
            elif fields is not None:
                fields.setdefault(lower_case(token), _plain(value))
                place += 2
    return found


def _plain(value: str) -> str:
    if not value.startswith('"'):
        return value
    return _ESCAPED.sub(r"\1", value[1:].removesuffix('"'))
