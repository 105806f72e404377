"""Descriptions of HTTP interfaces, OpenAPI and Swagger: each operation a section, then each schema. Pure."""

from __future__ import annotations

import re

from holdfast.caches.readers.decoded_text import decoded
from holdfast.caches.readers.lined_values import NOTHING, Lined, read_json, read_yaml
from holdfast.caches.readers.page_text import PageText, Row, inline_code, page_of
from holdfast.caches.readers.source_reader import Page, SourceFiles, Unreadable
from holdfast.core.unicode_text import lower_case, split_at_white_space

_HOPS = 8  # references that lead to references
_DEEPEST = 3  # lists of lists
_MOST, _SHORT = 40, 200  # properties that an operation tells, and characters of each; the schema itself tells all
_MOST_WRITTEN = 32 << 20
_MOST_VALUES = 20
_METHODS = {lower_case(name): name for name in "GET PUT POST DELETE OPTIONS HEAD PATCH TRACE QUERY".split(" ")}
_IN_YAML = re.compile(rb"^[\"']?(?:openapi|swagger)[\"']?[ \t]{0,20}:[ \t]{0,20}[\"']?[0-9]\.", re.MULTILINE)
_IN_JSON = re.compile(rb"\"(?:openapi|swagger)\"[ \t\r\n]{0,99}:[ \t\r\n]{0,99}\"[0-9]\.")


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


def is_openapi(data: bytes) -> bool:
    """Whether a file of JSON or YAML says at its top level that it is of this kind."""
    if not data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _IN_YAML.search(data) is not None
    if _IN_JSON.search(data) is None:
        return False
    try:
        found = read_json(decoded(data))
    except Unreadable:
        return True  # it is meant to be one; reading it reports what is wrong with it
    return _is_described(found)


def _is_described(found: Lined) -> bool:
    return any(found.get(key).text()[:1] in ("1", "2", "3", "4") for key in ("openapi", "swagger"))


def read_openapi(data: bytes, name: str, files: SourceFiles) -> Page:  # noqa: ARG001 - what every reader takes
    """The page of a description. Raises Unreadable."""
    text = decoded(data)
    api = read_json(text) if text.lstrip(" \t\n").startswith("{") and not name.endswith(("l", "L")) else read_yaml(text)
    if not _is_described(api):
        raise Unreadable("is not OpenAPI: `openapi` or `swagger` at its top has to name a version")
    page = PageText()
    schemas = Schemas(api, page)
    info = api.get("info")
    title = f"{info.get('title').text()} {info.get('version').text()}".strip(" ") or "API"
    page.line(f"# {_one_line(title)}", info.line)
    write_description(page, info.get("description"))
    servers = [one.get("url").text() for one in api.get("servers").items()[:20]]
    if servers:
        page.block([f"Servers: {', '.join([inline_code(_one_line(one)) for one in servers])}"], api.get("servers").line)
    top = len(page)
    listed = api.get("components").get("schemas")
    listed = listed if listed is not NOTHING else api.get("definitions")
    # In the order of the file, which is not always that of people: the lines of a page go on and not back.
    for members in sorted([api.get("paths"), api.get("webhooks"), listed], key=lambda one: one.line):
        for key, given in members.members():
            if members is listed:
                page.block([f"## Schema {_one_line(key)}"], given.line)
                write_description(page, given.get("description"))
                schemas.write(given, is_own=True)
            else:
                path = key if members is api.get("paths") else f"webhook {key}"
                _write_path(page, schemas, path, schemas.resolved(given)._replace(line=given.line))
    return page_of(_in_order(page.rows(), top))


def _in_order(rows: list[Row], top: int) -> list[Row]:
    """Rows whose source lines never go back, whatever the order of members in the file; the first `top` rows stay."""
    first = min([source for _, source in rows[top:]], default=rows[-1][1])
    found = []
    last = 1
    for number, (text, source) in enumerate(rows):
        last = max(last, min(source, first) if number < top else source)
        found.append((text, last))
    return found


def _write_path(page: PageText, schemas: Schemas, path: str, item: Lined) -> None:
    for method in [key for key, _ in item.members() if key in _METHODS]:
        operation = item.get(method)
        if not isinstance(operation.value, dict):
            continue
        summary = _one_line(operation.get("summary").text())
        page.block([f"## {_METHODS[method]} {_one_line(path)}{' — ' + summary if summary else ''}"], operation.line)
        facts = [f"Operation {inline_code(_one_line(one))}" for one in [operation.get("operationId").text()] if one]
        facts += ["deprecated"] if operation.get("deprecated").text() == "true" else []
        page.block([", ".join(facts)] if facts else [], operation.line)
        write_description(page, operation.get("description"))
        _write_parameters(page, schemas, [*item.get("parameters").items(), *operation.get("parameters").items()])
        body = operation.get("requestBody")
        if body is not NOTHING:
            _write_content(page, schemas, "Request body", body, schemas.resolved(body))
        _write_responses(page, schemas, operation.get("responses"))


def _write_parameters(page: PageText, schemas: Schemas, parameters: list[Lined]) -> None:
    rows = []
    bodies = []
    for given in parameters[:200]:
        one = schemas.resolved(given)
        place = one.get("in").text()
        if place == "body":
            bodies.append((given, one))
            continue
        kind = schemas.kind(one.get("schema") if one.get("schema") is not NOTHING else one)
        facts = [part for part in (place, kind, "required" if one.get("required").text() == "true" else "") if part]
        words = _one_line(one.get("description").text())
        name = inline_code(_one_line(one.get("name").text()) or "?")
        rows.append((f"- {name} ({', '.join(facts)}){': ' + words if words else ''}", given.line))
    _write_list(page, "Parameters", rows, rows[0][1] if rows else 0)
    for given, one in bodies[:1]:
        page.block([f"**Request body**: {schemas.kind(one.get('schema'))}"], given.line)
        schemas.write(one.get("schema"))


def _write_content(page: PageText, schemas: Schemas, title: str, given: Lined, body: Lined) -> None:
    media = body.get("content").members()
    words = _one_line(body.get("description").text())
    kinds = [f"{schemas.kind(one.get('schema'))} as {inline_code(_one_line(name))}" for name, one in media[:5]]
    page.block([f"**{title}**: {', '.join(kinds)}{' — ' + words if words else ''}"], given.line)
    if media:
        schemas.write(media[0][1].get("schema"), line=given.line)


def _write_responses(page: PageText, schemas: Schemas, responses: Lined) -> None:
    rows = []
    for status, given in responses.members()[:50]:
        one = schemas.resolved(given)
        content = one.get("content").members()
        schema = content[0][1].get("schema") if content else one.get("schema")
        kind = schemas.kind(schema) if schema is not NOTHING else ""
        words = _one_line(one.get("description").text())
        text = f"- {inline_code(_one_line(status))}{' ' + kind if kind else ''}{': ' + words if words else ''}"
        rows.append((text, given.line))
    _write_list(page, "Responses", rows, responses.line)


def _write_list(page: PageText, title: str, rows: list[Row], line: int) -> None:
    page.block([f"**{title}**"] if rows else [], line)
    page.verbatim(rows)


def write_description(page: PageText, given: Lined) -> None:
    """Write a description, which is Markdown; its headings become bold words, since operations are the sections."""
    rows = []
    fence = ""
    for text, source in given.rows() if given.text() else []:
        bare = text.strip(" \t")
        if bare.startswith(("```", "~~~")):
            fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
        elif not fence and bare.startswith("#") and bare.strip("# "):
            text = f"**{bare.strip('# ')}**"
        elif not fence and len(bare) > 1 and not bare.strip("=-"):
            text = ""
        rows.append((text.rstrip(" \t"), source))
    page.verbatim(rows)


def _one_line(text: str) -> str:
    return " ".join(split_at_white_space(text[:2000]))
