"""Declarations of npm packages: what is exported, with its comments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.readers.dts_reader import exported_modules
from holdfast.caches.readers.source_reader import Unreadable
from support.pages import is_within, numbered, read

FILE = """import { A } from './a';
/**
 * Turns a {@link Widget}.
 *
 * @param speed - how fast
 * @returns the angle
 * @example
 * turn(3);
 */
export declare function turn(speed: number): number;
export declare function turn(speed: string): number;
export interface Widget {
  /** Its size. */
  size: number;
}
declare const inner: number, outer: string;
declare class Hidden {}
declare namespace tools {
  function saw(): void;
}
export { outer as handle, tools, Query as $t };
declare class Query {}
export default function main(): void;
"""


def test_exports_are_told_with_their_comments_and_lines() -> None:
    assert (
        numbered(read(FILE, "widgets/index.d.ts", "dts-1"))
        == """1|# widgets
1|
2|## function turn
2|
3|Turns a `Widget`.
4|
5|- `speed`: how fast
6|- Returns: the angle
6|
7|**Example:**
7|
8|```ts
8|turn(3);
8|```
9|
10|```ts
10|export declare function turn(speed: number): number;
10|```
10|
11|```ts
11|export declare function turn(speed: string): number;
11|```
11|
12|## interface Widget
12|
12|```ts
12|export interface Widget {
13|  /** Its size. */
14|  size: number;
15|}
15|```
15|
16|## const handle
16|
16|```ts
16|declare const inner: number, outer: string;
16|```
17|
19|## function tools.saw
19|
19|```ts
19|function saw(): void;
19|```
20|
22|## class Query
22|
22|```ts
22|declare class Query {}
22|```
22|
23|## function main
23|
23|```ts
23|export default function main(): void;
23|```
"""
    )


def test_without_a_list_of_exports_every_declaration_is_seen() -> None:
    page = read(
        "declare module 'x' {\n  type A = 1;\n}\ndeclare global { var b: 2; }\ninterface C {}\n", "x/a.d.mts", "dts-1"
    )

    assert [line for line in page.text.split("\n") if line.startswith("#")] == [
        "# x/a",
        "## type A",
        "## const b",
        "## interface C",
    ]


def test_the_files_that_a_file_exports_from() -> None:
    text = b"""/// <reference path="fs.d.ts" />
export * from './a.js';
export type { B, C as D } from "../b";
export * as e from './e'; export * from 'other';
import { F } from './f.js';
export { F };
"""
    assert exported_modules(text) == ["./a.js", "../b", "./e", "fs.d.ts", "./f.js"]
    assert exported_modules(b"import { F } from './f.js';\nexport {};") == []


@pytest.mark.parametrize("unit", ["{", "(", "<", "namespace a {", "/** x */", "export ", "/**\n* @example\n*/"])
def test_nesting_and_repetition_are_bounded(unit: str) -> None:
    source = (unit * 10_000).encode()

    assert is_within(read(source, "a/b.d.ts", "dts-1"), source)


def test_a_comment_that_is_not_closed_is_told() -> None:
    with pytest.raises(Unreadable, match="has a comment that is not closed"):
        read("/**\n* @example\n" * 10_000, "a/b.d.ts", "dts-1")

    assert read("// a/*\ntype A = 1;", "a/b.d.ts", "dts-1").text.startswith("# a/b\n\n## type A")


PIECES = st.lists(
    st.sampled_from(
        (
            *(
                "export ",
                "declare ",
                "function f()",
                "class A {",
                "}",
                ";\n",
                "/**",
                "*/",
                " * @param a b\n",
                "@example\n",
                "```",
            ),
            *(
                "namespace n {",
                "{ a as b }",
                " = ",
                "default ",
                "const x: 1",
                "\n",
                "module 'm' {",
                "type T = ",
                "from './x'",
            ),
        )
    ),
    max_size=40,
).map(lambda parts: "".join(parts).encode())


@given(st.one_of(st.binary(max_size=200), PIECES))
def test_whatever_is_given_there_is_a_page_or_a_reason(source: bytes) -> None:
    try:
        page = read(source, "a/b.d.ts", "dts-1")
    except Unreadable:
        return

    assert is_within(page, source)
