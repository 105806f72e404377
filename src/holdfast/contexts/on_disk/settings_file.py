"""Files that say what counts, changed: `.contextignore` and the settings. Contexts that were fresh stay fresh."""

from __future__ import annotations

import os
from typing import Any

from holdfast.contexts.context_text import replaced_field
from holdfast.contexts.freshness import FRESH
from holdfast.contexts.on_disk.generation import rehash_one
from holdfast.contexts.on_disk.listing import judge_all
from holdfast.contexts.on_disk.project import Project, scan
from holdfast.contexts.settings import FILE_NAME as SETTINGS_FILE
from holdfast.contexts.settings import KEYS, check_one, rendered
from holdfast.core.atomic_write import write_file
from holdfast.core.errors import SettingsInvalid, UsageError
from holdfast.core.regular_files import read_regular
from holdfast.core.yaml_text import YamlError, parse, resolve

Value = Any


def write_keeping_fresh(project: Project, name: str, data: bytes) -> None:
    """Write a file of the root, then renew the fingerprints over files of the contexts that were fresh until then."""
    views = [item.view for item in scan(project) if item.view is not None and item.view.has_context]
    views = [view for view in views if not view.has_claims]
    judge_all(views)
    fresh = {view.path for view in views if view.freshness().state == FRESH}
    write_file(os.path.join(project.root, name), data)
    for item in scan(Project(project.contents, project.root)):
        if item.view is not None and item.view.path in fresh:
            rehash_one(project, item)


def change_setting(project: Project, key: str, value: str) -> Value:
    """Set a setting from text and return its new value."""
    new = _value(key, value)
    if problem := check_one(key, new):
        raise UsageError(f"{key} {problem}")
    path = os.path.join(project.root, SETTINGS_FILE)
    try:
        data = read_regular(path)
        parse(data)
    except FileNotFoundError:
        data = b""
    except YamlError as error:
        raise SettingsInvalid(f"{SETTINGS_FILE} line {error.line}: {error.reason}") from None
    text = replaced_field(data.decode(), key, rendered(key, new))
    if not _says(text, key, new):
        raise SettingsInvalid(f"{SETTINGS_FILE} is written in a way that cannot be edited here: set {key} by hand")
    if text.encode() != data:
        write_keeping_fresh(project, SETTINGS_FILE, text.encode())
    return new


def _says(text: str, key: str, value: Value) -> bool:
    try:
        found = parse(text.encode())
    except YamlError:
        return False
    return type(found) is dict and found.get(key) == value


def _value(key: str, text: str) -> Value:
    if KEYS[key][0] == "texts":
        return [part.strip() for part in text.split(",") if part.strip()]
    return resolve(text)
