"""Write schema/*.json from the code, for editors; with --check only tell which are not current."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast.caches.project import project_file
from holdfast.caches.tokenizers import TOKENIZERS
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


def of_project() -> dict[str, Value]:
    """The rules for a `context.toml`."""
    text = {"type": "string", "minLength": 1}
    texts = {"type": "array", "items": text}
    commit = {"type": "string", "pattern": "^[0-9A-Fa-f]{7,64}$"}
    git = {**_object(project_file.GIT_KEYS, {"git": text, "commit": commit, "path": text}), "required": ["git"]}
    oci = {**_object(project_file.OCI_KEYS, {"oci": text}), "required": ["oci"]}
    rules: dict[str, dict[str, Value]] = {
        "sources": {"anyOf": [{"type": "array", "items": {"anyOf": [text, git, oci]}}, oci]},
        "include": texts,
        "exclude": texts,
        "code": texts,
        "about": {**text, "maxLength": project_file.MAX_ABOUT},
        "packages": texts,
        "python": text,
        "shards": {"type": "integer", "minimum": project_file.FEWEST_SHARDS, "maximum": project_file.MOST_SHARDS},
    }
    caches = {
        "type": "object",
        "propertyNames": {"pattern": f"^[A-Za-z0-9_][A-Za-z0-9._-]{{0,{project_file.MAX_NAME - 1}}}$"},
        "additionalProperties": {
            **_object(project_file.CACHE_KEYS, rules),
            "anyOf": [{"required": ["sources"]}, {"required": ["packages"]}, {"required": ["code"]}],
        },
    }
    tables = {
        "caches": caches,
        "search": _object(project_file.SEARCH_KEYS, {"tokenizer": {"type": "string", "enum": list(TOKENIZERS)}}),
        "registry": _object(project_file.REGISTRY_KEYS, {"keys": texts}),
        "specs": _object(project_file.SPECS_KEYS, {"layout": text}),
        "project": _object(project_file.PROJECT_KEYS, {"frozen": {"type": "boolean"}, "user": texts}),
    }
    return {
        "$schema": DIALECT,
        "title": project_file.FILE_NAME,
        "description": "The documentation of this project; see docs/formats/project.md",
        **_object(project_file.KEYS, tables),
    }


def _object(described: Mapping[str, str], rules: Mapping[str, Mapping[str, Value]]) -> dict[str, Value]:
    """The schema of a table that has these keys alone."""
    properties = {key: {"description": described[key], **rule} for key, rule in rules.items()}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def main() -> int:
    outdated = 0
    made = {"context": of_contexts(), "config": of_settings(), "project": of_project()}
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
