"""Write schema/*.json from the code, for editors; with --check only tell which are not current."""

from __future__ import annotations

import sys
from pathlib import Path

from holdfast.caches.project import project_file
from holdfast.contexts import schema, settings
from holdfast.core.canonical_json import encode_pretty

FOLDER = Path(__file__).parent.parent / "schema"


def main() -> int:
    outdated = 0
    for name, module in (("context", schema), ("config", settings), ("project", project_file)):
        path = FOLDER / f"{name}.schema.json"
        text = encode_pretty(module.json_schema()) + "\n"
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        outdated += 1
        if "--check" in sys.argv:
            print(f"schema/{path.name} is not current: run scripts/schemas.py")
        else:
            path.write_text(text, encoding="utf-8")
    return outdated if "--check" in sys.argv else 0


sys.exit(main())
