"""Write schema/*.json from the code, for editors; with --check only tell which are not current."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast.caches.project import project_file
from holdfast.contexts import schema, settings
from holdfast.contexts.schema import Shape
from holdfast.core.canonical_json import encode_pretty

Value = Any
DIALECT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = Path(__file__).parent.parent / "schema"


def of_contexts() -> dict[str, Value]:
    """The rules for a `.context.yaml`."""
    return {
        "$schema": DIALECT,
        "title": schema.FILE_NAME,
        "description": "What one directory is for; see docs/formats/contexts.md",
        **_record_schema(schema.REQUIRED, schema.FIELDS),
        "patternProperties": {f"^{schema.EXTENSION}": {}},
        "additionalProperties": False,
    }


def _record_schema(required: tuple[str, ...], fields: Mapping[str, Shape]) -> dict[str, Value]:
    found: dict[str, Value] = {
        "type": "object",
        "properties": {name: _shape_schema(shape) for name, shape in fields.items()},
    }
    if required:
        found["required"] = list(required)
    return found


def _shape_schema(shape: Shape) -> dict[str, Value]:
    rules: dict[str, dict[str, Value]] = {
        "text": {"type": "string"},
        "texts": {"type": "array", "items": {"type": "string"}},
        "version": {"type": "integer", "const": schema.VERSION},
        "whole": {"type": "integer"},
        "percent": {"type": "number", "minimum": 0, "maximum": 100},
        "one of": {"type": "string", "enum": list(shape.choices)},
    }
    described = {"description": shape.description}
    if shape.kind == "records":
        return {**described, "type": "array", "items": _record_schema(shape.required, shape.fields)}
    if shape.kind == "record":
        return {**described, **_record_schema(shape.required, shape.fields)}
    return {**described, **rules[shape.kind]}


def of_settings() -> dict[str, Value]:
    """The rules for a `.context.config.yaml`."""
    rules: dict[str, dict[str, Value]] = {
        "whole": {"type": "integer", "minimum": 0},
        "texts": {"type": "array", "items": {"type": "string"}},
        "mode": {"type": "string", "enum": list(settings.MODES)},
        "foreign": {},
    }
    return {
        "$schema": DIALECT,
        "title": settings.FILE_NAME,
        "description": "How contexts are made in this project; see docs/formats/contexts.md",
        "type": "object",
        "properties": {name: {"description": text, **rules[kind]} for name, (kind, text) in settings.KEYS.items()},
        "additionalProperties": False,
    }


def main() -> int:
    outdated = 0
    made = {"context": of_contexts(), "config": of_settings(), "project": project_file.json_schema()}
    for name, value in made.items():
        path = FOLDER / f"{name}.schema.json"
        text = encode_pretty(value) + "\n"
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        outdated += 1
        if "--check" in sys.argv:
            print(f"schema/{path.name} is not current: run scripts/schemas.py")
        else:
            path.write_text(text, encoding="utf-8")
    return outdated if "--check" in sys.argv else 0


sys.exit(main())
