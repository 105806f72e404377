"""What `--confine` leaves a process: the project, the cache root, Python's own modules and a place for receipts."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from holdfast.core.confined_paths import lies_inside
from holdfast.core.errors import IoError, UsageError
from holdfast.core.landlock import LandlockUnavailable, restrict_to
from holdfast.workspace import Workspace


def give_up_rights(workspace: Workspace, readable: Sequence[str] = (), connected: Sequence[int] = ()) -> None:
    """Let the kernel refuse whatever the checks of names might miss; only Python's own modules stay readable too.

    Of the network nothing is left but connecting to ports that are named.
    """
    import hashlib  # noqa: F401  # what it links to lies elsewhere, so it is loaded now
    import zlib  # noqa: F401  # the same

    import tree_sitter  # noqa: F401  # the same: grammars link to what it does

    written = [workspace.receipts] if workspace.receipts else []
    if any(lies_inside(root, os.path.realpath(place)) for root in workspace.confined_to for place in written):
        raise UsageError("with --confine, --receipts cannot be a directory that holds the project or the cache root")
    modules = [path for path in sys.path if path.endswith(("/site-packages", "/dist-packages"))]
    modules += [os.path.dirname(os.__file__), os.path.dirname(os.path.dirname(__file__))]
    try:
        restrict_to([*workspace.confined_to, *modules, *readable, os.devnull], written=written, connected=connected)
    except LandlockUnavailable as error:
        raise IoError(f"--confine needs Landlock, of Linux 5.13 or newer: {error.strerror}", remedy="") from None
