"""Caches whose documents have origins, built as any other from sources that are Markdown already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast import build_cache
from holdfast.caches.build import document_files
from holdfast.caches.cache_format import make_document

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from holdfast.caches.cache_format import Origin


def build_with_origins(home: Path, texts: Mapping[str, str], origins: Mapping[str, Origin | None]) -> Path:
    """A cache below `home` of these texts, by their sources' names."""
    for name, text in texts.items():
        file = home / "sources" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            document_files, "make_document", lambda source, content: make_document(source, content, origins[source])
        )
        build_cache(home / "sources", home / "cache")
    return home / "cache"
