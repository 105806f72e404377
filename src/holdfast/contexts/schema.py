"""What a `.context.yaml` may hold: one table for reading, `context validate` and scripts/schemas.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from holdfast.core.errors import UnsupportedVersion

Value = Any

VERSION = 1
EXTENSION = "x-"  # how a key begins that other tools put beside the fields
FILE_NAME = ".context.yaml"


class Shape(NamedTuple):
    """What a value must be: `text`, `texts`, `one of`, `whole`, `percent`, `record`, `records` or `version`."""

    kind: str
    description: str
    required: tuple[str, ...] = ()
    fields: Mapping[str, Shape] = {}  # a tuple's default, shared and never changed
    choices: tuple[str, ...] = ()


def _text(description: str) -> Shape:
    return Shape("text", description)


def _texts(description: str) -> Shape:
    return Shape("texts", description)


def _records(description: str, required: str, /, **fields: Shape) -> Shape:
    return Shape("records", description, tuple(required.split()), fields)


_ABOUT = _texts("What it is about: symbols, files and directories, as paths from here")
_CLEAN = ("clean", "errors", "unknown")

FIELDS: Mapping[str, Shape] = {
    "version": Shape("version", "Version of this format: 1"),
    "scope": _text("The directory, as a path from the project's root; `.` is the root"),
    "fingerprint": _text("`claims-` and 8 hex digits over the subjects of what people wrote; 8 digits over files"),
    "last_updated": _text("When this file was last made or renewed, RFC 3339"),
    "summary": _text("What the directory is for, in one to three sentences"),
    "files": _records(
        "The files worth knowing",
        "name purpose",
        name=_text("File name"),
        purpose=_text("What the file does, in one line"),
        test_file=_text("Where its tests are"),
    ),
    "interfaces": _records(
        "What others call",
        "name description",
        name=_text("Endpoint, signature or command"),
        description=_text("What it does"),
        about=_ABOUT,
    ),
    "decisions": _records(
        "Choices made here, so that nobody undoes one by accident",
        "what why",
        what=_text("What was decided"),
        why=_text("The reason"),
        tradeoff=_text("What it costs"),
        about=_ABOUT,
    ),
    "constraints": _texts("Rules that must hold here"),
    "dependencies": Shape(
        "record",
        "What the directory relies on",
        (),
        {"internal": _texts("Directories of this project"), "external": _texts("Packages from elsewhere")},
    ),
    "current_state": Shape(
        "record",
        "How things stand",
        (),
        {
            "working": _texts("What works"),
            "broken": _texts("What does not"),
            "in_progress": _texts("What is being changed"),
        },
    ),
    "subdirectories": _records(
        "Directories below with contexts of their own",
        "name summary",
        name=_text("Name, with a slash at the end"),
        summary=_text("What is in it, in one line"),
    ),
    "environment": _texts("Environment variables that are read"),
    "testing": _texts("How to run the tests"),
    "todos": _texts("What is left to do"),
    "data_models": _texts("Kinds of data and their fields"),
    "events": _texts("Events sent or received"),
    "config": _texts("Configuration files"),
    "project": Shape(
        "record",
        "The project as a whole; root only",
        ("name", "description", "language"),
        {
            "name": _text("Name"),
            "description": _text("What it is, in one line"),
            "language": _text("Main language"),
            "framework": _text("Main framework"),
            "package_manager": _text("Package manager"),
        },
    ),
    "structure": _records(
        "The directories of the project; root only",
        "path summary",
        path=_text("Path from the project's root"),
        summary=_text("What is in it, in one line"),
    ),
    "maintenance": _text("How to keep this file true, for its readers"),
    "exports": _texts("Public names as compact signatures"),
    "derived_fields": _texts("Fields that were made from the source; everything else was written by a person"),
    "evidence": Shape(
        "record",
        "The health of the code, as other tools reported it",
        ("collected_at",),
        {
            "collected_at": _text("When this was gathered, RFC 3339"),
            "commit_sha": _text("The commit it was gathered at"),
            "test_status": Shape("one of", "Tests", choices=("passing", "failing", "unknown")),
            "test_count": Shape("whole", "How many tests"),
            "failing_tests": _texts("Tests that fail"),
            "test_tool": _text("What ran the tests"),
            "typecheck": Shape("one of", "Types", choices=_CLEAN),
            "typecheck_tool": _text("What checked the types"),
            "lint_status": Shape("one of", "Lint", choices=_CLEAN),
            "lint_tool": _text("What linted"),
            "coverage_percent": Shape("percent", "Lines covered by tests"),
        },
    ),
}
METADATA = ("version", "scope", "fingerprint", "last_updated")
REQUIRED = ("version", "last_updated", "fingerprint", "scope", "summary", "maintenance")
FILTERABLE = tuple(name for name in FIELDS if name not in (*METADATA, "derived_fields", "evidence"))


class Problem(NamedTuple):
    """A field that breaks the schema, as a dotted path, and how."""

    field: str
    problem: str


def check(value: Value) -> list[Problem]:
    """Everything that is wrong with a context, top to bottom; UnsupportedVersion when it is of another version."""
    if type(value) is not dict:
        return [Problem("", "must be a mapping of fields")]
    version = value.get("version")
    if type(version) is int and version != VERSION:
        raise UnsupportedVersion(version)
    return list(_record_problems(value, REQUIRED, FIELDS, ""))


def _record_problems(
    value: Value, required: tuple[str, ...], fields: Mapping[str, Shape], path: str
) -> Iterator[Problem]:
    for name in required:
        if name not in value:
            yield Problem(path + name, "is required")
    for name, item in value.items():
        shape = fields.get(name)
        if shape is None:
            # A part of a field that is not known, and what is marked as an extension, is for others to read.
            if not path and not name.startswith(EXTENSION):
                yield Problem(path + name, "is no known field")
        elif shape.kind == "text":
            if type(item) is not str:
                yield Problem(path + name, "must be text")
        else:
            yield from _problems(item, shape, path + name)


def _problems(value: Value, shape: Shape, path: str) -> Iterator[Problem]:
    kind = shape.kind
    if kind in ("texts", "records"):
        if type(value) is not list:
            yield Problem(path, "must be a list")
            return
        item_shape = shape._replace(kind="text" if kind == "texts" else "record")
        for place, item in enumerate(value):
            yield from _problems(item, item_shape, f"{path}.{place}")
    elif kind == "record":
        if type(value) is not dict:
            yield Problem(path, "must be a mapping")
        else:
            yield from _record_problems(value, shape.required, shape.fields, path + ".")
    elif not _fits(value, shape):
        yield Problem(path, _MUST_BE.get(kind) or "must be one of: " + ", ".join(shape.choices))


_MUST_BE = {
    "text": "must be text",
    "version": "must be the number 1",
    "whole": "must be a whole number",
    "percent": "must be a number from 0 to 100",
}


def _fits(value: Value, shape: Shape) -> bool:
    """Whether a single value is of its kind."""
    if shape.kind == "text":
        return type(value) is str
    if shape.kind in ("version", "whole"):
        return type(value) is int
    if shape.kind == "percent":
        return type(value) in (int, float) and 0 <= value <= 100
    return value in shape.choices


def whole(context: Mapping[str, Value]) -> dict[str, Value]:
    """All fields of a valid context, in the order answers have."""
    return {name: context[name] for name in FIELDS if name in context}


def filtered(context: Mapping[str, Value], names: list[str]) -> dict[str, Value]:
    """The four that are always there, then the requested ones in the order requested; unknown names are passed over."""
    wanted = [name for name in names if name in FILTERABLE and name in context]
    return {name: context[name] for name in (*METADATA, *wanted)}
