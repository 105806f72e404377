"""MDX: what is code of a page goes, what it says stays."""

from __future__ import annotations

import pytest

from holdfast.caches.line_map import source_line
from holdfast.caches.readers.markdown_reader import read_mdx
from holdfast.caches.readers.source_reader import Page
from support.sources import HeldFiles

SOURCE = """\
---
title: Tabs
---
import Tabs from '@theme/Tabs';
import {
  Card,
} from './card';

export const answer = {
  a: 1,

  b: 2,
};

# Tabs {/* anchor */}

Press <kbd>Ctrl</kbd>, or use `<Tabs>`{' '}
as here:

<Tabs
  values={[{label: 'x > y', value: 'x'}]}>
  <TabItem value="npm" label="With npm">

    Run this:

    ```bash
    npm install <package>
    ```

  </TabItem>
</Tabs>

{/* not
shown */}

<Card title="More" href="/x">About {props.name}.</Card>

a < b and <https://example.org>
"""

EXPECTED = """\
# Tabs

Press `Ctrl`, or use `<Tabs>`
as here:

**With npm**

Run this:

```bash
npm install <package>
```

- [More](/x) About name.

a < b and <https://example.org>
"""


def read(text: str) -> Page:
    return read_mdx(text.encode(), "docs/page.mdx", HeldFiles())


def test_statements_tags_and_comments_go_and_words_and_code_stay() -> None:
    page = read(SOURCE)
    assert page.title == "Tabs"
    assert page.text == EXPECTED


def test_every_line_stands_for_the_line_it_was_made_of() -> None:
    page, sources = read(SOURCE), SOURCE.split("\n")
    for number, line in enumerate(page.text.split("\n")[:-1], 1):
        for word in ("Press", "as here", "With npm", "Run this", "npm install", "More", "a < b"):
            if word in line:
                assert word in sources[source_line(page.lines, number) - 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export default x\ntext\n", "text\n"),
        ("export const a = {\n\nnever closed\n", "never closed\n"),
        ("important words\n", "important words\n"),
        ("<>\n\nwithin\n\n</>\n", "within\n"),
        ("<A b={() => <C>{'}'}</C>} />text\n", "text\n"),
        ("one <Br/> two\n", "one  two\n"),
        ("<Open\n", "<Open\n"),
        ("{open\n", "{open\n"),
        ("```js\nimport x from 'y'\n\n<A>\n```\n", "```js\nimport x from 'y'\n\n<A>\n```\n"),
        ("| a | `b<c>` |\n", "| a | `b<c>` |\n"),
    ],
)
def test_each_construct(text: str, expected: str) -> None:
    assert read(text).text == expected
