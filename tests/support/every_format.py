"""A folder with a source of every format there is, and characters that are new in Unicode."""

from __future__ import annotations

import json
from pathlib import Path

_CELLS = [
    {"cell_type": "markdown", "metadata": {}, "source": ["# Notebook\n", "How to plot.\n"]},
    {
        "cell_type": "code",
        "metadata": {},
        "execution_count": 1,
        "source": ["plot(1)\n"],
        "outputs": [{"output_type": "stream", "name": "stdout", "text": ["done\n"]}],
    },
]
_API = {
    "openapi": "3.0.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {"/pets": {"get": {"operationId": "listPets", "summary": "List pets", "responses": {}}}},
}
SOURCES = {
    "guide.md": "---\ntitle: Guide\n---\n# Guide\n\n<!-- hidden -->\nRoll back: İSTANBUL ΟΔΟΣ \U0001faea \U00016ea0.\n",
    "part.mdx": "import X from 'x'\n\n# Part\n\n<X>Text of a component.</X>\n",
    "manual.rst": "Manual\n======\n\n.. note:: Mind the gap.\n\n.. code-block:: python\n\n   print(1)\n",
    "notes.txt": "Plain words of a text.\n\nMore of them.\n",
    "page.html": "<html><title>Page</title><body><h1>Page</h1><p>Some <b>words</b> &amp; more.</p></body></html>",
    "book.adoc": "= Book\n\n== Chapter\n\nText of a chapter.\n",
    "work.ipynb": json.dumps({"cells": _CELLS, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}),
    "api.json": json.dumps(_API),
    "picture.png": "",
}


def write_every_format(folder: Path) -> None:
    """Write the sources below a folder."""
    folder.mkdir(parents=True)
    for name, text in SOURCES.items():
        (folder / name).write_text(text, encoding="utf-8")
