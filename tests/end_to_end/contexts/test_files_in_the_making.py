"""What a writer has not put in place yet is no part of a directory."""

from __future__ import annotations

import json
from pathlib import Path

from support.doors import run_context


def test_a_context_stays_fresh_beside_a_file_and_a_folder_in_the_making(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text("def work():\n    return 1\n", encoding="utf-8")
    assert run_context("init", "--all", cwd=tmp_path).returncode == 0
    (tmp_path / "..context.yaml.holdfast-0123456789ab").write_bytes(b"version: 1\n")
    (tmp_path / ".cache.holdfast-0123456789ab").mkdir()
    (tmp_path / ".cache.holdfast-0123456789ab" / "big.py").write_bytes(b"x = 1\n" * 9000)
    listing = json.loads(run_context("status", cwd=tmp_path).stdout)
    assert (listing["total_directories"], [entry["state"] for entry in listing["entries"]]) == (1, ["fresh"])
