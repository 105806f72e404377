"""A context's fingerprint renewed, and not a byte of what it says."""

from __future__ import annotations

import os

from holdfast.contexts.context_text import edited
from holdfast.contexts.on_disk.directory_view import CONTEXT_FILE, parse_context, read_context_bytes
from holdfast.contexts.on_disk.generation import FAILED, RENEWED, UNCHANGED, Made, left_alone
from holdfast.core.atomic_write import write_file
from holdfast.core.errors import ContextCorrupt, ContextMissing, UnsupportedVersion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.contexts.on_disk.project import Found


def rehash_one(item: Found, now: str) -> Made:
    """One directory's context with a new fingerprint and time; nothing is written when it is fresh by content."""
    view = item.view
    if view is None:
        return Made(item.scope, FAILED, "cannot be read")
    try:
        data = read_context_bytes(view.path)
        context = parse_context(data)
        if context["fingerprint"] == view.fingerprint():
            return Made(item.scope, UNCHANGED)
        text = edited(data.decode(), {"fingerprint": view.fingerprint(), "last_updated": now})
        write_file(os.path.join(view.path, CONTEXT_FILE), text.encode())
    except (ContextMissing, ContextCorrupt, UnsupportedVersion) as error:
        return left_alone(item.scope, error)
    return Made(item.scope, RENEWED)
