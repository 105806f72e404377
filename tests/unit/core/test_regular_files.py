"""What reading a regular file raises."""

from __future__ import annotations

import os
from errno import EACCES, EIO
from pathlib import Path

import pytest

from holdfast.core.regular_files import read_regular


@pytest.mark.parametrize("call", ["fstat", "read"])
def test_a_refusal_after_a_file_was_opened_is_a_failing_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def refused(*_: object) -> None:
        raise OSError(EACCES, os.strerror(EACCES))

    (tmp_path / "a").write_text("a\n")
    with monkeypatch.context() as patch:
        patch.setattr(os, call, refused)
        with pytest.raises(OSError, match="Permission denied") as raised:
            read_regular(str(tmp_path / "a"))
    assert raised.value.errno == EIO
