"""Record the answers of one checkout to many questions, and compare those of two: every byte that a caller sees.

    PYTHONPATH=CHECKOUT/src python benchmarks/answers.py record OUT.json TREE... --work FOLDER --seeded 3000
    python benchmarks/answers.py compare ONE.json OTHER.json

Each tree, and a seeded corpus, becomes a cache of one project by `context add`. Questions are put together from the
headings and words of the documents, by a seeded generator; each is asked of one cache or of all of them: `resolve`,
`search` (JSON), `read` and `cite` of what it found, the replay of its receipt, and `diff` of two states of a tree. The
lock and the v0 files are recorded by their hashes. Two checkouts must differ in nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
from hashlib import sha256
from pathlib import Path

QUESTIONS = 60  # of each cache
NOW = "2026-01-02T03:04:05Z"


def questions(tree: Path, count: int) -> list[str]:
    """Questions about a tree: headings, words of texts, a word misspelt."""
    source = random.Random(tree.name)
    texts = sorted(path for path in tree.rglob("*") if path.suffix in (".md", ".rst", ".mdx", ".txt"))
    found: list[str] = []
    while texts and len(found) < count:
        text = source.choice(texts).read_text(encoding="utf-8", errors="replace")
        lines = [line.strip("# ") for line in text.splitlines() if len(line) > 12]
        if not lines:
            texts = [path for path in texts if path.stat().st_size > 200]
            continue
        words = source.choice(lines).split()[: source.randrange(1, 7)]
        if source.random() < 0.15 and len(words[0]) > 5:
            words[0] = words[0][:2] + words[0][3:]
        found.append(" ".join(words))
    return found


class Session:
    """One project with a cache for each tree, asked through the operations that every door offers."""

    def __init__(self, work: Path) -> None:
        from holdfast.workspace import Workspace

        self.project = work / "project"
        self.project.mkdir(parents=True)
        os.chdir(self.project)
        environment = {"HOME": str(work), "XDG_CACHE_HOME": str(work / "user")}
        self.workspace = Workspace(
            str(self.project), environment=environment, clock=lambda: 1767323045.0, user_cache=str(work / "user")
        )
        self.answers: dict[str, str] = {}

    def ask(self, label: str, command: tuple[str, ...], **arguments: object) -> str:
        """Record what an operation answers; the text of it."""
        from holdfast.catalog import CATALOG
        from holdfast.operation import answer

        operation = next(each for each in CATALOG if each.command == command)
        reply = answer(operation, arguments, self.workspace)
        if command == ("add",) and reply.exit_code:
            raise SystemExit(reply.text)
        self.answers[label] = f"{reply.exit_code}\n{reply.text}"
        return reply.text


def record(out: Path, work: Path, trees: list[Path], seeded: int) -> int:
    """Build a cache of every tree and ask all questions."""
    shutil.rmtree(work, ignore_errors=True)
    session = Session(work)
    if seeded:
        from benchmarks.corpus import write_corpus

        write_corpus(seeded, work / "seeded")
        trees = [*trees, work / "seeded"]
    for tree in trees:
        shutil.copytree(tree, session.project / tree.name, symlinks=True)
        session.ask(f"{tree.name} add", ("add",), name=tree.name, paths=[tree.name], quiet=True)
    session.answers["lock"] = (session.project / "context.lock").read_text(encoding="utf-8")
    caches = session.project / ".context" / "caches"
    for tree in trees:
        files = sorted(
            path for path in (caches / tree.name).rglob("*") if path.is_file() and path.parent.name != "index"
        )
        listed = "\n".join(f"{path.relative_to(caches)} {sha256(path.read_bytes()).hexdigest()}" for path in files)
        session.answers[f"{tree.name} v0 files"] = sha256(listed.encode()).hexdigest()
        for number, question in enumerate(questions(tree, QUESTIONS)):
            ask_one(session, f"{tree.name} {number}", question, tree.name, number)
    names = [f".context/caches/{tree.name}" for tree in trees[:2]]
    if len(names) == 2:
        session.ask("diff", ("diff",), before=names[0], after=names[1])
    out.write_text(json.dumps(session.answers, indent=0, sort_keys=True), encoding="utf-8")
    print(f"{len(session.answers):,} answers of {len(trees)} caches")
    return 0


def ask_one(session: Session, name: str, question: str, cache: str, number: int) -> None:
    """One question by every operation that can answer it."""
    budget = (600, 1500, 4000)[number % 3]
    path = f".context/caches/{cache}"
    asked = {"query": question, "budget": budget, "explain": number % 4 == 0, "format": "json"}
    session.ask(f"{name} resolve {question}", ("resolve",), cache=path, query=question, budget=budget)
    receipt = session.project / "receipt.json"
    text = session.ask(f"{name} search {question}", ("search",), **asked, cache=path, receipt="receipt.json")
    session.ask(f"{name} text {question}", ("search",), query=question, budget=budget, cache=path, format="text")
    session.ask(f"{name} all {question}", ("search",), **asked)
    if receipt.exists():
        session.answers[f"{name} receipt {question}"] = receipt.read_text(encoding="utf-8")
        session.ask(f"{name} replay {question}", ("replay",), receipt="receipt.json", cache=path)
        receipt.unlink()
    citations = [entry["citation"] for entry in json.loads(text).get("sections", [])[:2]] if text[:1] == "{" else []
    for citation in citations:
        session.ask(f"{name} read {citation}", ("read",), citation=citation, cache=path, budget=budget)
    answer = session.project / "answer.md"
    answer.write_text("\n".join(citations), encoding="utf-8")
    session.ask(f"{name} cite {question}", ("verify",), citations="answer.md", cache=path)
    ask_in_other_ways(session, name, question, number)


def ask_in_other_ways(session: Session, name: str, question: str, number: int) -> None:
    """What the options of a search change, and its pointers read together."""
    asked = {"query": question, "budget": (300, 900, 2000)[number % 3]}
    usual = session.ask(f"{name} usual {question}", ("search",), query=question, format="json")
    session.ask(f"{name} usual text {question}", ("search",), query=question)
    for way in ({"format": "outline"}, {"explain": True}, {"limit": 2}, {"under": "*a*/"}, {"considered": 40}):
        session.ask(f"{name} {way} {question}", ("search",), **{"format": "text", **asked, **way})
    session.ask(f"{name} page {question}", ("search",), **asked, html="page.html")
    session.answers[f"{name} html {question}"] = (session.project / "page.html").read_text(encoding="utf-8")
    found = json.loads(usual)
    held = [entry["citation"] for entry in found.get("sections", ())]
    session.ask(f"{name} known {question}", ("search",), query=question, known=held, format="text")
    places = [f"{each['id']}#L{each['line']}" for each in found.get("more", ())]
    if places:
        session.ask(f"{name} places {question}", ("read",), places=places)


def compare(one: Path, other: Path) -> int:
    """Print how many answers differ, and the first of them."""
    left, right = (json.loads(path.read_text(encoding="utf-8")) for path in (one, other))
    differing = [name for name in sorted(left.keys() | right.keys()) if left.get(name) != right.get(name)]
    print(f"{len(left):,} and {len(right):,} answers, {len(differing)} differ")
    for name in differing[:5]:
        print(f"--- {name}\n{str(left.get(name))[:2000]}\n+++\n{str(right.get(name))[:2000]}")
    return 1 if differing else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recorder = commands.add_parser("record")
    recorder.add_argument("out", type=Path)
    recorder.add_argument("trees", type=Path, nargs="*")
    recorder.add_argument("--work", type=Path, required=True)
    recorder.add_argument("--seeded", type=int, default=0)
    comparer = commands.add_parser("compare")
    comparer.add_argument("one", type=Path)
    comparer.add_argument("other", type=Path)
    options = parser.parse_args()
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if options.command == "compare":
        return compare(options.one, options.other)
    trees = [tree.absolute() for tree in options.trees]
    return record(options.out.absolute(), options.work.absolute(), trees, options.seeded)


if __name__ == "__main__":
    sys.exit(main())
