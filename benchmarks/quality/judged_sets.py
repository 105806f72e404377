"""Judged sets: pages, questions on them, and which pages and lines answer each.

A folder has `corpus.jsonl.gz` and `queries.jsonl`. Either a page is `{path, text}` and a question says itself what
answers it, `{id, text, rel: {path: grade}, sections?: [[[path, first, last], ...], ...]}`; or, where there is a
`qrels.tsv` (question, page, grade), a page is `{id, text, library}` and the questions name their library. Such a folder
is measured twice: with one cache a library, as a project would have, and with one cache of all, which is harder.

A set of our own is one file, `{path, text, questions}` a line, each question answered by its page alone. The folder
`OWN` has short pages and questions in scripts that are written without blanks.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# The sets whose mean is reported, and how much each counts; any other set stands beside it.
IN_THE_MEAN = {
    "ray": 1.0,
    "aws": 1.0,
    "code": 1.0,
    "cranfield": 1.0,
    "docs, a cache a library": 0.5,
    "docs, one cache of all": 0.5,
}

# The sets that decision 18 ends answers by, each counting the same.
DEVELOPMENT = frozenset(("ray", "aws", "code", "cranfield", "docs, one cache of all", "xquad-de", "xquad-zh"))

# How many questions of other sets a set is asked.
FOREIGN = 60

OWN = Path(__file__).parent / "own"


class Lines(NamedTuple):
    """Lines of a page, 1-based, both included."""

    page: str
    first: int
    last: int


class Question(NamedTuple):
    """What is asked, the grade of each page that answers, and groups of lines of which any one answers."""

    name: str
    text: str
    grades: dict[str, int]
    groups: list[list[Lines]]


class Shelf(NamedTuple):
    """The pages that become one cache, by path, and what is asked of it."""

    pages: dict[str, str]
    questions: list[Question]


class JudgedSet(NamedTuple):
    """One setting that is measured. Settings with equal `origin` ask the same questions."""

    name: str
    origin: str
    shelves: list[Shelf]

    @property
    def questions(self) -> list[Question]:
        """All questions, in the order that figures are kept in."""
        return [question for shelf in self.shelves for question in shelf.questions]


def standard_folders(shared: Path) -> list[Path]:
    """The folders of the development sets below `shared`: those of the mean first, in its order."""
    order = [name.partition(",")[0] for name in IN_THE_MEAN]
    found = [shared / "eval" / "docs", *sorted((shared / "eval" / "retrieval").glob("*"))]
    folders = [folder for folder in found if (folder / "queries.jsonl").exists()]
    return sorted(folders, key=lambda folder: order.index(folder.name) if folder.name in order else len(order))


def read_sets(folder: Path) -> list[JudgedSet]:
    """The settings of one folder, or of a file of our own; OSError where there is none."""
    if folder.is_file():
        return [_own_set(folder)]
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines]
    asked = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    name = folder.resolve().name
    if (folder / "qrels.tsv").exists():
        return _by_library(name, pages, asked, (folder / "qrels.tsv").read_text(encoding="utf-8"))
    questions = [
        Question(
            str(one["id"]),
            one["text"],
            {page.lower(): grade for page, grade in one["rel"].items()},
            [[Lines(page.lower(), first, last) for page, first, last in group] for group in one.get("sections", [])],
        )
        for one in asked
    ]
    return [JudgedSet(name, name, [Shelf({page["path"]: page["text"] for page in pages}, questions)])]


def foreign_questions(judged: JudgedSet, sets: Sequence[JudgedSet]) -> list[str]:
    """Questions of other sets, as many of each and always the same."""
    others = {other.origin: other for other in sets if other.origin != judged.origin}
    each = max(1, FOREIGN // max(1, len(others)))
    return [
        question.text
        for other in others.values()
        for question in other.questions[:: max(1, len(other.questions) // each)][:each]
    ]


def _own_set(file: Path) -> JudgedSet:
    pages = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    questions = [
        Question(f"{page['path']} {number}", text, {page["path"]: 1}, [])
        for page in pages
        for number, text in enumerate(page["questions"], 1)
    ]
    return JudgedSet(file.stem, file.stem, [Shelf({page["path"]: page["text"] for page in pages}, questions)])


def _by_library(name: str, pages: list[dict[str, str]], asked: list[dict[str, Any]], judgments: str) -> list[JudgedSet]:
    grades: dict[str, dict[str, int]] = {}
    for line in judgments.splitlines():
        question, page, grade = line.split("\t")
        grades.setdefault(question, {})[_path(page).lower()] = int(grade)
    shelves = []
    libraries = sorted({page["library"] for page in pages})
    for library in libraries:
        held = {_path(page["id"]): page["text"] for page in pages if page["library"] == library}
        questions = [
            Question(one["id"], one["text"], grades[one["id"]], []) for one in asked if one["library"] == library
        ]
        shelves.append(Shelf(held, questions))
    everything = {path: text for shelf in shelves for path, text in shelf.pages.items()}
    in_order = [question for shelf in shelves for question in shelf.questions]
    together = JudgedSet(f"{name}, one cache of all", name, [Shelf(everything, in_order)])
    return [JudgedSet(f"{name}, a cache a library", name, shelves), together]


def _path(page: str) -> str:
    """The path of a page that is named by its address."""
    return page.partition("://")[2].rstrip("/") + ".md"
