"""Schemas of OpenAPI in words: their kind on one line, their properties as a list, references one level deep. Pure."""

from __future__ import annotations

from holdfast.caches.readers.lined_values import NOTHING, Lined
from holdfast.caches.readers.page_text import PageText, Row, inline_code
from holdfast.caches.readers.source_reader import Unreadable
from holdfast.core.unicode_text import split_at_white_space

_HOPS = 8  # references that lead to references
_DEEPEST = 3  # lists of lists
_MOST, _SHORT = 40, 200  # properties that an operation tells, and characters of each; the schema itself tells all
_MOST_WRITTEN = 32 << 20
_MOST_VALUES = 20


class Schemas:
    """The schemas of one description, and the page that they are written to."""

    def __init__(self, api: Lined, page: PageText) -> None:
        self._api = api
        self._page = page
        self._known: dict[int, list[Row]] = {}
        self._written = 0

    def resolved(self, given: Lined) -> Lined:
        """What a reference within the description leads to; anything else as it is."""
        for _ in range(_HOPS):
            reference = given.get("$ref").text()
            if not reference.startswith("#/"):
                return given
            found = self._api
            for part in reference[2:].split("/")[:20]:
                found = found.get(part.replace("~1", "/").replace("~0", "~").replace("%7B", "{").replace("%7D", "}"))
            if found is NOTHING:
                return given
            given = found
        return given

    def kind(self, schema: Lined, depth: int = 0) -> str:
        """A schema on one line: `Pet`, `array of Pet`, `"a" | "b"`."""
        if reference := schema.get("$ref").text():
            return inline_code(_one_line(reference.rpartition("/")[2])[:100])
        values = schema.get("enum").items()
        if values:
            shown = " | ".join([inline_code(_one_line(one.text())[:60]) for one in values[:_MOST_VALUES]])
            return shown if len(values) <= _MOST_VALUES else f"{shown} | …"
        if depth < _DEEPEST:
            for key in ("oneOf", "anyOf", "allOf"):
                if some := schema.get(key).items():
                    joint = " & " if key == "allOf" else " | "
                    return joint.join([self.kind(one, depth + 1) for one in some[:8]])
            if schema.get("items") is not NOTHING:
                return f"array of {self.kind(schema.get('items'), depth + 1)}"
        named = schema.get("type")
        kind = named.text() or " | ".join([one.text() for one in named.items()[:8]])
        form = schema.get("format").text()
        return _one_line(f"{kind or 'object'} {form}".strip(" "))[:100]

    def write(self, schema: Lined, *, line: int = 0, is_own: bool = False) -> None:
        """Write the properties of a schema as a list; one that is referred to, as if it stood at the reference.

        The schema itself (`is_own`) gets all of them, and what it is made of; a reference gets the first ones, in
        short.
        """
        found = schema if is_own else self.resolved(schema)
        if found.get("items") is not NOTHING and not is_own:
            found = self.resolved(found.get("items"))
        parts = [found, *[self.resolved(one) for one in found.get("allOf").items()[:8]]]
        line = line or schema.line
        rows = []
        for part in parts:
            for text, own_line in self._listed(part, is_own=is_own):
                rows.append((text, own_line if is_own and part is found else line))
        if is_own and (not rows or len(parts) > 1 or found.get("oneOf") is not NOTHING):
            self._page.block([f"Kind: {self.kind(found)}"], found.line)
        self._written += sum(len(text) for text, _ in rows)
        if self._written > _MOST_WRITTEN:
            raise Unreadable("has more behind its references than a page may have")
        self._page.verbatim(rows)

    def _listed(self, part: Lined, *, is_own: bool) -> list[Row]:
        """The properties of one schema, as lines; a reference from any operation gets the same ones."""
        known = self._known.get(id(part.value)) if not is_own else None
        if known is not None:
            return known
        required = {one.text() for one in part.get("required").items()}
        properties = part.get("properties").members()
        rows = []
        for name, given in properties if is_own else properties[:_MOST]:
            facts = self.kind(given) + (", required" if name in required else "")
            words = _one_line(given.get("description").text() or self.resolved(given).get("description").text())
            words = words if is_own or len(words) <= _SHORT else f"{words[:_SHORT]} …"
            rows.append(
                (f"- {inline_code(_one_line(name)[:200])} ({facts}){': ' + words if words else ''}", given.line)
            )
        if not is_own:
            rows += [(f"- … {len(properties) - _MOST:,} more", part.line)] if len(properties) > _MOST else []
            self._known[id(part.value)] = rows  # the description holds the value for as long as this does
        return rows


def _one_line(text: str) -> str:
    return " ".join(split_at_white_space(text[:2000]))
