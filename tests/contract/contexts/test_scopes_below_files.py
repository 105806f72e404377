"""A scope that names a file, or something below one, has no context: it is missing, not corrupt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.doors import Library


@pytest.mark.parametrize("scope", ["notes.txt", "notes.txt/deeper"])
def test_a_file_where_a_directory_was_expected_is_a_missing_context(scope: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"")
    answer = Library(tmp_path).call("query_context", {"scope": scope})
    assert json.loads(answer.text)["error"].startswith(f'No .context.yaml found at scope "{scope}".')
