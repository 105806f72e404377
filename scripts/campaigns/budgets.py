"""No answer costs a model more than its budget: random queries on documentation, every answer counted afterwards.

The documentation is built into a cache counted by `estimate-1` and one counted by o200k_base, and each query is asked
of both through the operation itself, with budgets from too small to 8,000, mostly 2,000. The text of each answer, as a
model gets it, is then counted as a whole by o200k_base. In a cache counted by o200k it may never exceed the budget; in
any cache the answer's own count may not, nor differ from what the answer says (by o200k_base: be more). What is content
is told by the citations: so many lines, whose hash must be the citation's. Figures are printed by tokenizer.

A folder is Markdown, or a judged set (benchmarks/quality/judged_sets.py), whose pages are written out first.
"""

from __future__ import annotations

import re
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from campaign import CREATED_AT, ROOT, Campaign, arguments, command_line, scratch
from random_queries import RandomQueries

from holdfast.caches.build.build import build_cache
from holdfast.caches.build.build_order import BuildOrder
from holdfast.caches.tokenizers import ESTIMATE, O200K, counter, is_installed
from holdfast.catalog import CATALOG
from holdfast.operation import answer
from holdfast.workspace import Workspace

USUAL = 2000
LARGEST = 8000
# Below this a budget may be refused as too small: a header with a long name, and one section's line.
ALWAYS_ENOUGH = 400
USED = re.compile(r"([\d,]+) of ([\d,]+) tokens")
ENTRY = re.compile(r"\[\d+\] (.+)#L(\d+)(?:C\d+)?-L(\d+)(?:C\d+)?@([0-9a-f]{12})(?: · .*)?")
# Lines that an entry may have between its first line and its contents: reasons, equal sections, a table's header.
MARKED = 12


class Asked(NamedTuple):
    """One call of `context.search`."""

    query: str
    budget: int
    more: dict[str, Any]

    @property
    def plain(self) -> bool:
        """Whether it is asked as most are, so that what it gives should be mostly content."""
        return self.budget == USUAL and not self.more


class Paid(NamedTuple):
    """What one answer cost: tokens of all of it and of its contents, both by o200k_base, and what it says itself."""

    asked: Asked
    true: int
    content: int
    told: int
    sections: int

    @property
    def share(self) -> float:
        return self.content / self.true


def contents(text: str) -> tuple[list[str], list[str]]:
    """The contents that an answer gives, proven by the hashes of their citations, and the citations without any."""
    lines = text.split("\n")
    given, missing = [], []
    at = 0
    while at < len(lines):
        found = ENTRY.fullmatch(lines[at])
        at += 1
        if found is None:
            continue
        count = int(found[3]) - int(found[2]) + 1
        for first in range(at, min(at + MARKED, len(lines))):
            content = "\n".join(lines[first : first + count]).removesuffix("\r")
            if sha256(content.encode()).hexdigest()[:12] == found[4]:
                given.append(content)
                at = first + count
                break
        else:
            missing.append(lines[at - 1])
    return given, missing


class Purse:
    """One cache, and what its answers cost."""

    def __init__(self, campaign: Campaign, cache: Path, tokenizer: str, *, sabotage: bool) -> None:
        self.campaign = campaign
        self.tokenizer = tokenizer
        self.cache = cache
        self.paid: list[Paid] = []
        self._workspace = Workspace(str(cache.parent), cache_root=str(cache.parent), door="tool")
        self._operation = next(operation for operation in CATALOG if operation.tool == "context.search")
        self._own, self._true = counter(tokenizer), counter(O200K)
        self._sabotage = sabotage

    def ask(self, asked: Asked) -> None:
        """Ask and count."""
        call = {"cache": self.cache.name, "query": asked.query, "budget": asked.budget, **asked.more}
        reply = answer(self._operation, call, self._workspace)
        where = f"{self.tokenizer}: {call!r}"
        if reply.is_error:
            self.campaign.counts[f"{self.tokenizer}: refused, {reply.error and reply.error.message}"] += 1
            if asked.budget >= ALWAYS_ENOUGH:
                self.campaign.find(f"{where}: {reply.text}")
            return
        text = reply.text * 2 if self._sabotage else reply.text
        self.campaign.counts[f"{self.tokenizer}: answers"] += 1
        true, own = self._true(text), self._own(text)
        if (said := USED.search(text)) is None:
            self.campaign.find(f"{where}: does not say what it costs: {text[:200]!r}")
            return
        told, budget = (int(number.replace(",", "")) for number in said.groups())
        given, missing = contents(text)
        if budget != asked.budget or not own <= told <= budget:
            self.campaign.find(f"{where}: {own} tokens, and says {told} of {budget}")
        if self.tokenizer != O200K and own != told:
            self.campaign.find(f"{where}: {own} tokens, and says {told}")
        if missing and asked.more.get("format") != "outline":
            self.campaign.find(f"{where}: not the lines that are cited: {missing[0]!r}")
        self.paid.append(Paid(asked, true, sum(map(self._true, given)), told, len(given)))

    def figures(self) -> list[str]:
        """What is worth knowing of all answers."""
        over = [one for one in self.paid if one.true > one.asked.budget]
        excess = max([one.true - one.asked.budget for one in over], default=0)
        part = max([one.true / one.asked.budget - 1 for one in over], default=0)
        lines = [
            f"{len(over)} of {len(self.paid)} answers ({len(over) / len(self.paid):.2%}) over the budget by {O200K}"
        ]
        lines[0] += f", at most by {excess} tokens, {part:.1%}"
        told = sorted([one.told / one.true for one in self.paid])
        lines.append(f"told / true: {_spread(told)}")
        usual = [one for one in self.paid if one.asked.plain and one.sections]
        full = [one for one in usual if one.told * 2 >= USUAL]
        for name, among in ((f"all at {USUAL:,}", usual), ("of those, half of the budget used and more", full)):
            if among:
                share = sum([one.content for one in among]) / sum([one.true for one in among])
                spread = _spread([one.share for one in among])
                lines.append(f"content, {name} ({len(among)}): {share:.3f} of all tokens; {spread}")
        return [f"{self.tokenizer}: {line}" for line in lines]


def _spread(values: list[float]) -> str:
    ordered = sorted(values)
    mean, last = sum(ordered) / len(ordered), len(ordered) - 1
    places = {name: ordered[last * percent // 100] for name, percent in (("5 %", 5), ("median", 50), ("95 %", 95))}
    return f"mean {mean:.3f}, " + ", ".join([f"{name} {value:.3f}" for name, value in places.items()])


def next_asked(campaign: Campaign, queries: RandomQueries) -> Asked:
    random = campaign.random
    budget = USUAL if random.random() < 0.6 else round(60 * (LARGEST / 60) ** random.random())
    more: dict[str, Any] = {}
    if random.random() < 0.3:
        more = random.choice(({"format": "outline"}, {"explain": True}, {"limit": random.randrange(1, 6)}))
    return Asked(queries.query(), budget, more)


def sources_of(folder: Path, scratch: Path) -> Path:
    """The folder itself, or the pages of a judged set as files."""
    if not (folder / "corpus.jsonl.gz").exists():
        return folder
    from benchmarks.quality.evaluation import write_pages
    from benchmarks.quality.judged_sets import read_sets

    for shelf in read_sets(folder)[-1].shelves:
        write_pages(shelf.pages, scratch / "sources")
    return scratch / "sources"


def run(campaign: Campaign, count: int, folder: Path, *, sabotage: bool) -> list[str]:
    with scratch(in_memory=True) as place:
        sources = sources_of(folder, place)
        texts = [file.read_bytes().decode(errors="replace") for file in sorted(sources.rglob("*.md"))]
        queries = RandomQueries(campaign.random, texts)
        purses = []
        for tokenizer in (ESTIMATE, O200K):
            cache = place / re.sub(r"\W", "-", tokenizer) / "docs"  # a name as projects have it: it is in every answer
            build_cache(sources, cache, BuildOrder(CREATED_AT, tokenizer=tokenizer))
            purses.append(Purse(campaign, cache, tokenizer, sabotage=sabotage))
        for _ in range(count):
            asked = next_asked(campaign, queries)
            for purse in purses:
                purse.ask(asked)
        return [line for purse in purses if purse.paid for line in purse.figures()]


def main() -> int:
    parser = arguments(__doc__, "count", 2000, "queries")
    parser.add_argument("--sources", type=Path, default=ROOT / "docs", help="folder of documentation (default docs)")
    given = parser.parse_args()
    if not is_installed(O200K):
        print("needs the extra holdfast-context[tokens], which counts by o200k_base", file=sys.stderr)
        return 2
    campaign = Campaign(
        f"budgets, {given.sources.name}", given.seed, command_line(given.count, "--sources", given.sources)
    )
    figures = run(campaign, given.count, given.sources, sabotage=given.sabotage)
    print(*figures, sep="\n")
    return campaign.finish()


if __name__ == "__main__":
    sys.exit(main())
