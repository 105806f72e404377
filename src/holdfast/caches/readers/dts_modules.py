"""Which other files a file of TypeScript declarations exports from, found without a grammar. Pure."""

from __future__ import annotations

import re

_EXPORTED = re.compile(
    rb"\bexport[ \t\r\n]{1,9}(?:type[ \t\r\n]{1,9})?(?:\*[^;'\"{}]{0,99}|\{[^{}]*+\})[ \t\r\n]{0,9}"
    rb"from[ \t\r\n]{0,9}['\"](\.{1,2}(?:/[^'\"\n]{0,300})?)['\"]"
)
_IMPORTED = re.compile(
    rb"\bimport[ \t\r\n]{1,9}(?:type[ \t\r\n]{1,9})?(?:[a-zA-Z_$][^;'\"{}]{0,99})?(?:\*[^;'\"{}]{0,99}|\{[^{}]*+\})?"
    rb"[ \t\r\n]{0,9}from[ \t\r\n]{0,9}['\"](\.{1,2}(?:/[^'\"\n]{0,300})?)['\"]"
)
_REFERENCE = re.compile(rb"///[ \t]{0,9}<reference[ \t]{1,9}path=['\"]([^'\"\n]{1,300})['\"]")
_LIST = re.compile(rb"\bexport[ \t\r\n]{0,9}(?:type[ \t\r\n]{1,9})?\{[ \t\r\n]{0,9}[a-zA-Z_$]")


def exported_modules(data: bytes) -> list[str]:
    """The relative paths that a file exports from or refers to, as it spells them, in order.

    Where it has a list of exports, what it imports counts too: bundlers write the two apart.
    """
    found = [one[1].decode("utf-8", "replace") for one in _EXPORTED.finditer(data)]
    found += [one[1].decode("utf-8", "replace") for one in _REFERENCE.finditer(data)]
    if _LIST.search(data) is not None:
        found += [one[1].decode("utf-8", "replace") for one in _IMPORTED.finditer(data)]
    return list(dict.fromkeys(found))
