"""`context explore` in a real Chromium: clicks, keys, sizes, no error in the console, hostile names harmless."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from support.browser import CHROMIUM, NO_BROWSER, Browser
from support.doors import run_context
from support.explored import IMAGE, ExploreServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=NO_BROWSER)
PAGES = (
    "",
    "caches",
    "tree",
    "specs",
    "receipts",
    "receipts?client=%3Cb%3E&query=deploy",
    "savings",
    "search?q=deploy+%3Cb%3E&budget=300",
    "directory?scope=src",
)
# Headings in their order: one of the first level, none that skips a level.
HEADINGS = "[...document.querySelectorAll('h1,h2,h3,h4')].map((each) => Number(each.tagName[1]))"
# What a screen reader could not name: charts, fields, buttons, links without words.
NAMELESS = """[...document.querySelectorAll('svg:not([aria-hidden]), input, select, button, a, summary')].filter(
  (each) => !(each.getAttribute('aria-label') || each.textContent.trim() || each.labels?.length)).length"""


@pytest.fixture(scope="module")
def one_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture
def browser(one_browser: Browser) -> Iterator[Browser]:
    one_browser.resize(1280)
    one_browser.events.clear()
    yield one_browser
    assert one_browser.complaints() == []


def test_every_page_fits_every_size_and_runs_nothing_of_a_name(browser: Browser, explore_server: ExploreServer) -> None:
    for page in PAGES:
        browser.open(explore_server.address + page)
        levels = browser.value(HEADINGS)
        assert (page, levels.count(1), levels[0]) == (page, 1, 1)
        assert all(after <= before + 1 for before, after in pairwise(levels)), (page, levels)
        assert (page, browser.value(NAMELESS)) == (page, 0)
        assert browser.value("document.querySelectorAll('main script, main img, [onerror], [onfocus]').length") == 0
        browser.value("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        for width in (360, 768, 1920):
            browser.resize(width)
            seen = browser.value("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            assert (page, width, seen[0] <= seen[1]) == (page, width, True), seen
    assert {address.startswith(explore_server.address) for address in browser.asked()} == {True}


def test_an_auditor_finds_a_call_by_keyboard_and_opens_why_its_answer_was_given(
    browser: Browser, explore_server: ExploreServer
) -> None:
    browser.open(explore_server.address + "receipts")
    browser.value("document.getElementById('query').focus()")
    browser.write("<img src=x")
    with browser.loads():
        browser.press("Enter")
    assert browser.value("document.getElementById('query').value") == "<img src=x"
    assert browser.value("document.querySelectorAll('.entries > li').length") == 1
    assert browser.value("document.querySelector('.entries > li').innerText.includes('" + IMAGE + "')") is True
    with browser.loads():
        browser.click(".entries > li a")
    assert browser.value("document.querySelector('h1').textContent") == f"deploy {IMAGE}"
    assert browser.value("document.querySelector('.state').textContent") == "the same answer"
    assert browser.value("document.querySelectorAll('main script, main img, [onerror], [onfocus]').length") == 0
    for width in (360, 1920):
        browser.resize(width)
        assert browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth") is True
    assert {address.startswith(explore_server.address) for address in browser.asked()} == {True}


def test_the_page_of_an_audit_fits_asks_nobody_and_runs_nothing(browser: Browser, explored_project: Path) -> None:
    done = run_context("replay", "--receipts", ".context/receipts", "--html", "audit.html", cwd=explored_project)
    assert done.returncode == 9  # one of the receipts is none
    page = (explored_project / "audit.html").as_uri()
    browser.open(page)
    levels = browser.value(HEADINGS)
    assert (levels.count(1), levels[0], browser.value(NAMELESS)) == (1, 1, 0)
    assert browser.value("document.querySelectorAll('script, main img, [onerror], [onfocus]').length") == 0
    browser.value("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert browser.value("document.body.innerText.includes('deploy " + IMAGE + "')") is True
    for width in (360, 1920):
        browser.resize(width)
        assert browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth") is True
    assert set(browser.asked()) == {page}


def test_light_and_dark_follow_the_reader(browser: Browser, explore_server: ExploreServer) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.open(explore_server.address)
        grounds.append(browser.value("getComputedStyle(document.body).backgroundColor"))
    browser.scheme("light")
    assert grounds == ["rgb(255, 255, 255)", "rgb(19, 22, 26)"]


def test_a_question_is_asked_and_its_reasons_are_opened_by_keyboard(
    browser: Browser, explore_server: ExploreServer
) -> None:
    browser.open(explore_server.address)
    browser.value("document.getElementById('q').focus()")
    browser.write("how to deploy <i>")
    with browser.loads():
        browser.press("Enter")
    assert browser.value("document.querySelector('h1').textContent") == "how to deploy <i>"
    assert browser.value("document.getElementById('q').value") == "how to deploy <i>"
    assert "To deploy, push." in browser.value("document.querySelector('main pre').textContent")
    assert browser.value("document.getElementById('why-1').open") is False
    browser.value("document.querySelector('#why-1 summary').focus()")
    browser.press("Enter")
    assert browser.value("document.getElementById('why-1').open") is True
    assert "from the section" in browser.value("document.getElementById('why-1').innerText")


def test_what_is_missing_is_opened_by_a_click_and_says_by_how_much(
    browser: Browser, explore_server: ExploreServer
) -> None:
    browser.open(explore_server.address + "search?q=deploy&cache=docs&budget=400")
    browser.click("#missing-long summary")
    assert "did not fit by" in browser.value("document.getElementById('missing-long').innerText")


def test_arrows_walk_the_tree(browser: Browser, explore_server: ExploreServer) -> None:
    browser.open(explore_server.address + "tree")
    names = "[...document.querySelectorAll('.tree summary')].indexOf(document.activeElement)"
    browser.value("document.querySelector('.tree summary').focus()")
    browser.press("ArrowDown")
    browser.press("ArrowDown")
    assert browser.value(names) == 2
    browser.press("ArrowUp")
    assert browser.value(names) == 1
    browser.press("ArrowLeft")
    assert browser.value("document.activeElement.parentElement.open") is False
    browser.press("ArrowRight")
    assert browser.value("document.activeElement.parentElement.open") is True


def test_tab_begins_with_the_way_to_the_content_and_links_lead_on(
    browser: Browser, explore_server: ExploreServer
) -> None:
    browser.open(explore_server.address)
    browser.press("Tab")
    assert browser.value("document.activeElement.className") == "skip"
    browser.press("Enter")
    assert browser.value("document.activeElement.id") == "main"
    with browser.loads():
        browser.click("nav a[href=receipts]")
    assert browser.value("document.querySelector('[aria-current=page]').textContent") == "Receipts"
    assert browser.value("document.querySelectorAll('svg.chart circle').length") == 2


def test_what_changes_is_shown_without_a_reload_and_what_was_opened_stays_open(
    browser: Browser, explore_server: ExploreServer, explored_project: Path
) -> None:
    browser.open(explore_server.address + "tree")
    browser.value("document.getElementById('dir-.').open = true")
    browser.value("window.same = true")
    (explored_project / "src" / "other" / "code.py").write_text(
        '"""Something else."""\n' + "changed = 2\n" * 3000, "utf-8"
    )
    browser.wait_for("document.getElementById('dir-src/other').querySelector('summary').innerText.includes('stale')")
    assert browser.value("window.same && document.getElementById('dir-.').open") is True
    assert browser.value("document.getElementById('status').textContent").startswith("Renewed at ")


def test_without_a_script_everything_is_there(browser: Browser, explore_server: ExploreServer) -> None:
    browser.tell("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(explore_server.address)
        browser.value("document.getElementById('q').focus()")
        browser.write("roll back")
        with browser.loads():
            browser.press("Enter")
        assert "To roll back, pull." in browser.value("document.querySelector('main').innerText")
        for page in ("caches", "tree", "specs", "receipts", "savings"):
            browser.open(explore_server.address + page)
            assert browser.value("document.querySelector('main').innerText.length") > 80
    finally:
        browser.tell("Emulation.setScriptExecutionDisabled", value=False)


def test_a_file_that_is_kept_shows_all_of_it_and_asks_for_nothing(browser: Browser, explored_project: Path) -> None:
    assert run_context("explore", "--html", "kept.html", cwd=explored_project).returncode == 0
    page = (explored_project / "kept.html").as_uri()
    browser.open(page)
    assert browser.asked() == [page]
    assert browser.value("[...document.querySelectorAll('h2')].map((each) => each.textContent)") == [
        *("Caches", "Directories", "Specs", "Receipts", "Savings"),
    ]
    levels = browser.value(HEADINGS)
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    for width in (360, 1920):
        browser.resize(width)
        assert browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert "never <img src=x onerror=alert(1)>" in browser.value("document.body.textContent")


def test_the_page_of_a_search_fits_every_size(browser: Browser, explored_project: Path) -> None:
    run_context("search", "deploy", "--html", "why.html", "--budget", "400", "--cache", "docs", cwd=explored_project)
    for name in ("why.html",):
        browser.open((explored_project / name).as_uri())
        browser.value("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        for width in (360, 768, 1920):
            browser.resize(width)
            assert browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert browser.value("document.querySelectorAll('h1').length") == 1
