"""OpenAPI: an operation is a section, and so is a schema; other JSON and YAML is no document."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.readers.reader_table import is_of_kind, reader_named
from holdfast.caches.readers.source_reader import Unreadable
from support.pages import is_within, numbered, read

API = """openapi: 3.1.0
info:
  title: Widgets
  version: "2"
  description: |
    # Turning
    All of *them*.
servers: [{url: https://api.example.com}]
paths:
  /widgets/{id}:
    parameters:
      - $ref: '#/components/parameters/id'
    get:
      operationId: turn
      summary: Turn
        one
      deprecated: true
      responses:
        "200": {description: Done, content: {application/json: {schema: {$ref: '#/components/schemas/Widget'}}}}
        "404": {$ref: '#/components/responses/Missing'}
    x-note: none
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Widget'}
components:
  parameters:
    id: {name: id, in: path, required: true, schema: {type: integer, format: int64}, description: Which one}
  responses:
    Missing: {description: No such widget}
  schemas:
    Widget:
      description: A thing that turns.
      required: [size]
      properties:
        size: {type: number, description: In metres}
        kind: {enum: [a, b]}
        parts: {type: array, items: {$ref: '#/components/schemas/Widget'}}
    Either: {oneOf: [{$ref: '#/components/schemas/Widget'}, {type: string}]}
"""

PAGE = """2|# Widgets 2
3|
6|**Turning**
7|All of *them*.
7|
8|Servers: `https://api.example.com`
9|
13|## GET /widgets/{id} — Turn one
13|
13|Operation `turn`, deprecated
13|
13|**Parameters**
13|
13|- `id` (path, integer int64, required): Which one
13|
18|**Responses**
18|
19|- `200` `Widget`: Done
20|- `404`: No such widget
21|
22|## POST /widgets/{id}
22|
22|**Parameters**
22|
22|- `id` (path, integer int64, required): Which one
22|
23|**Request body**: `Widget` as `application/json`
23|
23|- `size` (number, required): In metres
23|- `kind` (`a` | `b`)
23|- `parts` (array of `Widget`)
24|
34|## Schema Widget
34|
35|A thing that turns.
36|
38|- `size` (number, required): In metres
39|- `kind` (`a` | `b`)
40|- `parts` (array of `Widget`)
40|
41|## Schema Either
41|
41|Kind: `Widget` | string
"""


def test_an_operation_is_a_section_and_references_are_resolved_one_level() -> None:
    assert numbered(read(API, "api.yaml")) == PAGE


def test_json_says_the_same_as_yaml() -> None:
    text = json.dumps(yaml.safe_load(API), indent=2)
    page = read(text, "api.json")

    assert page.text == read(API, "api.yml").text
    assert is_within(page, text.encode())
    heading = next(line for line in numbered(page).split("\n") if "## POST" in line)
    assert text.split("\n")[int(heading.partition("|")[0]) - 1].strip() == '"post": {'


def test_lines_go_on_and_not_back_in_a_file_whose_keys_are_sorted() -> None:
    text = json.dumps(yaml.safe_load(API), indent=2, sort_keys=True)
    page = read(text, "api.json")
    numbers = [int(line.partition("|")[0]) for line in numbered(page).split("\n")[:-1]]

    assert numbers == sorted(numbers)
    assert page.text.index("## Schema Widget") < page.text.index("## GET")


def test_swagger_2_has_bodies_among_its_parameters() -> None:
    api = {
        "swagger": "2.0",
        "info": {"title": "Old"},
        "paths": {"/a": {"put": {"parameters": [{"in": "body", "name": "b", "schema": {"$ref": "#/definitions/B"}}]}}},
        "definitions": {"B": {"type": "object", "properties": {"x": {"type": "string"}}}},
    }

    assert read(json.dumps(api), "a.json").text == (
        "# Old\n\n## PUT /a\n\n**Request body**: `B`\n\n- `x` (string)\n\n## Schema B\n\n- `x` (string)\n"
    )


@pytest.mark.parametrize(
    ("data", "is_one"),
    [
        (b'{"openapi": "3.1.0"}', True),
        (b'\xef\xbb\xbf{"components": {}, "openapi" : "3.0.0"}', True),
        (b'{"dependencies": {"openapi": "3.0.0"}}', False),
        (b'{"openapi": "^3.0.0"}', False),
        (b'{"openapi": "3.1.0",', True),
        (b"# c\nopenapi: 3.1.0\n", True),
        (b"info: {}\nswagger: '2.0'\n", True),
        (b"a:\n  openapi: 3.1.0\n", False),
        (b"", False),
        (b"\xff\xfe", False),
    ],
)
def test_only_what_says_so_at_its_top_is_of_this_kind(data: bytes, is_one: bool) -> None:
    reader = reader_named("openapi-1")

    assert reader is not None
    assert is_of_kind(reader, data) == is_one


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("openapi: 3.1.0\n  a: [", "is not YAML (line 2)"),
        ("openapi: [3.1.0]\n", "is not OpenAPI: `openapi` or `swagger` at its top has to name a version"),
        ("", "is not OpenAPI: `openapi` or `swagger` at its top has to name a version"),
    ],
)
def test_what_is_wrong_is_told(source: str, words: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read(source, "a.yaml")

    assert str(caught.value) == words


def test_references_that_go_round_end() -> None:
    schemas = {
        "A": {"$ref": "#/components/schemas/B"},
        "B": {"$ref": "#/components/schemas/A"},
        "C": {"allOf": [{"$ref": "#/components/schemas/C"}], "items": {"$ref": "#/components/schemas/C"}},
    }
    body = {"content": {"a/b": {"schema": {"$ref": "#/components/schemas/A"}}}}
    api = {"openapi": "3.0.0", "paths": {"/a": {"post": {"requestBody": body}}}, "components": {"schemas": schemas}}

    assert "## Schema C\n\nKind: `C`" in read(json.dumps(api), "a.json").text


def test_aliases_that_stand_for_billions_cost_what_they_are_written_with() -> None:
    lines = ["openapi: 3.0.0", "a0: &a0 [x, x]", *[f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]]
    lines += [
        "paths: {/a: {get: {parameters: *a59, description: *a59}}}",
        "components: {schemas: &s {A: {properties: *s}}}",
    ]
    source = "\n".join(lines)

    assert len(read(source, "a.yaml").text) < 2000


def test_a_schema_that_every_operation_refers_to_is_told_in_short_and_not_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    properties = {f"p{number}": {"type": "string", "description": "x" * 1000} for number in range(50)}
    operation = {"requestBody": {"content": {"a/b": {"schema": {"$ref": "#/components/schemas/A"}}}}}
    api = {
        "openapi": "3.0.0",
        "paths": {"/a": {"post": operation}},
        "components": {"schemas": {"A": {"properties": properties}}},
    }

    assert f"- `p39` (string): {'x' * 200} …\n- … 10 more\n" in read(json.dumps(api), "a.json").text
    monkeypatch.setattr("holdfast.caches.readers.openapi_reader._MOST_WRITTEN", 100_000)
    with pytest.raises(Unreadable, match="has more behind its references than a page may have"):
        read(json.dumps({**api, "paths": {f"/{number}": {"post": operation} for number in range(20)}}), "a.json")


@pytest.mark.parametrize("unit", ["[", "{a: ", "- ", "? ", "&a ", "a: |\n ", "'"])
def test_nesting_is_bounded_and_told(unit: str) -> None:
    source = "openapi: 3.0.0\npaths: \n " + unit * 10_000

    try:
        page = read(source, "a.yaml")
    except Unreadable:
        return

    assert is_within(page, source.encode())


KEYS = "paths /a get post parameters $ref schema properties items allOf oneOf enum responses content requestBody in"
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(["#/paths", "#/components/schemas/A", "body", "x\ny", "", None, True, 1]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=4),
    max_leaves=40,
)


@given(VALUES, VALUES, st.booleans())
def test_whatever_is_described_there_is_a_page_or_a_reason(paths: Any, schemas: Any, is_json: bool) -> None:
    api = {"openapi": "3.0.0", "paths": paths, "components": {"schemas": schemas}}
    source = (json.dumps(api, indent=1) if is_json else yaml.safe_dump(api)).encode()

    assert is_within(read(source, "a.json" if is_json else "a.yaml"), source)


@given(st.binary(max_size=200), st.sampled_from(["a.json", "a.yaml"]))
def test_whatever_bytes_are_given_there_is_a_page_or_a_reason(source: bytes, name: str) -> None:
    reader = reader_named("openapi-1")
    assert reader is not None
    is_of_kind(reader, source)
    try:
        page = read(b"openapi: 3.0.0\n" + source, name)
    except Unreadable:
        return

    assert is_within(page, source + b"\n")
