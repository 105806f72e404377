"""Caches of real text, built and asked as one, against one cache that was built from all of it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from holdfast import build_cache
from support.doors import Library

DOCS = Path(__file__).parents[2] / "docs"
# Names without a word in them, since a name is no part of the path in a cache of its own.
FOLDERS = {"!": DOCS / "formats", "$": DOCS / "decisions", "%": DOCS}
QUESTIONS = [
    *("how are receipts replayed", "what is a section", "why is the budget too small", "estimate tokens of a text"),
    *("symbolic links outside the root", "confined server", "recieipt", "BM25 whole numbers", "zebra", "the"),
]


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    work = tmp_path_factory.mktemp("joined")
    for name, folder in FOLDERS.items():
        (work / "sources" / name).mkdir(parents=True)
        for page in folder.glob("*.md"):
            shutil.copy(page, work / "sources" / name)
        build_cache(work / "sources" / name, work / "several" / name, tokenizer="bytes/4")
    build_cache(work / "sources", work / "one" / "3 caches", tokenizer="bytes/4")
    return work / "one", work / "several"


@pytest.mark.parametrize("budget", [150, 600, 2000, 8000])
@pytest.mark.parametrize("format_", ["text", "outline"])
def test_the_text_is_the_same_but_for_names_and_versions(roots: tuple[Path, Path], budget: int, format_: str) -> None:
    one, several = map(Library, roots)
    for question in QUESTIONS:
        arguments = {"query": question, "budget": budget, "format": format_, "explain": budget == 2000}
        texts = [door.call("context.search", arguments).text for door in (one, several)]
        texts = [
            re.sub(r"[0-9a-f]{8} · receipt [0-9a-f]{8}$", "…", text, count=1, flags=re.MULTILINE) for text in texts
        ]
        assert re.sub(r"(^|(?<=[ (]))([!$%])/(?=\S+(#L| L\d))", r"\2:", texts[0], flags=re.MULTILINE) == texts[1]
