"""Write the page that explains an answer."""

from __future__ import annotations

import os

from holdfast.caches.on_disk.receipts import write_output
from holdfast.caches.search.page import render_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.search.answers import Candidate, SearchResult

_TEMPLATE = os.path.join(os.path.dirname(__file__), "..", "..", "templates", "search.html")


def write_page(path: str, result: SearchResult, candidates: list[Candidate]) -> None:
    """Write one self-contained page, atomically."""
    with open(_TEMPLATE, "rb") as file:
        template = file.read().decode()
    write_output(path, render_page(template, result, candidates).encode())
