"""A change of what an index says, or of how sections are cut or ranked, gets another name.

Caches of an earlier release stay readable because an index says by its kind and its ranking how it was made. So whoever
changes the bytes of this small index renames `words` or `sections-6` (and `bm25-sections-3` in receipts), and only then
records the new hash here.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from holdfast import build_cache
from holdfast.caches.on_disk.index_reader import WORDS
from holdfast.caches.on_disk.section_index_reader import KIND
from holdfast.caches.search.impacts import RANKING

SOURCES = {
    "Guide.md": (
        "---\ntitle: The guide\n---\n# Opening\n\nWelcome to the handbook.\n\n## Set up\n\n```sh\n# no heading\n```\n\n"
        "Setext\n------\n\n- one\n- two useEffect os.path\n\n<div>\n# inside\n</div>\n\n"
        + "A long paragraph. " * 150
        + "\n"
    ),
    "ref/page.md": (
        ".. _label:\n\n:ref:`Title`\n============\n\nSome text, some more.\n\nPart\n----\n\nÜber alles: 日本語 text.\n"
    ),
    "empty.md": "",
}
RECORDED = {
    ("words-2", "words.idx"): "7f873c8b92e2c52d642dbcba4bdb62a6787b43298acb5f8cc4533e988eec36d8",
    ("sections-7", "sections.idx"): "ae73ccac67cbdfd99d3be4199f9c6f744c08da87b01f3a6dc40fada4a8d72cd6",
}


def test_the_bytes_of_an_index_change_only_with_its_name(tmp_path: Path) -> None:
    for name, text in SOURCES.items():
        file = tmp_path / "sources" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    cache = tmp_path / "cache"
    build_cache(tmp_path / "sources", cache, created_at="2026-01-02T03:04:05Z", tokenizer="bytes/4")
    made = {
        (kind, file): sha256((cache / "index" / file).read_bytes()).hexdigest()
        for kind, file in ((WORDS, "words.idx"), (KIND, "sections.idx"))
    }
    assert (made, RANKING) == (RECORDED, "bm25-sections-3")
