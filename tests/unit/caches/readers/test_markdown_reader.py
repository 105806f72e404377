"""Markdown: front matter and comments are out, files that a page includes are in, and lines are those of the file."""

from __future__ import annotations

import pytest

from holdfast.caches.line_map import source_line
from holdfast.caches.readers.markdown_reader import read_markdown_source
from holdfast.caches.readers.reader_table import READERS, reader_of
from holdfast.caches.readers.source_reader import Page, Unreadable
from support.sources import HeldFiles

CODE = 'import app\n\n\ndef main():\n    app.run()\n\n\nif __name__ == "__main__":\n    main()\n'


def read(text: str, name: str = "guide/start.md", files: dict[str, str] | None = None) -> Page:
    return read_markdown_source(text.encode(), name, HeldFiles(files))


def cited(page: Page) -> list[tuple[int, str]]:
    """Every line that is not blank, with the line of the source that it stands for."""
    return [(source_line(page.lines, number), line) for number, line in enumerate(page.text.split("\n"), 1) if line]


def test_a_text_without_any_of_it_stays_as_it_is() -> None:
    text = "# Start\n\nFirst `<!-- a -->` step.\n\n```html\n<!-- kept -->\n```\n\n    <p> <!-- code -->\n"
    assert read(text) == Page(text, "", ())


@pytest.mark.parametrize(
    "matter",
    ['---\ntitle: "Getting started"\nweight: 3\n---\n', "+++\ntitle = 'Getting started'\n+++\n"],
)
def test_front_matter_is_out_and_its_title_is_the_pages(matter: str) -> None:
    page = read(f"{matter}\n# Start\n\ntext\n")
    lines = matter.count("\n")
    assert page.title == "Getting started"
    assert page.text == "# Start\n\ntext\n"
    assert cited(page) == [(lines + 2, "# Start"), (lines + 4, "text")]


def test_comments_are_out_with_the_lines_that_held_nothing_else() -> None:
    page = read("# A <!-- one -->\n\n<!-- two\nlines\n\nmore -->\n\ntext <!-- x --> and <!--y--> more\n\n<!-- open\n")
    assert page.text == "# A\n\ntext  and  more\n\n<!-- open\n"
    assert cited(page) == [(1, "# A"), (8, "text  and  more"), (10, "<!-- open")]


def test_an_example_is_put_where_the_page_includes_it() -> None:
    files = {"../docs_src/start.py": CODE}
    page = read("# Start\n\n{* ../docs_src/start.py hl[2] *}\n\nRun it.\n", "guide/start.md", files)
    assert page.text == f"# Start\n\n```python\n{CODE}```\n\nRun it.\n"
    assert {line for line, text in cited(page) if text in CODE} == {3}
    assert cited(page)[-1] == (5, "Run it.")


@pytest.mark.parametrize(
    ("marker", "text"),
    [
        ("{* src/a.py ln[1,4:5] *}", "```python\nimport app\n...\ndef main():\n    app.run()\n```\n"),
        ('--8<-- "src/a.py"', f"```python\n{CODE}```\n"),
        ('--8<-- "src/a.py:4:5"', "```python\ndef main():\n    app.run()\n```\n"),
        ('--8<-- "src/b.py:part"', "```python\nwithin = 1\n```\n"),
        ("--8<--\nsrc/part.md\n\n--8<--", "## Part\n\nof `it`\n"),
        ("```python\n{!src/a.py!}\n```", f"```python\n{CODE}```\n"),
        ("```rust\n{{#include src/a.rs:2}}\n```", "```rust\nlet b;\n```\n"),
        ("<<< @/src/a.rs{1 ts}", "```rust\nlet a;\nlet b;\n```\n"),
        ('{{% code_sample file="pods/a.yaml" %}}', "```yaml\nkind: Pod\n```\n"),
        ('{{< codenew file="pods/a.yaml" >}}', "```yaml\nkind: Pod\n```\n"),
    ],
)
def test_every_way_to_include_is_known(marker: str, text: str) -> None:
    files = {
        "src/a.py": CODE,
        "src/b.py": "# --8<-- [start:part]\nwithin = 1\n# --8<-- [end:part]\nafter = 2\n",
        "src/a.rs": "let a;\nlet b;\n",
        "src/part.md": "---\ntitle: x\n---\n## Part\n\nof <!-- not --> `it`\n".replace("<!-- not --> ", ""),
        "examples/pods/a.yaml": "kind: Pod\n",
    }
    assert read(f"{marker}\n", "docs/deep/page.md", files).text == text


@pytest.mark.parametrize(
    ("marker", "lacks"),
    [
        ("{* nowhere.py *}", "nowhere.py"),
        ("{* ../../../../../../../etc/passwd *}", "../../../../../../../etc/passwd"),
        ('--8<-- "https://example.org/a.md"', "https://example.org/a.md"),
        ('--8<-- "nowhere.md"', "nowhere.md"),
        ("--8<--\nnowhere.md\n--8<--", "nowhere.md"),
        ("<<< nowhere", "nowhere"),
    ],
)
def test_what_cannot_be_included_is_left_out_and_reported(marker: str, lacks: str) -> None:
    files = HeldFiles()
    assert read_markdown_source(f"a\n\n{marker}\n".encode(), "a.md", files).text == "a\n"
    assert files.lacks == [lacks]


@pytest.mark.parametrize("text", ["<<<<<<< HEAD", "{*", "{! !}", "--8<--\nleft open", "```\n<<< nowhere\n```"])
def test_what_includes_nothing_stays_as_it_is(text: str) -> None:
    assert read(f"{text}\n").text == f"{text}\n"


def test_only_normal_paths_are_asked_for() -> None:
    files = HeldFiles()
    read_markdown_source(b"{* /a/./b/../../../c.py *}\n", "x/y/page.md", files)
    assert files.asked[:3] == ["x/c.py", "c.py", "../c.py"]
    assert not [path for path in files.asked if {"", ".", ".."} & set(path.replace("../", "").split("/"))]


def test_a_page_that_includes_itself_ends() -> None:
    page = read('one\n\n--8<-- "a.md"\n', "a.md", {"a.md": 'one\n\n--8<-- "a.md"\n--8<-- "a.md"\n'})
    assert page.text.count("one\n") < 1000


def test_an_included_file_has_a_fence_that_nothing_in_it_ends() -> None:
    assert read("{* a.txt *}\n", "b.md", {"a.txt": "```\nx\n```\n"}).text == "````\n```\nx\n```\n````\n"


@pytest.mark.parametrize(
    ("data", "reason"), [(b"\xff\xfe\xfa", "UTF-8"), (b"a\0b", "NUL"), (b"x" * (17 << 20), "more")]
)
def test_what_is_no_text_says_so(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_markdown_source(data, "a.md", HeldFiles())


def test_byte_order_marks_and_foreign_line_ends_are_read() -> None:
    assert read_markdown_source("\ufeff# A\r\n\r\nb\r".encode(), "a.md", HeldFiles()).text == "# A\n\nb\n"
    assert read_markdown_source("# A\n".encode("utf-16"), "a.md", HeldFiles()).text == "# A\n"


def test_readers_are_found_by_the_end_of_a_name_in_any_case() -> None:
    found = [reader_of(name) for name in ("README.MD", "a.markdown", "b.TXT")]
    assert [reader and reader.name for reader in found] == ["markdown-2", "markdown-2", "text-1"]
    assert len({reader.name for reader in READERS}) == len(READERS)
