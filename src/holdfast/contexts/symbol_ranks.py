"""Which public symbols of a project matter most: by the files that use them, and by how much those files matter.

Whole numbers alone, so that every machine ranks alike. A file that uses a name votes for the files that define it, in
equal parts when they are several; the votes of a file weigh by its rank, which is what its own users give it
(PageRank). Tests vote with a quarter of the weight, and what they define is not ranked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from holdfast.contexts.analysis.used_words import hashes_in, word_hash

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holdfast.contexts.analysis.facts import FileFacts

_NAME = re.compile(r"(?a)[\w$\x80-\U0010ffff]++[?!=]?+")  # what `declare module "*.css"` names is none
_UNIT = 1 << 20  # the rank of an average file
_VOTE = 5040  # a vote, which divides evenly among many
_ROUNDS = 10
_TEST_SHARE = 4
# A name that more files define than this is nobody's: `new`, `String`.
_COMMON = 40
_EXAMPLES = frozenset(
    "examples example docs doc samples sample demo demos benchmarks benches playground playgrounds fuzz".split()
)
_FOCUS = 16  # how much more a file in focus is listened to


class MapFile(NamedTuple):
    """A file of a project, as it is ranked."""

    path: str
    facts: FileFacts
    uses: bytes
    is_test: bool = False

    @property
    def is_example(self) -> bool:
        """Whether it shows how the project is used, instead of being part of it."""
        return not _EXAMPLES.isdisjoint(self.path.split("/")[:-1])

    @property
    def is_shown(self) -> bool:
        """Whether a map may show it."""
        return not self.is_test and not self.facts.generated


class Symbol(NamedTuple):
    """A public name, the type it belongs to where it is a member, the file that defines it, and its score."""

    score: int
    path: str
    name: str
    owner: str


def ranked_symbols(files: Sequence[MapFile], focus: Collection[str] = ()) -> list[Symbol]:
    """Every public symbol of the files that a map may show, the most used first, then by path, owner and name.

    With `focus`, the paths of some files, what these define, use and are used by comes first.
    """
    defined = {at: _defined(file.facts) for at, file in enumerate(files) if file.is_shown}
    definers: dict[int, list[int]] = {}
    for at, names in defined.items():
        for hashed in {word_hash(name) for name, _ in names}:
            definers.setdefault(hashed, []).append(at)
    users: dict[int, list[int]] = {name: [] for name in definers}
    for at, file in enumerate(files):
        for used in hashes_in(file.uses):
            if used in users:
                users[used].append(at)
    in_focus = {at for at, file in enumerate(files) if file.path in focus}
    ranks = _file_ranks(files, definers, users, in_focus)
    leaders = {
        name: min(defining, key=lambda at: (files[at].is_example, -ranks[at], files[at].path))
        for name, defining in definers.items()
    }
    symbols = []
    for at, names in defined.items():
        for name, owner in names:
            hashed = word_hash(name)
            score = _score(at, hashed, definers, users, ranks, in_focus, leaders[hashed])
            if owner:  # found through its owner, and through none but its own file where that is not public itself
                score //= 2 if word_hash(owner) in definers else 8
            if not any("A" <= letter <= "Z" or letter == "_" for letter in name):
                score //= 2  # a single lower-case word is as often the name of a variable
            if files[at].is_example:
                score //= 4
            symbols.append(Symbol(score, files[at].path, name, owner))
    return sorted(symbols, key=lambda one: (-one.score, one.path, one.owner, one.name))


def _defined(facts: FileFacts) -> list[tuple[str, str]]:
    """The names that a file defines, each with its owner; what it only passes on is defined elsewhere."""
    found: dict[tuple[str, str], None] = {}
    for export in facts.exports:
        if not export.name or export.origin or export.name.startswith("_") or not _NAME.fullmatch(export.name):
            continue
        found[export.name, export.owner] = None
        for member in export.members:
            found[member, export.name] = None
    return list(found)


def _score(
    at: int,
    name: int,
    definers: dict[int, list[int]],
    users: dict[int, list[int]],
    ranks: list[int],
    in_focus: set[int],
    leader: int,
) -> int:
    others = set(definers[name])
    votes = sum([_UNIT + ranks[user] for user in users[name] if user not in others])
    # Of several files that define a name one is probably meant: the one that matters most.
    score = votes // min(len(others), 4) if at == leader else votes // (2 * len(others))
    if in_focus:
        near = sum([1 for user in users[name] if user in in_focus])
        score += near * _FOCUS * 2 * _UNIT + (_FOCUS * 4 * _UNIT if at in in_focus else 0)
    return score


def _file_ranks(
    files: Sequence[MapFile], definers: dict[int, list[int]], users: dict[int, list[int]], in_focus: set[int]
) -> list[int]:
    """The rank of each file by who uses it; `_UNIT` on average."""
    votes: list[dict[int, int]] = [{} for _ in files]  # by the file that votes
    for name, defining in definers.items():
        if len(defining) > _COMMON:
            continue
        share = _VOTE // len(defining)
        for user in users[name]:
            if user in defining:
                continue
            own = votes[user]
            for at in defining:
                own[at] = own.get(at, 0) + share
    cast = [(tuple(own.items()), sum(own.values())) for own in votes]
    base = [_base(at, file, in_focus) for at, file in enumerate(files)]
    ranks = base
    for _ in range(_ROUNDS):
        following = [one * 3 // 20 for one in base]
        for at, (given, total) in enumerate(cast):
            if total:
                weight = ranks[at] * 17 // 20
                for other, part in given:
                    following[other] += weight * part // total
        ranks = following
    return ranks


def _base(at: int, file: MapFile, in_focus: set[int]) -> int:
    base = _UNIT // _TEST_SHARE if file.is_test else _UNIT
    return base * _FOCUS if at in in_focus else base
