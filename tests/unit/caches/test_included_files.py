"""What a text may include, and what it may not."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.caches.build.included_files import ABSENT, MAX_INCLUDED_BYTES, IncludedFiles


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """`project/docs` is the source, `project` the checkout, `secret.txt` beside it."""
    docs = tmp_path / "project" / "docs"
    (docs / "guide").mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    (tmp_path / "project" / ".git" / "config").write_text("token")
    (tmp_path / "project" / "code.py").write_text("print(1)\n")
    (docs / "guide" / "part.md").write_text("part")
    (tmp_path / "secret.txt").write_text("secret")
    return docs


def test_files_of_the_sources_and_of_the_checkout_above_them_can_be_had(docs: Path) -> None:
    files = IncludedFiles(str(docs), str(docs.parent))
    assert [files.text(path) for path in ("guide/part.md", "./guide/../guide/part.md", "../code.py")] == [
        *("part", "part", "print(1)\n")
    ]
    assert files.asked["../code.py"] == sha256(b"print(1)\n").hexdigest()


@pytest.mark.parametrize(
    "path",
    ["../../secret.txt", "../.git/config", "guide/out.txt", "guide", "gone.md", "", "a\0b", "/etc/hostname", "\udc80"],
)
def test_nothing_outside_and_nothing_of_git_can_be_had(docs: Path, path: str) -> None:
    (docs / "guide" / "out.txt").symlink_to("../../../secret.txt")
    files = IncludedFiles(str(docs), str(docs.parent))
    assert (files.text(path), files.asked) == (None, {path: ABSENT})


def test_a_file_that_is_no_text_or_too_long_is_none(docs: Path) -> None:
    (docs / "latin.txt").write_bytes(b"\xe9")
    (docs / "long.txt").write_bytes(b"x" * (MAX_INCLUDED_BYTES + 1))
    files = IncludedFiles(str(docs), str(docs.parent))
    assert [files.text("latin.txt"), files.text("long.txt")] == [None, None]
