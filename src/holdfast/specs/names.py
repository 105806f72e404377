"""Names of specs: one folder name, and nothing that leads elsewhere."""

from __future__ import annotations

_MAX_BYTES = 255


def is_spec_name(name: str) -> bool:
    """Whether a text can be the name of a spec's folder."""
    return bool(name) and name not in (".", "..") and not any(mark in name for mark in "/\\\0") and _fits(name)


def is_new_spec_name(name: str) -> bool:
    """Whether a new spec may be called so: a visible folder that lists, prints and types well."""
    return is_spec_name(name) and not name.startswith((".", "-")) and name.isprintable() and name == name.strip()


def _fits(name: str) -> bool:
    try:
        return len(name.encode()) <= _MAX_BYTES
    except UnicodeEncodeError:
        return False
