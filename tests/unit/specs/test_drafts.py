"""A document that equals its template is a draft."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.specs.layouts import PHASES, STEERING
from holdfast.specs.on_disk import spec_files, workflow_folder
from holdfast.specs.on_disk.spec_files import is_draft

TEMPLATES = Path(workflow_folder.TEMPLATES)
TEMPLATE = "# Requirements: {{name}}\n\n## Why\n\nWho needs this?\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("# Requirements: login\n\n## Why\n\nWho needs this?\n", id="with its name"),
        pytest.param("# Requirements: old name\n\n## Why\n\nWho needs this?\n", id="renamed since"),
        pytest.param("# Requirements: login\r\n\r\n## Why\r\n\r\nWho needs this?", id="other line ends"),
        pytest.param("\ufeff\n# Requirements: x\n## Why  \n\n\nWho needs this?\n\n\n", id="other blank lines"),
    ],
)
def test_a_template_that_nobody_changed_is_a_draft(text: str) -> None:
    assert is_draft(text, TEMPLATE)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("# Requirements: login\n\n## Why\n\nWho needs this? Ann does.\n", id="a line changed"),
        pytest.param("# Requirements: login\n\n## Why\n\nWho needs this?\nAnn.\n", id="a line added"),
        pytest.param("# Requirements: login\n\nWho needs this?\n", id="a line removed"),
        pytest.param("# requirements: login\n\n## Why\n\nWho needs this?\n", id="another heading"),
    ],
)
def test_anything_else_is_a_document(text: str) -> None:
    assert not is_draft(text, TEMPLATE)


def test_every_template_lies_within_the_sizes_that_are_looked_at() -> None:
    names = (*(f"spec-{phase}" for phase in PHASES), *(f"steering-{doc}" for doc in STEERING))
    templates = [(TEMPLATES / f"{name}.md").read_bytes() for name in names]
    bare = [b"".join(text.replace(b"{{name}}", b"").split()) for text in templates]
    assert (len(bare), min(map(len, bare)) >= spec_files.SHORTEST, max(map(len, templates)) < spec_files.MAX_SIZE) == (
        7,
        True,
        True,
    )
