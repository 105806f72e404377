"""A context's fingerprint renewed, and not a byte of what it says."""

from __future__ import annotations

import os

from holdfast.contexts.context_text import edited
from holdfast.contexts.on_disk.directory_view import CONTEXT_FILE, parse_context, read_context_bytes
from holdfast.contexts.on_disk.generation import FAILED, RENEWED, UNCHANGED, Made, left_alone
from holdfast.contexts.on_disk.merged_file import resolved_in
from holdfast.core.atomic_write import write_file
from holdfast.core.errors import ContextCorrupt, ContextMissing, UnsupportedVersion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.contexts.on_disk.project import Found


def rehash_one(item: Found) -> Made:
    """One directory's context with a new fingerprint; nothing is written when it is fresh by content.

    A merge conflict in it is resolved where no two people wrote different texts.
    """
    view = item.view
    if view is None:
        return Made(item.scope, FAILED, "cannot be read")
    try:
        data = read_context_bytes(view.path)
        whole = resolved_in(view.path, data)
        context = parse_context(whole)
        if context["fingerprint"] == view.fingerprint() and whole == data:
            return Made(item.scope, UNCHANGED)
        text = edited(whole.decode(), {"fingerprint": view.fingerprint()})
        write_file(os.path.join(view.path, CONTEXT_FILE), text.encode())
    except (ContextMissing, ContextCorrupt, UnsupportedVersion) as error:
        return left_alone(item.scope, error)
    return Made(item.scope, RENEWED)
