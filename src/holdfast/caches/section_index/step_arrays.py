"""The lists of many terms at once, by arrays: what `term_lists` works out term by term, number for number. Pure.

Only imported where numpy is. Terms and sections, or terms and documents, are one number together (`number_arrays`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.caches.number_arrays import LOWER, NUMBER, begins, repeated, unpacked
from holdfast.caches.search.impacts import HIGHEST_STEP, MANY, curve
from holdfast.caches.search.word_terms import QUARTERS, WEAK_QUARTERS
from holdfast.caches.section_index.term_lists import BODY, HEADINGS, LINKS, PATH, TITLE, WEAK
from holdfast.core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.caches.number_arrays import Flags, Numbers

    # Of one field of a run: the places of terms in their batch, the packed numbers of each, and what is to be added to
    # these.
    Named = tuple[list[int], list[bytes], int]


class StepRows(NamedTuple):
    """Numbers and a step for each, of many terms one after another: those of term `t` are rows `ends[t - 1]` to
    `ends[t]`, ascending."""

    numbers: Numbers
    steps: Numbers
    ends: Numbers


class ListRows(NamedTuple):
    """The list of sections and the list of documents of each term, and how many sections hold it."""

    sections: StepRows
    documents: StepRows
    holding: Numbers


class StepArrays:
    """What turns counts into lists: lengths of all fields, packed, as `FieldLengths` has them."""

    def __init__(self, lengths: Sequence[bytes]) -> None:
        titles, paths, links, headings, bodies, firsts = [unpacked(each) for each in lengths]
        self.firsts = firsts
        held_by = np.diff(firsts)
        self.place_of = np.repeat(np.arange(len(held_by)), held_by)
        self._held_by = held_by
        self._bodies, self._headings = bodies, headings
        reached = np.concatenate(([0], np.cumsum(bodies)))
        self._texts = reached[firsts[1:]] - reached[firsts[:-1]]
        self._of_document = {TITLE: ("title", titles), PATH: ("path", paths), LINKS: ("links", links)}

    def lists(self, count: int, fields: Mapping[int, list[Named]]) -> ListRows:
        """The lists of so many terms, given the numbers of each in each field of the runs."""
        bodies = _Held(fields, BODY)
        numbers = bodies.keys & NUMBER
        in_bodies = _steps("body", bodies.quarters, self._bodies[numbers])
        # What each document says for its sections.
        places = bodies.keys - numbers + self.place_of[numbers]
        starts = begins(places)
        documents = places[starts]
        held = np.diff(starts, append=len(places))
        quarters = np.add.reduceat(bodies.quarters, starts) if len(starts) else starts
        own = documents & NUMBER
        evidence = 3 * _steps("document", quarters, self._texts[own]) // 10
        is_listed = (self._held_by[own] > 1) & (quarters >= MANY)
        apart, listed = np.where(is_listed, 0, evidence), np.where(is_listed, evidence, 0)

        sections, steps = bodies.keys, np.minimum(in_bodies + np.repeat(apart, held), HIGHEST_STEP)
        headings = _Held(fields, HEADINGS)
        named = self._named(fields)
        if len(headings.keys) or len(named.keys):
            at, is_there = _found(documents, named.keys)
            is_named = np.zeros(len(documents), bool)
            is_named[at[is_there]] = True
            touched = np.repeat(is_named, held)
            at, is_there = _found(sections, headings.keys)
            touched[at[is_there]] = True
            more = headings.keys[~is_there]  # no body holds the term there
            changed = np.concatenate((sections[touched], more))
            own_steps = np.concatenate((in_bodies[touched], np.zeros(len(more), np.int64)))
            their = changed - (changed & NUMBER) + self.place_of[changed & NUMBER]
            at, is_there = _found(headings.keys, changed)
            in_headings = _steps("headings", headings.quarters, self._headings[headings.keys & NUMBER])
            of_headings = _taken(in_headings, at, is_there)
            of_others = [_taken(each, *_found(named.keys, their)) for each in (named.title, named.path, named.links)]
            put_right = _section_steps(own_steps, of_headings, of_others, _taken(apart, *_found(documents, their)))
            steps[touched] = put_right[: len(put_right) - len(more)]
            sections, steps = _merged(sections, steps, more, put_right[len(put_right) - len(more) :])
        holding = np.bincount(sections >> LOWER, minlength=count)
        if len(named.keys):
            sections, steps, holding = self._with_firsts(sections, steps, holding, named)
        said = listed > 0
        listed_keys, listed_steps = self._with_named(documents[said], listed[said], named)
        return ListRows(_rows(sections, steps, count), _rows(listed_keys, listed_steps, count), holding)

    def _named(self, fields: Mapping[int, list[Named]]) -> _NamedDocuments:
        """The documents that titles, paths and links name with a term, and the steps of these."""
        found = {field: _Held(fields, field) for field in (TITLE, PATH, LINKS)}
        keys = np.unique(np.concatenate([each.keys for each in found.values()]))
        steps = []
        for field, each in found.items():
            name, lengths = self._of_document[field]
            own = np.zeros(len(keys), np.int64)
            own[np.searchsorted(keys, each.keys)] = _steps(name, each.quarters, lengths[each.keys & NUMBER])
            steps.append(own)
        return _NamedDocuments(keys, *steps)

    def _with_firsts(
        self, sections: Numbers, steps: Numbers, holding: Numbers, named: _NamedDocuments
    ) -> tuple[Numbers, Numbers, Numbers]:
        """A document that holds a term in its title or path matches in its first section at least; all sections hold
        it."""
        keys = named.keys[(named.title > 0) | (named.path > 0)]
        places = keys & NUMBER
        first, after = keys - places + self.firsts[places], keys - places + self.firsts[places + 1]
        start, end = np.searchsorted(sections, first), np.searchsorted(sections, after)
        holding = holding.copy()
        np.add.at(holding, keys >> LOWER, after - first - (end - start))
        _, is_there = _found(sections, first)
        more = first[~is_there]
        return *_merged(sections, steps, more, np.ones(len(more), np.int64)), holding

    def _with_named(self, documents: Numbers, steps: Numbers, named: _NamedDocuments) -> tuple[Numbers, Numbers]:
        if not len(named.keys):
            return documents, steps
        at, is_there = _found(documents, named.keys)
        all_steps = np.minimum(named.steps() + _taken(steps, at, is_there), HIGHEST_STEP)
        steps[at[is_there]] = all_steps[is_there]
        return _merged(documents, steps, named.keys[~is_there], all_steps[~is_there])


class _Held:
    """Terms and where a field holds them, ascending, each once, and how many quarters there are of each."""

    def __init__(self, fields: Mapping[int, list[Named]], field: int) -> None:
        parts = [
            (_keys(fields[each]), worth)
            for each, worth in ((field, QUARTERS), (field | WEAK, WEAK_QUARTERS))
            if each in fields
        ]
        keys: Numbers = np.concatenate([np.zeros(0, np.int64), *[keys for keys, _ in parts]])
        if len(parts) < 2:
            starts = begins(keys)
            self.quarters: Numbers = np.diff(starts, append=len(keys)) * sum([worth for _, worth in parts])
        else:
            order = np.argsort(keys, kind="stable")  # both are sorted: they are merged
            keys = keys[order]
            starts = begins(keys)
            (whole, worth), (_, other) = parts
            self.quarters = np.add.reduceat(np.where(order < len(whole), worth, other), starts)
        self.keys: Numbers = keys[starts]


def _keys(named: Sequence[Named]) -> Numbers:
    """Terms and numbers of a field, as one number each, ascending."""
    found = []
    for places, packed, base in named:
        keys, numbers = repeated(places, packed)
        keys += numbers
        keys += base
        found.append(keys)
    return found[0] if len(found) == 1 else np.sort(np.concatenate(found))


class _NamedDocuments(NamedTuple):
    keys: Numbers
    title: Numbers
    path: Numbers
    links: Numbers

    def steps(self) -> Numbers:
        """What these fields give all sections of a document."""
        return _named_steps([self.title, self.path, self.links])


def _found(keys: Numbers, wanted: Numbers) -> tuple[Numbers, Flags]:
    """Where each wanted number is among sorted ones, and whether it is there."""
    at = np.searchsorted(keys, wanted)
    if not len(keys):
        return at, np.zeros(len(wanted), bool)
    return at, keys[np.minimum(at, len(keys) - 1)] == wanted


def _taken(values: Numbers, at: Numbers, is_there: Flags) -> Numbers:
    """The values at places, 0 where nothing is there."""
    taken = np.zeros(len(at), np.int64)
    taken[is_there] = values[at[is_there]]
    return taken


def _merged(keys: Numbers, steps: Numbers, more: Numbers, their_steps: Numbers) -> tuple[Numbers, Numbers]:
    """Sorted keys with more of them, none of which is there yet."""
    if not len(more):
        return keys, steps
    together = np.concatenate((keys, more))
    order = np.argsort(together, kind="stable")
    return together[order], np.concatenate((steps, their_steps))[order]


def _rows(keys: Numbers, steps: Numbers, count: int) -> StepRows:
    ends = np.searchsorted(keys, np.arange(1, count + 1, dtype=np.int64) << LOWER)
    return StepRows(keys & NUMBER, steps, ends)


def _steps(field: str, quarters: Numbers, lengths: Numbers) -> Numbers:
    """`FieldSteps(field).of(quarters)[length]` of each."""
    top, often, fixed, by_length = curve(field)
    denominators = often * quarters + fixed + by_length * lengths
    steps: Numbers = np.maximum((2 * top * quarters + denominators) // (2 * denominators), 1)
    return steps


def _named_steps(fields: Sequence[Numbers]) -> Numbers:
    """`named_step` of each."""
    best: Numbers = np.maximum(np.maximum(fields[0], fields[1]), fields[2])
    return best + 4 * (fields[0] + fields[1] + fields[2] - best) // 10


def _section_steps(body: Numbers, headings: Numbers, named: Sequence[Numbers], evidence: Numbers) -> Numbers:
    """`section_step` of each, whose evidence is 0 where the document has it."""
    best = np.maximum(np.maximum(body, headings), np.maximum(np.maximum(named[0], named[1]), named[2]))
    full = best + 4 * (body + headings + named[0] + named[1] + named[2] - best) // 10
    steps: Numbers = np.minimum(np.maximum(full - _named_steps(named) + evidence, 1), HIGHEST_STEP)
    return steps
