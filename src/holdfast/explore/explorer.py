"""Which page an address means, and the page; and all of them as one file that needs no server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from html import escape
from typing import NamedTuple
from urllib.parse import parse_qs

from holdfast.core.packaged_text import packaged_text
from holdfast.core.page_shell import note, page_policy, shown, whole_page
from holdfast.core.unicode_text import WHITE_SPACE
from holdfast.explore.panels import (
    A_PAGE,
    MOST_BUDGET,
    caches_panel,
    overview_panel,
    receipt_panel,
    receipts_panel,
    savings_panel,
    search_panel,
    specs_panel,
    utc,
)
from holdfast.explore.project_look import ProjectLook
from holdfast.explore.tree_panel import COLOURS, directory_panel, tree_panel

# Every page: the end of its address, and what it is called where one leads to it.
PAGES = {
    "": "Overview",
    "caches": "Caches",
    "tree": "Directories",
    "specs": "Specs",
    "receipts": "Receipts",
    "savings": "Savings",
}
# Directories whose notes are part of a saved page.
_MOST_NOTED = 300
# The latest calls that are part of it.
_MOST_CALLS = 500
_HEX = frozenset("0123456789abcdef")


class Page(NamedTuple):
    """A page as it is sent to a browser."""

    status: int
    html: str
    mark: str = ""  # of what the page shows: while it is the same, so is the page


class Explorer:
    """The pages of one project. Threads may share one."""

    def __init__(self, look: ProjectLook) -> None:
        self._look = look
        self._style, self._script = packaged_text("page.css"), packaged_text("explore.js")
        self.policy = page_policy(self._style, self._script) + "; frame-ancestors 'none'"
        self._panels: Mapping[str, Callable[[Mapping[str, str]], tuple[str, str]]] = {
            "": lambda _: (look.name, self._overview()),
            "caches": lambda _: ("Caches", self._caches(with_box=True)),
            "search": self._search,
            "tree": self._tree,
            "directory": self._directory,
            "specs": lambda _: ("Specs", specs_panel(look.board(), look.approvals(), look.findings())),
            "receipts": self._receipts,
            "receipt": self._receipt,
            "savings": lambda _: ("Savings", savings_panel(look.savings())),
        }

    def page(self, name: str, query: str) -> Page:
        """A page by the end of its address and what was filled in."""
        panel = self._panels.get(name)
        if panel is None:
            return Page(404, self.plain("There is no such page", "The links above lead to those that there are."))
        try:
            # A name that is no UTF-8 comes back as it is; a question that is none is refused in words.
            fields = parse_qs(query, errors="surrogateescape", max_num_fields=20)
        except ValueError:
            return Page(400, self.plain("That cannot be asked", "The address has too many fields."))
        given = {key: values[-1] for key, values in fields.items()}
        title, content = panel(given)
        return self._made(name, title, f'<h1 dir="auto">{shown(title)}</h1>\n{content}')

    def plain(self, title: str, words: str) -> str:
        """A page that says one thing."""
        main = f"<h1>{escape(title)}</h1>{note(words)}"
        return whole_page(self._style, title, main, top=self._top(None), script=self._script)

    def _made(self, name: str, title: str, main: str) -> Page:
        mark = sha256(main.encode("utf-8", "replace")).hexdigest()[:32]
        foot = (
            '<p>From the same answers as the tools; it only reads. <span id="status" role="status" '
            f'data-mark="{mark}"></span></p>'
        )
        called = {"search": "caches", "directory": "tree", "receipt": "receipts"}.get(name, name)
        heading = title if title == self._look.name else f"{title} · {self._look.name}"
        html = whole_page(self._style, heading, main, top=self._top(called), foot=foot, script=self._script)
        return Page(200, html, mark)

    def _top(self, current: str | None) -> str:
        links = [
            f'<li><a href="{page or "./"}"{_is_current(page, current)}>{title}</a></li>'
            for page, title in PAGES.items()
        ]
        return f'<p class="brand">{shown(self._look.name)}</p>\n<nav aria-label="Pages"><ul>{"".join(links)}</ul></nav>'

    def _overview(self) -> str:
        look = self._look
        return overview_panel(look.caches(), look.tree(), look.board(), look.audit({}, A_PAGE), look.savings_soon())

    def _caches(self, *, with_box: bool) -> str:
        look = self._look
        return caches_panel(look.caches(), look.about(), look.sync_state(), with_box=with_box)

    def _search(self, given: Mapping[str, str]) -> tuple[str, str]:
        look, query, cache = self._look, given.get("q", ""), given.get("cache", "")
        budget = given.get("budget", "")
        names = [name for name, _ in look.caches()]
        if budget and (not _is_number(budget) or int(budget) > MOST_BUDGET):
            box = search_panel(names, query, cache, "", None)
            return "Search", box + note(f"Tokens are a whole number up to {MOST_BUDGET:,}.")
        found = look.search(query, cache, int(budget) if budget else None) if query.strip(WHITE_SPACE) else None
        return query if query.strip(WHITE_SPACE) else "Search", search_panel(names, query, cache, budget, found)

    def _tree(self, given: Mapping[str, str]) -> tuple[str, str]:
        state = given.get("state", "")
        chosen = state if state in COLOURS else ""
        return "Directories", tree_panel(self._look.tree([chosen] if chosen else None), chosen)

    def _directory(self, given: Mapping[str, str]) -> tuple[str, str]:
        scope = given.get("scope", ".")
        return scope, directory_panel(scope, self._look.directory(scope))

    def _receipts(self, given: Mapping[str, str]) -> tuple[str, str]:
        look, skip = self._look, given.get("skip", "0")
        if not _is_number(skip):
            return "Receipts", note("What is to be skipped is a whole number.")
        return "Receipts", receipts_panel(look.audit(given, A_PAGE), look.shown_receipts, given)

    def _receipt(self, given: Mapping[str, str]) -> tuple[str, str]:
        digest = given.get("id", "")
        if len(digest) != 64 or not _HEX.issuperset(digest):
            return "Receipt", note("A receipt is named by 64 hex digits.")
        found = self._look.receipt(digest)
        return found.value["query"] if found.value and found.value["query"] else "Receipt", receipt_panel(found)

    def snapshot(self, now: float) -> str:
        """Everything on one page, for a reader without a server: no script, nothing to fill in."""
        look = self._look
        tree = look.tree()
        noted = tree.value is not None and len(tree.value["entries"]) <= _MOST_NOTED
        parts = {
            "caches": self._caches(with_box=False),
            "tree": tree_panel(tree, "", look.directory if noted else None, with_links=False),
            "specs": specs_panel(look.board(), look.approvals(), look.findings()),
            "receipts": receipts_panel(look.audit({}, _MOST_CALLS), look.shown_receipts, {}, with_links=False),
            "savings": savings_panel(look.savings()),
        }
        sections = [
            f'<section id="{name}"><h2>{PAGES[name]}</h2>\n{_lowered(content)}</section>'
            for name, content in parts.items()
        ]
        links = "".join([f'<li><a href="#{name}">{PAGES[name]}</a></li>' for name in parts])
        top = f'<p class="brand">{shown(look.name)}</p>\n<nav aria-label="Parts"><ul>{links}</ul></nav>'
        main = f"<h1>{shown(look.name)}</h1>\n<p>As it was at {utc(now)}.</p>\n" + "\n".join(sections)
        return whole_page(self._style, f"{look.name}, {utc(now)}", main, top=top)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 8


def _is_current(page: str, current: str | None) -> str:
    return ' aria-current="page"' if page == current else ""


def _lowered(html: str) -> str:
    """The headings of a panel a level lower. What was text stays: no text of a page holds a tag."""
    for level in (3, 2):
        html = html.replace(f"<h{level}", f"<h{level + 1}").replace(f"</h{level}>", f"</h{level + 1}>")
    return html
