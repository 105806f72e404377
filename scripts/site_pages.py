"""Build the documentation as a site in build/site: every link leads somewhere, nothing is loaded from elsewhere.

    .venv/bin/python scripts/site_pages.py            ./scripts/site installs what it needs first

The pages are those of docs/, the changelog, and the pages for contributors and on security. A link to another file of
the repository, which is not part of the site, becomes its path.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "site"
EXTRA = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
# Sections of the navigation: a title, and the pages and folders in it. What is new in a folder is listed by itself.
SECTIONS = (
    (
        "Tutorials",
        (
            "tutorials/engineer.md",
            "tutorials/team.md",
            "tutorials/air-gapped.md",
            "tutorials",
        ),
    ),
    (
        "How to",
        (
            "how-to/ask-about-code.md",
            "how-to/first-week.md",
            "how-to/set-up-a-client.md",
            "how-to/contexts.md",
            "how-to/ci-gates.md",
            "how-to/audit.md",
            "how-to",
        ),
    ),
    ("Reference", ("reference/commands.md", "reference/python.md", "reference", "formats")),
    ("Explanation", ("explanation/how-it-is-built.md", "explanation/why-deterministic.md", "explanation")),
    (
        "How it is built",
        (
            "ARCHITECTURE.md",
            "reliability.md",
            "SECURITY.md",
            "CONTRIBUTING.md",
            "benchmarks",
        ),
    ),
    ("Decisions", ("decisions/README.md", "decisions")),
    ("Changes", ("CHANGELOG.md",)),
)


def staged(page: str, name: str) -> str:
    """A page of the repository as a page of the site: `name` is where it stands in the repository."""
    folder = Path(name).parent

    def link(found: re.Match[str]) -> str:
        text, target = found[1], found[2]
        if urlsplit(target).scheme or target.startswith("#"):
            return found[0]
        path, mark, fragment = target.partition("#")
        place = Path(*resolved(folder / path))
        if place.parts[:1] == ("docs",) and not (ROOT / place).is_dir():
            home = Path(*place.parts[1:])
        elif place.as_posix() in EXTRA:
            home = place
        elif (ROOT / place / "README.md").is_file() and place.parts[:1] == ("docs",):
            home = Path(*place.parts[1:]) / "README.md"
        else:
            return text if place.as_posix() in text else f"{text} (`{place.as_posix()}`)"
        here = Path(*folder.parts[1:])
        return f"[{text}]({relative(home, here)}{mark}{fragment})"

    pieces = re.split(r"(^```.*?^```$)", page, flags=re.MULTILINE | re.DOTALL)
    return "".join(fenced(piece) if piece.startswith("```") else LINK.sub(link, piece) for piece in pieces)


def fenced(block: str) -> str:
    """A code block whose words after the language, such as a path, are its title: the site knows no others there."""
    first, _, rest = block.partition("\n")
    fence, _, about = first.partition(" ")
    if not about:
        return block
    shown = about.replace('"', "'")
    return f'{fence} title="{shown}"\n{rest}'


def resolved(path: Path) -> list[str]:
    """The parts of a path without `..`."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return parts


def relative(target: Path, folder: Path) -> str:
    """The way from a folder to a page."""
    common = 0
    while common < min(len(target.parts), len(folder.parts)) and target.parts[common] == folder.parts[common]:
        common += 1
    return "/".join([".."] * (len(folder.parts) - common) + list(target.parts[common:]))


def title(page: Path) -> str:
    """The first heading, without its markup."""
    first = page.read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("# ").replace("`", "")


def navigation(pages: Path) -> list[tuple[str, list[tuple[str, str]]]]:
    """Every page but the first, each in the section it belongs to; one that belongs nowhere is an error."""
    left = {page.relative_to(pages).as_posix() for page in pages.rglob("*.md")} - {"index.md"}
    sections = []
    for heading, places in SECTIONS:
        listed = []
        for place in places:
            inside = sorted(name for name in left if name == place or name.startswith(f"{place}/"))
            listed += [(title(pages / name), name) for name in inside]
            left -= set(inside)
        sections.append((heading, listed))
    if left:
        raise SystemExit(f"no section for {', '.join(sorted(left))}: add it to {Path(__file__).name}")
    return sections


def configuration(pages: Path) -> str:
    """What Zensical is told: no fonts from elsewhere, addresses that work without a server, light and dark."""
    rows = ['  { "Holdfast" = "index.md" },']
    for heading, listed in navigation(pages):
        inside = ", ".join(
            f"{{ {json.dumps(name, ensure_ascii=False)} = {json.dumps(page)} }}" for name, page in listed
        )
        rows.append(f"  {{ {json.dumps(heading)} = [{inside}] }},")
    return (
        '[project]\nsite_name = "Holdfast"\n'
        'site_description = "The same, fresh, explainable context for coding agents, every time."\n'
        'docs_dir = "pages"\nsite_dir = "html"\nuse_directory_urls = false\nnav = [\n' + "\n".join(rows) + "\n]\n"
        '[project.theme]\nfont = false\nfeatures = ["navigation.sections", "navigation.top", "search.highlight"]\n'
        '[[project.theme.palette]]\nmedia = "(prefers-color-scheme: light)"\nscheme = "default"\n'
        'toggle = { icon = "lucide/sun", name = "Dark" }\n'
        '[[project.theme.palette]]\nmedia = "(prefers-color-scheme: dark)"\nscheme = "slate"\n'
        'toggle = { icon = "lucide/moon", name = "Light" }\n'
        "[project.extra]\ngenerator = false\n"
    )


def add_file_search(site: Path) -> None:
    """Put a search into every page that works where the pages are opened as files, from the theme's own index."""
    items = json.loads((site / "search.json").read_text(encoding="utf-8"))["items"]
    sections = [
        [
            item["location"],
            " › ".join(dict.fromkeys([*item["path"], item["title"]])),
            re.sub("<[^>]*>", " ", item["text"]),
        ]
        for item in items
    ]
    script = (Path(__file__).parent / "file_search.js").read_text(encoding="utf-8")
    index = json.dumps(sections, separators=(",", ":"))
    (site / "file-search.js").write_text(f"const SECTIONS = {index};\n{script}", encoding="utf-8")
    for file in site.rglob("*.html"):
        up = "../" * (len(file.relative_to(site).parts) - 1)
        text = file.read_text(encoding="utf-8")
        file.write_text(
            text.replace("</body>", f'<script defer src="{up}file-search.js"></script></body>', 1), encoding="utf-8"
        )


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Sort the addresses of an element."""
        named = {name: value or "" for name, value in attrs}
        self.anchors |= {named[name] for name in ("id", "name") if name in named}
        if tag == "a" and "href" in named:
            self.links.append(named["href"])
        elif tag != "a":
            self.loads += [
                named[name] for name in ("src", "href", "data") if name in named and named.get("rel") != "canonical"
            ]


def faults(site: Path) -> list[str]:
    """Links that lead nowhere, and whatever a page would load from another place."""
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in sorted(site.rglob("*.html"))}
    found = []
    for file, page in pages.items():
        name = file.relative_to(site).as_posix()
        found += [f"{name} loads {address}" for address in page.loads if is_elsewhere(address)]
        for address in [*page.links, *page.loads]:
            if is_elsewhere(address) or address.startswith("data:") or name == "404.html":
                continue
            parts = urlsplit(address)
            target = file if not parts.path else Path(*resolved(file.parent / unquote(parts.path)))
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{name} -> {address}: no such file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{name} -> {address}: no such place")
    styles = [file for kind in ("css", "js") for file in site.rglob(f"*.{kind}")]
    for file in styles:
        loaded = re.findall(r"(?:@import\s*|url\()[\"']?((?:https?:)?//[^\"')\s]+)", file.read_text(encoding="utf-8"))
        found += [f"{file.relative_to(site).as_posix()} loads {address}" for address in loaded]
    return sorted(set(found))


def is_elsewhere(address: str) -> bool:
    """Whether an address is one of another host."""
    return address.startswith("//") or urlsplit(address).scheme in ("http", "https", "mailto")


def main() -> int:
    """Stage, build strictly, check."""
    shutil.rmtree(WORK, ignore_errors=True)
    pages = WORK / "pages"
    shutil.copytree(ROOT / "docs", pages)
    for name in EXTRA:
        shutil.copy(ROOT / name, pages / name)
    for file in pages.rglob("*.md"):
        name = file.relative_to(pages).as_posix()
        home = name if name in EXTRA else f"docs/{name}"
        file.write_text(staged(file.read_text(encoding="utf-8"), home), encoding="utf-8")
    (WORK / "zensical.toml").write_text(configuration(pages), encoding="utf-8")
    zensical = Path(sys.executable).with_name("zensical")
    built = subprocess.run([zensical, "build", "--strict", "--clean"], cwd=WORK, capture_output=True, text=True)
    if built.returncode:
        print(re.sub(r"\x1b\[[0-9;]*m", "", built.stdout + built.stderr))
        return 1
    add_file_search(WORK / "html")
    wrong = faults(WORK / "html")
    print("\n".join(wrong) if wrong else f"{len(list((WORK / 'html').rglob('*.html')))} pages in build/site/html")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
