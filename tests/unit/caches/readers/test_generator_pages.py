"""Pages of documentation generators as Markdown: what is resolved, what is kept as text, what is left out."""

from __future__ import annotations

from time import process_time

import pytest

from holdfast.caches.build.found_site import FoundSite
from holdfast.caches.line_map import source_line
from holdfast.caches.readers.generators import GENERATORS, MARKS, generator_of
from holdfast.caches.readers.reader_table import read_source, reader_named
from holdfast.caches.readers.source_reader import Site, Unreadable
from support.sources import HeldFiles

FILES = {
    "mkdocs.yml": "nav:\n- Home: index.md\n- Guides:\n  - 'Fields: all': guides/fields.md\nextra:\n  product: Widget\n",
    "src/SUMMARY.md": "- [The `Start`](ch01.md)\n",
    "_config.yml": "repository: https://example.org/widget\n",
    "_data/ruby.yml": "min: 2.7\n",
    "hugo.toml": "baseURL = 'x'\n[params]\nversion = '3.1'\n",
    "data/variables/product.yml": "name: 'Widget'\nlong: >-\n"
    "  {% ifversion a %}the{% endif %} {% data variables.product.name %} Pro\n"
    'team: "[Widget\'s team](https://x.org)"\ndays: 37\n',
    "data/reusables/start/run.md": "1. Open {% data variables.product.name %}.\n1. Run it.\n",
    "shared/part.md": "Shared text.\n",
    "_part.mdx": "import A from 'a'\n\n<A>Part of it.</A>\n",
    "code.js": "run()\n",
    "content/run/first.md": "---\ntitle: The {% data variables.product.name %} run\n---\n\nText.\n",
    "_includes/badge.html": "<b>{{ include.version }}</b>\n",
    ".gitbook/includes/part.md": "---\ntitle: x\n---\n\nIncluded.\n",
}

CASES = [
    ("markdown", "---\ntitle: T\n---\nimport A from './a'\n\nimport this sentence.\n", "import this sentence.\n"),
    (
        "markdown",
        '<p align="center"><img src="a.png"></p>\n\n<a href="b">B</a> &lt;x> <file>\n',
        "[B](b) \\<x> <file>\n",
    ),
    ("markdown", "Vec<T> and <br/> `<b>`\n\n    <b>code</b>\n", "Vec<T> and  `<b>`\n\n    <b>code</b>\n"),
    (
        "markdown",
        "`a` <code>b &lt; c</code> <code>[d](e)</code>&nbsp;&quot;f&quot; &#x7C; &c;\n",
        '`a` `b < c` [d](e) "f" \\| &c;\n',
    ),
    (
        "markdown",
        '- item\n\n  <pre class="lang-js"><code><b>a</b>(\n    b &lt; c);\n</code></pre>\n\n<pre>open\n',
        "- item\n\n  ```js\n  a(\n    b < c);\n  ```\n\nopen\n",
    ),
    ("markdown", "---\nintro: 'It''s {x}.'\n---\n\nText.\n", "It's {x}.\n\nText.\n"),
    (
        "liquid",
        "---\ndescription: >-\n  About\n  {% data variables.product.name %}.\na: b\n---\n\n# T\n\nText.\n",
        "# T\n\nAbout Widget.\n\nText.\n",
    ),
    ("hugo", '+++\ndescription = "Short"\n+++\n', "Short\n"),
    (
        "hugo",
        '<table>\n<tr><td>A<td>B<tr><td><code>a</code>\n<td><a href="{{< ref "b" >}}">b</a> | c</table>\n',
        "| A | B |\n| --- | --- |\n| `a` | [b](b) \\| c |\n",
    ),
    (
        "markdown",
        "<table>\n<tr><td>\n\n```sh\na\n```\n\n</td></tr>\n</table>\n",
        "```sh\na\n```\n\n|\n",
    ),
    ("markdown", "> [!NOTE]\n> Careful.\n", "> **Note**\n> Careful.\n"),
    ("markdown", "## Title {#id}\n\ntext\n{: .class }\n", "## Title\n\ntext\n"),
    ("markdown", "[a][x], [`b`][p.q.r], `c[i][j]`\n\n[x]: https://x.org 'X'\n", "[a](https://x.org), `b`, `c[i][j]`\n"),
    ("markdown", "[![a][x]][y]\n\n[x]: https://x.org\n[y]: https://y.org\n", "[![a](https://x.org)](https://y.org)\n"),
    ("markdown", "Use {{ value }} and {% tag %}.\n", "Use {{ value }} and {% tag %}.\n"),
    (
        "mkdocs",
        '!!! note "Careful"\n    One.\n\n    ```py\n    x = {{ y }}\n    ```\n\nTwo.\n',
        "> **Note** Careful\n\nOne.\n\n```py\nx = {{ y }}\n```\n\nTwo.\n",
    ),
    (
        "mkdocs",
        '=== "pip"\n\n    ```\n    pip\n    ```\n\n=== "uv"\n\n    uv\n',
        "**pip**\n\n```\npip\n```\n\n**uv**\n\nuv\n",
    ),
    ("mkdocs", "/// warning | Hot\n    type: x\n\nText.\n\n///\n", "> **Warning** Hot\n\nText.\n"),
    ("mkdocs", "The {{ product }} :material-check: {{ config.a.un_known }}\n", "The Widget  un known\n"),
    (
        "docusaurus",
        "import Part from './_part.mdx';\n\n:::tip[Best *way*]\n\nDo.\n\n:::\n\n<Part />\n",
        "> **Tip** Best *way*\n\nDo.\n\nPart of it.\n",
    ),
    (
        "docusaurus",
        "export function a() {\n  return `\n~~~js\n${b}`;\n}\n\nOne.\n\n```js\nimport x\n```\n",
        "One.\n\n```js\nimport x\n```\n",
    ),
    (
        "docusaurus",
        '```mdx-code-block\n<Tab label="npm">\n```\n\nOne.\n\n```mdx-code-block\n</Tab>\n```\n',
        "**npm**\n\nOne.\n",
    ),
    ("mintlify", "### `run` <sup>[<Icon/>](https://x.org)</sup>\n", "### `run`\n"),
    (
        "hugo",
        "{{< code-toggle file=hugo >}}\na = '{{ b }}'\n{{< /code-toggle >}}\n\nText.\n",
        "```\na = '{{ b }}'\n```\n\nText.\n",
    ),
    (
        "jekyll",
        "As of {% include badge.html version='2.5' %} only.\n\n<ul>\n\n    <li>One</li>\n\n</ul>\n",
        "As of 2.5 only.\n\n- One\n",
    ),
    (
        "liquid",
        "See [AUTOTITLE](/enterprise-server@latest/run/first#x) and [AUTOTITLE](/run/second-run).\n",
        "See [The Widget run](/enterprise-server@latest/run/first#x) and [second run](/run/second-run).\n",
    ),
    (
        "docusaurus",
        "import src from '!!raw-loader!./code.js';\n\n<CodeBlock language=\"js\">{src}</CodeBlock>\n",
        "```javascript\nrun()\n```\n",
    ),
    (
        "mdbook",
        '{{#title X}}\n\n<a id="x"></a>\n\n## A\n\n<Listing caption="First">\n\n```rust\nlet a;\n```\n\n</Listing>\n',
        "## A\n\n**First**\n\n```rust\nlet a;\n```\n",
    ),
    ("hugo", '{{< admonition type="note" >}}\nCareful.\n{{< /admonition >}}\n', "> **Note**\nCareful.\n"),
    (
        "hugo",
        '{{< docs/shared source="x" lookup="part.md" >}}\n\nv{{< param version >}} [a]({{< relref "b.md" >}})\n',
        "Shared text.\n\nv3.1 [a](b.md)\n",
    ),
    (
        "hugo",
        "Use `{{</* note */>}}`.\n\n```md\n{{%/* note */%}}\n```\n",
        "Use `{{< note >}}`.\n\n```md\n{{% note %}}\n```\n",
    ),
    ("hugo", '{{< tabs >}}\n{{% tab name="One" %}}\nFirst\n{{% /tab %}}\n{{< /tabs >}}\n', "**One**\nFirst\n"),
    (
        "jekyll",
        "{{ site.repository }} {{ site.data.ruby.min }} {{ page.nothing }}\n",
        "https://example.org/widget 2.7 nothing\n",
    ),
    (
        "jekyll",
        "{% highlight ruby %}\nputs {{ x }}\n{% endhighlight %}\n\n{% for a in b %}\n{{ a.x }}\n{% endfor %}\n",
        "```ruby\nputs {{ x }}\n```\n",
    ),
    ("jekyll", "{% raw %}{{ kept }}{% endraw %} {% comment %}not{% endcomment %}\n", "{{ kept }}\n"),
    (
        "liquid",
        "Use {% data variables.product.long %}:\n\n{% data reusables.start.run %}\n",
        "Use the Widget Pro:\n\n1. Open Widget.\n1. Run it.\n",
    ),
    (
        "liquid",
        "{% data variables.product.team %} {% if a %}a{% else %}b{% endif %} {% data variables.product.days %}\n",
        "[Widget's team](https://x.org) a / b 37\n",
    ),
    (
        "vitepress",
        "::: details Why\nBecause {{ x.why }}.\n:::\n\n::: code-group\n\n```sh [npm]\nnpm\n```\n\n:::\n",
        "> **Details** Why\n\nBecause why.\n\n```sh [npm]\nnpm\n```\n",
    ),
    (
        "mintlify",
        '<Note>\n  Careful.\n</Note>\n\n<ParamField path="id" type="string">\n  The id.\n</ParamField>\n',
        "> **Note**\nCareful.\n\n**`id`** (string)\nThe id.\n",
    ),
    ("starlight", '<Aside type="danger" title="Hot">Text {"a b"}.</Aside>\n', "> **Danger** Hot Text a b.\n"),
    (
        "gitbook",
        '{% hint style="info" %}\nCareful.\n{% endhint %}\n\n{% include "../.gitbook/includes/part.md" %}\n',
        "> **Info**\nCareful.\n\nIncluded.\n",
    ),
    (
        "gitbook",
        '{% tabs %}\n{% tab title="A" %}\nOne\n{% endtab %}\n{% endtabs %}\n\n{% embed url="https://x.org/v" %}\n',
        "**A**\nOne\n\n[v](https://x.org/v)\n",
    ),
]


def read(
    generator: str, text: str, name: str = "guides/page.md", files: HeldFiles | None = None
) -> tuple[str, str, HeldFiles]:
    reader = reader_named(f"{generator}-2" if generator in ("markdown", "mkdocs") else f"{generator}-1")
    assert reader is not None
    files = files or HeldFiles(FILES, Site(reader.name, ""))
    page = read_source(reader, text.encode(), name, files)
    return page.text, page.title, files


@pytest.mark.parametrize(("generator", "text", "expected"), CASES)
def test_what_a_generator_adds_becomes_text(generator: str, text: str, expected: str) -> None:
    assert read(generator, text)[0] == expected


def test_lines_stand_for_those_of_the_source() -> None:
    reader = reader_named("mkdocs-2")
    assert reader is not None
    text = "---\na: b\n---\n\n!!! note\n    One.\n\nTwo {{ x }}.\n"
    page = read_source(reader, text.encode(), "a.md", HeldFiles(FILES, Site(reader.name)))
    lines = page.text.split("\n")
    assert [source_line(page.lines, lines.index(line) + 1) for line in ("> **Note**", "One.", "Two x.")] == [5, 6, 8]


@pytest.mark.parametrize(
    ("generator", "name", "title"),
    [
        ("mkdocs", "guides/fields.md", "Fields: all"),
        ("mkdocs", "index.md", "Home"),
        ("mkdocs", "docs/index.md", "Home"),
        ("mkdocs", "other.md", "Front"),
        ("mdbook", "src/ch01.md", "The Start"),
    ],
)
def test_the_title_in_the_navigation_comes_before_that_of_the_front_matter(
    generator: str, name: str, title: str
) -> None:
    assert read(generator, "---\ntitle: Front\n---\n\n## First\n", name)[1] == title


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("usage_errors.md", "## First\n", "Usage errors"),
        ("guide/index.md", "text\n", "Guide"),
        ("README.md", "text\n", "README"),
        ("a/02-more-types.md", "## First\n\n# Whole\n", "Whole"),
        ("a/b.md", "# Own\n\n## First\n", ""),
        ("a/b.md", "Intro.\n\n# Own\n", ""),
    ],
)
def test_a_page_without_a_title_has_that_of_its_name_and_never_its_first_section(
    name: str, text: str, title: str
) -> None:
    assert read("markdown", text, name)[1] == title


def test_what_cannot_be_found_is_reported_once_a_page() -> None:
    text = "{% data variables.product.none %} {{ site.none }}\n\n{% data reusables.none %}\n"
    found, _, files = read("liquid", text)
    assert found == "none none\n"
    assert files.lacks == ["variables.product.none", "{{ site.none }}", "data/reusables/none.md"]


PACKAGE = {
    "../kit/__init__.py": '"""A kit."""\nfrom kit._tools import *\nfrom .saws import Saw as Cutter\n',
    "../kit/_tools.py": 'def hit(nail: str) -> None:\n    """Hit it.\n\n    See [there][kit.Cutter].\n    """\n',
    "../kit/saws.py": '"""Saws."""\nclass Saw:\n    """Cuts."""\n    def cut(self): ...\ndef other(): ...\n',
}
HIT = "## kit.hit()\n\n```python\ndef hit(nail: str) -> None\n```\n\nHit it.\n\nSee there.\n"
SAW = "```python\nclass Saw\n```\n\nCuts.\n\n### {}.cut()\n\n```python\ndef cut(self)\n```\n"


@pytest.mark.parametrize(
    ("generator", "text", "expected"),
    [
        ("mkdocs", "# Kit\n\n::: kit.hit\n    options:\n      a: b\n\nEnd.\n", f"# Kit\n\n{HIT}\nEnd.\n"),
        ("mkdocs", "::: kit.Cutter\n", "## class kit.Cutter\n\n" + SAW.format("Cutter")),
        ("sphinx", "Saws\n====\n\n.. automodule:: kit.saws\n", "# Saws\n\nSaws.\n"),
        (
            "sphinx",
            ".. automodule:: kit.saws\n   :members: Saw\n",
            "Saws.\n\n## class kit.Cutter\n\n" + SAW.format("Cutter"),
        ),
        (
            "sphinx",
            ".. currentmodule:: kit\n\n.. autoclass:: Cutter\n",
            "## class kit.Cutter\n\n" + SAW.format("Cutter"),
        ),
    ],
)
def test_objects_of_python_are_filled_in_from_the_package_beside_the_pages(
    generator: str, text: str, expected: str
) -> None:
    reader = reader_named(f"{generator}-2")
    assert reader is not None
    files = HeldFiles(PACKAGE, Site(reader.name))
    assert (read_source(reader, text.encode(), "a.md", files).text, files.lacks) == (expected, [])


@pytest.mark.parametrize(
    ("generator", "text"), [("mkdocs", "# X\n\n::: no.such\n"), ("sphinx", ".. autoclass:: no.such\n")]
)
def test_a_page_that_only_names_what_cannot_be_found_is_no_page_and_says_so(generator: str, text: str) -> None:
    reader = reader_named(f"{generator}-2")
    assert reader is not None
    with pytest.raises(Unreadable, match=r"only names what is not in the project: no\.such"):
        read_source(reader, text.encode(), "a.md", HeldFiles(PACKAGE, Site(reader.name)))


def test_every_mark_is_of_one_generator() -> None:
    marks = [mark for generator in GENERATORS for mark in generator.marks]
    assert len(marks) == len(set(marks))
    assert {mark.partition("/")[0] for mark in marks} == MARKS


@pytest.mark.parametrize(
    ("reader", "names", "left"),
    [
        ("docusaurus-1", ["_part.mdx", "_parts", "_category_.yml", "page.md"], ["_part.mdx", "_parts"]),
        ("antora-1", ["nav.adoc", "pages", "partials"], ["nav.adoc", "partials"]),
        ("hugo-1", ["_index.md", "layouts", "de", "fr", "en"], ["de", "fr", "layouts"]),
    ],
)
def test_translations_navigation_and_parts_of_pages_are_left_out(
    reader: str, names: list[str], left: list[str]
) -> None:
    assert list(FoundSite(generator_of(reader), "").left_out("a", names)) == left


@pytest.mark.parametrize("generator", ["hugo", "liquid"])
def test_a_line_of_tags_takes_time_in_proportion_to_its_length(generator: str) -> None:
    took = []
    for count in (20_000, 80_000):
        start = process_time()
        read(generator, "# T\n\n" + "{{< x >}}" * count + " end\n")
        took.append(process_time() - start)
    assert took[1] < 10 * took[0]
