"""Cache vectors: sources to lay out, and what must come of them."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

CACHES = Path(__file__).parent.parent / "vectors" / "caches"


def cache_vectors() -> list[Path]:
    """Every vector file; there are some, or the checkout is broken."""
    found = sorted(CACHES.glob("*.json"))
    assert found, f"no vectors in {CACHES}"
    return found


def load(path: Path) -> dict[str, Any]:
    vector: dict[str, Any] = json.loads(path.read_bytes())
    return vector


def lay_out_sources(vector: dict[str, Any], sources: Path) -> None:
    """Write the source folder a vector describes."""
    sources.mkdir()
    for name, content in vector.get("files", {}).items():
        file = sources / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(content))
    for name, runs in vector.get("files_generated", {}).items():
        (sources / name).write_text("".join(text * count for text, count in runs), encoding="utf-8")
    for raw in vector.get("raw_files", []):
        path = os.path.join(os.fsencode(sources), base64.b64decode(raw["path_b64"]))
        with open(path, "wb") as file:
            file.write(base64.b64decode(raw["content_b64"]))
    for name in vector.get("dirs", []):
        (sources / name).mkdir(parents=True, exist_ok=True)
    for name, target in dict(vector.get("symlinks", {})).items():
        (sources / name).symlink_to(target)
