"""The search of the documentation site in a real browser that opens its pages as files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from scripts.site_pages import add_file_search

from support.browser import CHROMIUM, NO_BROWSER, Browser

if TYPE_CHECKING:
    from pathlib import Path

ITEMS = [
    {
        "location": "guide/use.html#roll",
        "title": "Rolling back",
        "text": "<p>Press <b>Promote</b>.</p>",
        "path": ["Guide"],
    },
    {"location": "index.html", "title": "Guide", "text": "A deploy can be rolled back: </script>", "path": []},
    {"location": "index.html#x", "title": "Else", "text": "Nothing of this.", "path": ["Guide"]},
]
PAGE = '<body><div class="md-search"></div><p>text</p></body>'


@pytest.mark.skipif(CHROMIUM is None, reason=NO_BROWSER)
def test_words_find_sections_best_first_in_pages_that_are_opened_as_files(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "guide").mkdir(parents=True)
    for name in ("index.html", "guide/use.html"):
        (site / name).write_text(PAGE, encoding="utf-8")
    (site / "search.json").write_text(json.dumps({"items": ITEMS}), encoding="utf-8")
    add_file_search(site)
    browser = Browser(tmp_path / "profile")
    try:
        for name in ("index.html", "guide/use.html"):
            browser.open((site / name).as_uri())
            browser.value("document.querySelector('input').focus()")
            browser.write("back roll")
            found = browser.value("[...document.querySelectorAll('li a')].map((each) => [each.href, each.textContent])")
            assert found == [
                [f"{site.as_uri()}/guide/use.html#roll", "Guide › Rolling back"],
                [f"{site.as_uri()}/index.html", "Guide"],
            ]
            browser.write(" nowhere")
            assert browser.value("document.querySelectorAll('li').length") == 0
        assert browser.complaints() == []
    finally:
        browser.close()
