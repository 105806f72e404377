"""Whatever is edited, added and removed, a cache that was patched has the bytes of one that is built from nothing.

Each round makes some pages at random, most of the time a few and now and then hundreds, builds a cache of them, and
edits it some times over: words, lines and headings come and go, pages are added, emptied, removed and written again,
links begin and cease to lead to them. After every edit the cache is patched,
built from nothing too, and compared.
A round depends on its own seed alone, which is told with what it finds.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from random import Random
from typing import Any

from campaign import CREATED_AT, TOKENIZER, Campaign, arguments, command_line, scratch, snapshot

from holdfast.caches.build.build import build_documents
from holdfast.caches.build.build_order import BuildOrder
from holdfast.caches.build.source_item import SourceItem
from holdfast.caches.readers import reader_table
from holdfast.caches.segments import edit
from holdfast.caches.segments.edit import edit_segment
from support.plain_reader import READER

TOKENIZERS = (TOKENIZER, "estimate-1")
WORDS = (
    *("alpha", "beta", "useEffect", "os.path", "the", "gammas", "Σας", "日本語", "é", "alpha-beta", "titled", "rare"),
    *("[alpha beta](b.plain)", "[rare](c.plain)", "[the](page-3.plain)", "alpha alpha alpha", "ภาษาไทย", "x\x1cy"),
    *("w" * 70, "[beta](alpha.plain)", "useEffect beta", "(label)=", "[rare](#label)"),
)
LINES = ("", "", "## beta", "### alpha rare", "alpha beta. " * 210, "(label)=", "include part.txt", "---")
FEW = ("alpha", "Beta/useEffect", "beta/the", "b", "c", "日本語", "zz")
MOST_PAGES, ONE_IN = 400, 12  # pages of a large cache, and how often there is one
MOST_EDITS, MOST_ROUNDS = 3, 4
INCLUDED = "part.txt"


def words(random: Random, most: int) -> str:
    """Some words, of few kinds or of many."""
    many = random.random() < 0.3
    return " ".join(
        f"w{random.randrange(900)}" if many and random.random() < 0.7 else random.choice(WORDS)
        for _ in range(random.randrange(most))
    )


def page(random: Random) -> str:
    """A page."""
    lines = []
    for _ in range(random.randrange(9)):
        chosen = random.random()
        if chosen < 0.6:
            lines.append(words(random, 9))
        elif chosen < 0.8:
            lines.append(f"# {words(random, 4)}")
        else:
            lines.append(random.choice(LINES))
    return "\n".join(lines)


def edited(random: Random, pages: dict[str, str]) -> dict[str, str]:
    """The pages after some edits; at least one is there."""
    made = dict(pages)
    for _ in range(random.randrange(1, MOST_EDITS + 1)):
        name = random.choice([*made, *FEW, f"page-{random.randrange(MOST_PAGES)}"])
        kind = random.random()
        if kind < 0.15:
            made.pop(name, None)
        elif kind < 0.4 or name not in made:
            made[name] = page(random)
        elif kind < 0.6:
            made[name] += f" {words(random, 5)}"
        elif kind < 0.75:
            made[name] += f"\n\n## {words(random, 4)}\n\n{words(random, 60)}"
        else:
            made[name] = made[name].replace(random.choice(("alpha", "beta", "the", "\n")), words(random, 3), 1)
    return made or {"alpha": ""}


class Round:
    """The pages of a round, on disk, and the caches made of them."""

    edits = 0  # of segments, in all rounds

    def __init__(self, home: Path, random: Random) -> None:
        self.home, self.random = home, random
        self.tokenizer = random.choice(TOKENIZERS)
        names = list(random.sample(FEW, random.randrange(1, len(FEW))))
        if random.randrange(ONE_IN) == 0:
            names += [f"page-{number}" for number in range(random.randrange(100, MOST_PAGES))]
        self.pages = {name: page(random) for name in names}
        self.write()
        self.build("cache", None, set())

    def write(self) -> None:
        for name, text in {**{f"{name}.plain": text for name, text in self.pages.items()}, INCLUDED: "alpha"}.items():
            file = self.home / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())

    def build(self, cache: str, previous: str | None, unchanged: set[str]) -> bool:
        """Build a cache; whether a segment of it was made by an edit of an old one."""
        root, before = str(self.home), self.edits
        build_documents(
            [SourceItem(f"{name}.plain", f"{root}/{name}.plain", READER.name, root, root) for name in self.pages],
            self.home / cache,
            BuildOrder(CREATED_AT, force=True, workers=1, tokenizer=self.tokenizer),
            previous and str(self.home / previous),
            {f"{name}.plain" for name in unchanged},
        )
        return self.edits > before

    def edit(self, campaign: Campaign) -> str:
        """Edit the pages and patch the cache; the files that differ from those of a cache built from nothing."""
        before, self.pages = self.pages, edited(self.random, self.pages)
        self.write()
        unchanged = {name for name, text in self.pages.items() if before.get(name) == text}
        patched = self.build("cache", "cache", unchanged)
        self.build("expected", None, set())
        campaign.counts["edits patched" if patched else "edits too large to be patched"] += 1
        made, expected = snapshot(self.home / "cache"), snapshot(self.home / "expected")
        strays = [name for name in os.listdir(self.home) if "holdfast" in name]
        strays += [name for name in os.listdir(self.home) if "replaced" in name]
        differing = sorted(name for name in {*made, *expected} if made.get(name) != expected.get(name))
        return ", ".join([*differing, *strays])


def main() -> int:
    options = arguments(__doc__, "rounds", 500, "rounds of edits").parse_args()
    campaign = Campaign("patches", options.seed, command_line())
    if options.sabotage:
        setattr(edit, "_order_changes", lambda _: False)  # noqa: B010  # numbers stay as they were
    reader_table.READERS = (READER,)

    def counted(*asked: Any) -> bytes | None:
        made = edit_segment(*asked)
        Round.edits += made is not None
        return made

    setattr(edit, "edit_segment", counted)  # noqa: B010  # as every build calls it
    for number in range(options.rounds):
        seed = options.seed + number
        with scratch(in_memory=True) as home:
            made = Round(home, Random(seed))
            campaign.counts["rounds"] += 1
            for turn in range(1, made.random.randrange(1, MOST_ROUNDS + 1) + 1):
                differing = made.edit(campaign)
                if differing:
                    campaign.find(f"after edit {turn} of {len(made.pages)} pages: {differing}", f"1 --seed {seed}")
                    break
    return campaign.finish()


if __name__ == "__main__":
    sys.exit(main())
