"""A change of what an index says, or of how sections are cut or ranked, gets another name.

Caches of an earlier release stay readable because an index says by its kind and its ranking how it was made. So
where the bytes of this small index change, `segments-2` or `segment-2` is renamed (and `bm25-sections-4` in receipts),
and only then the new hash is recorded here.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from holdfast import build_cache
from holdfast.caches.search.impacts import RANKING
from holdfast.caches.segments import segment_file, segment_list

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
    "segments-2": "cf95773a9f4d96a2cbd636ff2b10a56278e75f0bb8e30e2aa16e6f9f2facc543",
    "segment-2": "f51c47845ed7e5960190ed0fb984d7ddb06b960c008d1dcbf5cb1f2bfc223b76",
}


def test_the_bytes_of_an_index_change_only_with_its_name(tmp_path: Path) -> None:
    for name, text in SOURCES.items():
        file = tmp_path / "sources" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    cache = tmp_path / "cache"
    build_cache(tmp_path / "sources", cache, created_at="2026-01-02T03:04:05Z", tokenizer="bytes/4")
    (segment,) = (cache / "index").glob("*.seg")
    files = {segment_list.KIND: cache / "index" / "segments.idx", segment_file.KIND: segment}
    made = {kind: sha256(file.read_bytes()).hexdigest() for kind, file in files.items()}
    assert (made, RANKING) == (RECORDED, "bm25-sections-4")
