"""The file system as far as it lies inside some roots, for `FileContents` to read through."""

from __future__ import annotations

import os
from errno import ENOENT

from holdfast.core.confined_paths import is_inside, status_inside
from holdfast.core.file_contents import SystemFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class ConfinedFiles(SystemFiles):
    """The real file system, as far as it really lies inside some roots; everything else does not exist."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = roots

    def stat(  # type: ignore[override]  # bound here, a plain function there
        self, path: str, *, dir_fd: int | None = None
    ) -> os.stat_result:
        return status_inside(path, self._roots, dir_fd=dir_fd)

    def open(self, path: str, *, dir_fd: int | None = None) -> int:  # type: ignore[override]  # the same
        descriptor = SystemFiles.open(path, dir_fd=dir_fd)
        if not is_inside(descriptor, self._roots):
            os.close(descriptor)
            raise FileNotFoundError(ENOENT, "nothing inside the roots", path)
        return descriptor
