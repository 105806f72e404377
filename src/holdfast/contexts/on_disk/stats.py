"""How many tokens contexts take, and the sources they stand for."""

from __future__ import annotations

import os

from holdfast.contexts.on_disk.directory_view import CONTEXT_FILE
from holdfast.contexts.on_disk.project import Project, scan
from holdfast.core.record import NamedTuple
from holdfast.core.tokens import tokens_of_bytes


class TokenCount(NamedTuple):
    """The tokens of one directory."""

    scope: str
    context_tokens: int
    source_tokens: int


def token_counts(project: Project) -> list[TokenCount]:
    """The counts of every kept directory that has a context, in order of scope."""
    counts = []
    for found in sorted(scan(project), key=lambda found: found.scope):
        view = found.view
        if not found.kept or view is None or not view.has_context:
            continue
        try:
            size = os.lstat(os.path.join(view.path, CONTEXT_FILE)).st_size
        except OSError:
            continue
        counts.append(TokenCount(found.scope, tokens_of_bytes(size), tokens_of_bytes(view.source_bytes)))
    return counts
