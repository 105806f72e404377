"""Which public symbols of a project matter most: by how many files refer to them, as far as that can be resolved.

Whole numbers alone, so that every machine ranks alike. A file that binds a name to a symbol (`Binding`) counts in full;
a word that is only spelled like one counts a tenth, shared by all symbols of that name. Tests count a quarter, and
what they define is not ranked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from holdfast.code.analysis.facts import FileFacts
from holdfast.code.analysis.references import References, hashes_in, pairs_in, word_hash
from holdfast.code.test_files import is_example
from holdfast.contexts.bindings import Binding
from holdfast.core.unicode_text import lower_case

_NAME = re.compile(r"(?a)[\w$\x80-\U0010ffff]++[?!=]?+")  # what `declare module "*.css"` names is none
_UNIT = 5040  # what a resolved reference counts; it divides evenly among many
_BARE_SHARE = 10
_TEST_SHARE = 4
# A name that more symbols have than this is nobody's by itself: `new`, `String`.
_COMMON = 40
# One file has at most so many symbols on a map, and a share of those before: twice its share of all symbols, but no
# less than an eighth and no more than a third.
_FEW, _LEAST_SHARE, _MOST_SHARE = 16, 8, 3


class MapFile(NamedTuple):
    """A file of a project, as it is ranked."""

    path: str
    facts: FileFacts
    uses: References
    is_test: bool = False
    binding: Binding = Binding()

    @property
    def is_shown(self) -> bool:
        """Whether a map may show it."""
        return not self.is_test and not self.facts.generated


class Symbol(NamedTuple):
    """A public name, the type it belongs to where it is a member, the file and line that define it, and its score."""

    score: int
    path: str
    name: str
    owner: str
    line: int = 0


class _Defined(NamedTuple):
    """A symbol while references to it are counted."""

    at: int  # the number of its file
    place: str
    name: int
    owner: int  # 0 without one


class _Table:
    """All symbols of a project, by their names."""

    def __init__(self, files: Sequence[MapFile]) -> None:
        self.symbols: list[Symbol] = []
        self.defined: list[_Defined] = []
        self.own: dict[int, set[int]] = {}  # the names that a file defines
        self.by_name: dict[int, list[int]] = {}
        self.free: dict[int, list[int]] = {}  # the same without members
        self.spelled: dict[int, int] = {}  # the votes for all symbols of a name
        self.spelled_free: dict[int, int] = {}  # the votes for those of them that are no members
        self.by_pair: dict[tuple[int, int], list[int]] = {}
        self.members: dict[tuple[int, str], list[int]] = {}  # by the owner and its place
        for at, file in enumerate(files):
            if not file.is_shown:
                continue
            place = file.path.rpartition("/")[0]
            for (name, owner), line in _defined(file.facts).items():
                number = len(self.symbols)
                one = _Defined(at, place, word_hash(name), word_hash(owner) if owner else 0)
                self.own.setdefault(at, set()).add(one.name)
                self.symbols.append(Symbol(0, file.path, name, owner, line))
                self.defined.append(one)
                self.by_name.setdefault(one.name, []).append(number)
                if not owner:
                    self.free.setdefault(one.name, []).append(number)
                else:
                    self.by_pair.setdefault((one.owner, one.name), []).append(number)
                    self.members.setdefault((one.owner, place), []).append(number)

    def leader(self, numbers: Sequence[int]) -> int:
        """Of symbols of one name the one that is probably meant: in a file of that name, else nearest the top."""
        return min(numbers, key=self._distance) if len(numbers) > 1 else numbers[0]

    def _distance(self, number: int) -> tuple[bool, int, str]:
        path, name = self.symbols[number].path, self.symbols[number].name
        stem = path.rpartition("/")[2].partition(".")[0].replace("_", "").replace("-", "")
        return lower_case(stem) != lower_case(name).replace("_", ""), path.count("/"), path

    def bound(self, file: MapFile) -> set[int]:
        """The symbols that names in a file are bound to."""
        found: set[int] = set()
        binding, defined = file.binding, self.defined
        reach: dict[int, frozenset[str] | None] = {**binding.named, **dict.fromkeys(binding.heads)}
        pairs = list(pairs_in(file.uses.joined))
        behind = {name for _, name in pairs}
        for pair in self.by_pair.keys() & pairs:
            found.update(self.by_pair[pair])
        for _ in range(4):  # `a::b::C`: one name more each time
            left = []
            for pair in pairs:
                if pair[0] not in reach:
                    left.append(pair)
                    continue
                places = reach[pair[0]]
                for number in self.free.get(pair[1], ()):
                    if places is None or _is_in(defined[number].place, places):
                        found.add(number)
                reach.setdefault(pair[1], places)
            if len(left) == len(pairs):
                break
            pairs = left
        for name in self.by_name.keys() & hashes_in(file.uses.names):
            places = binding.named.get(name)
            if not places and len(self.by_name[name]) > _COMMON:
                continue
            for number in self.free.get(name, ()):
                place = defined[number].place
                if place in binding.opened or (places and _is_in(place, places)):
                    found.add(number)
            for number in self.by_name[name] if binding.enclosing else ():
                if defined[number].owner in binding.enclosing and "A" <= self.symbols[number].name[0] <= "Z":
                    found.add(number)
        # A member behind a variable is that of a type which the file refers to.
        for owner in {(defined[number].name, defined[number].place) for number in found}:
            found.update([number for number in self.members.get(owner, ()) if defined[number].name in behind])
        return found

    def count(self, at: int, file: MapFile, scores: list[int]) -> set[int]:
        """Add the votes of a file; returns the symbols elsewhere that it refers to."""
        weight = _UNIT // _TEST_SHARE if file.is_test else _UNIT
        defined = self.defined
        bound = {number for number in self.bound(file) if defined[number].at != at}
        meant: dict[tuple[int, int], list[int]] = {}
        for number in bound:
            meant.setdefault((defined[number].owner, defined[number].name), []).append(number)
        for numbers in meant.values():
            leader = self.leader(numbers)
            for number in numbers:
                scores[number] += weight if number == leader else weight // (2 * len(numbers))
        behind = {name for _, name in pairs_in(file.uses.joined)}
        for name in (self.by_name.keys() & hashes_in(file.uses.names)) - self.own.get(at, set()):
            share = weight // _BARE_SHARE // len(self.by_name[name])
            if share and bound.isdisjoint(self.by_name[name]):
                votes = self.spelled if name in behind else self.spelled_free  # a member is spelled behind a joint
                votes[name] = votes.get(name, 0) + share
        return bound


def _is_in(place: str, places: Iterable[str]) -> bool:
    """Whether a place is one of some places, or lies below one."""
    return any(not one or place == one or place.startswith(one + "/") for one in places)


def ranked_symbols(files: Sequence[MapFile], focus: Collection[str] = ()) -> list[Symbol]:
    """Every public symbol of the files that a map may show, the most used first, then by path, owner and name.

    With `focus`, the paths of some files, what these define comes first, then what they refer to, then what files
    define that refer to them.
    """
    table = _Table(files)
    scores = [0] * len(table.symbols)
    in_focus = {at for at, file in enumerate(files) if file.path in focus}
    used, users = set[int](), set[int]()  # symbols that files in focus refer to; files that refer to those in focus
    for at, file in enumerate(files):
        bound = table.count(at, file, scores)
        if at in in_focus:
            used |= bound
        elif in_focus and any(table.defined[number].at in in_focus for number in bound):
            users.add(at)
    found = []
    for number, one in enumerate(table.symbols):
        at = table.defined[number].at
        # A member is found through its owner; what a module of Ruby holds is no member.
        is_member = one.owner and not (files[at].facts.language == "Ruby" and "A" <= one.name[0] <= "Z")
        name = table.defined[number].name
        score = scores[number] + table.spelled.get(name, 0) + (0 if one.owner else table.spelled_free.get(name, 0))
        score = score // 2 if is_member else score
        score = score // 4 if is_example(one.path) else score
        tier = 0 if at in in_focus else 1 if number in used else 2 if at in users else 3
        found.append((tier, -score, one.path, one.owner, one.name, one._replace(score=score)))
    return _shared([one[-1] for one in sorted(found, key=lambda one: one[:-1])])


def _shared(ranked: list[Symbol]) -> list[Symbol]:
    """The symbols in their order, those of a file put off that would take more than its share of what is before."""
    shown: list[Symbol] = []
    counts: dict[str, int] = {}
    waiting: dict[str, list[Symbol]] = {}
    own = Counter([one.path for one in ranked])
    for one in ranked:
        queue = waiting.setdefault(one.path, [])
        queue.append(one)
        share = min(max(len(ranked) // _LEAST_SHARE, 2 * own[one.path]), len(ranked) // _MOST_SHARE)
        while queue and counts.get(one.path, 0) < _FEW + share * len(shown) // len(ranked):
            counts[one.path] = counts.get(one.path, 0) + 1
            shown.append(queue.pop(0))
    left = {one for queue in waiting.values() for one in queue}
    return [*shown, *[one for one in ranked if one in left]] if left else shown


def _defined(facts: FileFacts) -> dict[tuple[str, str], int]:
    """The names that a file defines, each with its owner, and their lines; what it passes on is defined elsewhere."""
    found: dict[tuple[str, str], int] = {}
    for export in facts.exports:
        if not export.name or export.origin or export.name.startswith("_"):
            continue
        if not (export.name.isidentifier() or _NAME.fullmatch(export.name)):  # the first is ten times as fast
            continue
        found.setdefault((export.name, export.owner), export.line)
        for member in export.members:
            found.setdefault((member, export.name), export.line)
    return found


def bound_users(files: Sequence[MapFile], paths: Collection[str]) -> dict[tuple[str, str, str], list[str]]:
    """The paths of the files that names bind to symbols of some files, by the path, owner and name of each symbol."""
    table = _Table(files)
    found: dict[tuple[str, str, str], list[str]] = {}
    for at, file in enumerate(files):
        for number in table.bound(file):
            one = table.symbols[number]
            if one.path in paths and table.defined[number].at != at:
                found.setdefault((one.path, one.owner, one.name), []).append(file.path)
    return found
