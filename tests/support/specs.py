"""Projects with specs and steering documents, written by a test as it needs them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

STATUS_VECTORS = Path(__file__).parent.parent / "vectors" / "specs" / "spec_status.json"


def status_vectors() -> list[dict[str, Any]]:
    """Every recorded spec folder; there are some, or the checkout is broken."""
    cases: list[dict[str, Any]] = json.loads(STATUS_VECTORS.read_bytes())["cases"]
    assert cases, f"no vectors in {STATUS_VECTORS}"
    return cases


def lay_out_tree(tree: list[dict[str, Any]], root: Path) -> None:
    """Write the files and folders of a vector, then their times, the deepest first."""
    for entry in tree:
        path = root / entry["path"]
        if entry.get("type") == "dir":
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(entry["content"].encode())
    for entry in sorted(tree, key=lambda entry: -entry["path"].count("/")):
        os.utime(root / entry["path"], ns=(entry["mtime_ns"], entry["mtime_ns"]))


class SpecProject:
    """A project folder; `folder` is its workflow folder."""

    def __init__(self, root: Path, folder: str = ".spec-context") -> None:
        self.root = root
        self.folder = root / folder

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file below the workflow folder."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def spec(self, name: str, tasks: str | bytes = "- [ ] 1. a\n- [x] 2. b\n") -> Path:
        """A spec with all three documents."""
        self.write(f"specs/{name}/requirements.md", "# Requirements\n")
        self.write(f"specs/{name}/design.md", "# Design\n")
        return self.write(f"specs/{name}/tasks.md", tasks).parent

    def steering(self, *documents: str) -> None:
        """Steering documents, each with a text of its own."""
        for document in documents or ("product", "tech", "structure", "principles"):
            self.write(f"steering/{document}.md", f"# {document.title()}\n\nRules of {document}.\n")
