"""What a query asks of a cache: the weight of each term, the words that no section contains, the strength of a score.

Pure; docs/formats/search.md has the rules in full.
"""

from __future__ import annotations

from holdfast.caches.search.impacts import LINKED, unit
from holdfast.caches.search.pasted_lines import is_number, is_paste, paste_texts
from holdfast.caches.search.stemmer import stem
from holdfast.caches.search.word_terms import is_stop_word, raw_words, word_terms
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import lower_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.caches.search.search_source import SectionCounts
    from holdfast.caches.search.word_terms import WordTerms

    # term -> its unit; 0 where no section holds the term.
    UnitOf = Callable[[str], int]

# Below this strength nothing here answers well. A word counts 0.8 of the next heavier one (decision 18).
WEAK, FADE = 50, 80
# About the step of a word that a section is about: what a word's weight is multiplied by in a good score.
GOOD_STEP = 128
_ONE = 1 << 16
# Words that frame a question and say little of what it is about.
FRAME_WORDS = frozenset(
    stem(word)
    for word in (
        "use used using work works working get gets getting make makes way ways need needs want wants like "
        "help example examples know possible different difference explain mean means best tell show give any "
        "some all about between also just up advice please try trying understand specify happen happens "
        "purpose recommended reason reasons good better thing much many find"
    ).split(" ")
)
# Factors are in sixteenths: of a word, of a frame word.
_FULL, _FRAME = 16, 6
# The parts of a known word weigh together at most this many tenths of it.
_STRONG_TENTHS, _WEAK_TENTHS = 10, 3
_MOST_REPAIRED = 3
# Hundredths of all words together that the links to a document weigh.
_LINKED = 5
# The beginning that an unknown word is known by has a half of its letters, and at least so many: in ASCII, in others.
_LEAST_ASCII, _LEAST_OTHERS = 4, 2
# So many unknown words are looked up by a beginning: each takes half as many look-ups as it has letters.
_MOST_BEGUN = 8
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
# A word of fewer letters is not reported as absent: a version, a unit, an abbreviation.
_NAME_LETTERS = 3


class AbsentWord(NamedTuple):
    """A word of a query that no section contains. `is_name`: written as a name, of several parts or with a sign."""

    word: str
    is_name: bool


class Question(NamedTuple):
    """A query as a cache understands it.

    `weights` has what each known term is worth, in the order of the query (of a paste, of its plain lines first): a
    section's score is the sum of weight times step. `expected` has the weight that each word would have if it were
    found, those that no section contains included. `read_as` has the words that no section contains and the ones they
    were read as, `absent` those that were not read as any other.
    """

    weights: dict[str, int]
    expected: list[int]
    read_as: list[tuple[str, str]]
    absent: list[AbsentWord]

    @property
    def terms(self) -> dict[str, int]:
        """What is looked up: the known terms and, where there is any, `LINKED`, each with its weight."""
        linked = {LINKED: max(sum(self.weights.values()) * _LINKED // 100, 1)} if self.weights else {}
        return {**self.weights, **linked}

    def strength(self, best: int) -> int:
        """The best score relative to what the words could contribute, in hundredths: the heaviest word counts in full,
        each next one less, so that long and short questions compare."""
        total, factor = 0, _ONE
        for weight in sorted(self.expected, reverse=True):
            total += weight * factor >> 16
            factor = factor * FADE // 100
        return 100 * best // (GOOD_STEP * total) if total else 0


def ask_source(query: str, counts: SectionCounts) -> Question:
    """What a query asks of a cache, or of several as one: terms weigh what its counts of sections say."""
    sections = counts.section_count

    def unit_of(term: str) -> int:
        holding = counts.holding(term)
        return unit(sections, holding) if holding else 0

    return ask(query, unit_of, sections, counts.may_hold)


def ask(
    query: str, unit_of: UnitOf, sections: int, may_hold: Callable[[Iterable[str]], Iterable[str]] = iter
) -> Question:
    """The terms and weights of a query to a cache of `sections` sections; `unit_of(term)` is 0 for an absent term.

    It is asked about every term of the query, and about what is one letter away from the first words that are unknown,
    as far as `may_hold` does not rule it out. Only the title of a paste has words that are expected, absent or read as
    others; it bounds what the rest weighs.
    """
    question = Question({}, [], [], [])
    attempts, beginnings = _MOST_REPAIRED, _MOST_BEGUN
    title = 0  # what the words of the first text weigh together
    for asked, share in _asked(query):
        weights: dict[str, int] = {}
        for word, terms, factor in asked:
            units = _units(terms, unit_of)
            if not title:
                read = None
                if attempts and not any(units.values()):
                    from holdfast.caches.search.spelling import can_be_repaired, nearest  # most words are known

                    if can_be_repaired(lower_case(word)):
                        attempts -= 1
                        read = nearest(lower_case(word), unit_of, may_hold)
                if read is None:
                    question.expected.extend(_expected(terms[0], units, factor, sections))
                    if _is_absent(word, terms, units):
                        question.absent.append(AbsentWord(word.rstrip("."), is_name=bool(terms[1] or terms[2])))
                    if beginnings and not any(units.values()):
                        beginnings -= 1
                        terms = _beginning(terms, unit_of, may_hold)
                        units, factor = _units(terms, unit_of), factor // 2
                else:
                    question.read_as.append((word, read))
                    question.expected.append(factor * unit(sections, 0) // _FULL)
                    terms = word_terms(read)
                    units = _units(terms, unit_of)
            _weigh(weights, terms, units, factor)
        total = sum(weights.values())
        most = min(total, title * share // 8) if title else total
        title = title or total
        for term, weight in weights.items():
            question.weights[term] = max(question.weights.get(term, 0), weight * most // total, 1)
    return question


def _asked(query: str) -> list[tuple[list[tuple[str, WordTerms, int]], int]]:
    """The words of a query, each once by its whole, with what they count as and their factors in sixteenths; of a paste
    by text, each with its share (`paste_texts`).

    Stop words only when there is nothing else; nor, in a paste, numbers.
    """
    paste = is_paste(query)
    kinds: list[list[tuple[list[tuple[str, WordTerms, int]], int]]] = [[], [], []]  # words, numbers, stop words
    known = set()
    for text, share in paste_texts(query) if paste else [(query, 0)]:
        for kind in kinds:
            kind.append(([], share))
        for word in raw_words(text):
            terms = word_terms(word)
            key = _key(terms)
            if key and key not in known:
                known.add(key)
                kind = kinds[2 if is_stop_word(word) else 1 if paste and is_number(word) else 0]
                kind[-1][0].append((word, terms, _FRAME if key[0] in FRAME_WORDS else _FULL))
    return next((kind for kind in kinds if any(words for words, _ in kind)), [])


def _key(terms: WordTerms) -> tuple[str, ...]:
    return terms[0] or terms[1] or terms[2]


def _units(terms: WordTerms, unit_of: UnitOf) -> dict[str, int]:
    return {term: unit_of(term) for group in terms for term in group}


def _weigh(weights: dict[str, int], terms: WordTerms, units: dict[str, int], factor: int) -> None:
    """Add what the known terms of a word are worth; one that is wanted twice has the larger weight.

    The strong parts together weigh no more than the whole, the weak ones three tenths of it; where the whole is
    unknown the parts stand for it.
    """
    wholes, *parts = terms
    whole = max([units[term] for term in wholes], default=0)
    found = [(term, units[term]) for term in wholes]
    for tenths, group in zip((_STRONG_TENTHS, _WEAK_TENTHS), parts, strict=True):
        total = sum([units[term] for term in group])
        most = min(total, tenths * whole // 10) if whole else total
        found += [(term, max(units[term] * most // total, 1)) for term in group if units[term]]
    for term, weight in found:
        if weight:
            weights[term] = max(weights.get(term, 0), weight * factor // _FULL, 1)


def _expected(wholes: Sequence[str], units: dict[str, int], factor: int, sections: int) -> list[int]:
    """What a word would weigh if it were found, its parts not being the word; of several wholes each for itself."""
    unknown = unit(sections, 0)
    if len(wholes) < 2:
        return [factor * max([units[term] or unknown for term in wholes], default=unknown) // _FULL]
    # A script without blanks, or words that signs separate. A gram that no section contains may lie across two words.
    weights = [units[term] or (unknown if term.isascii() else unknown // 4) for term in wholes]
    return [factor * weight // _FULL for weight in weights]


def _beginning(terms: WordTerms, unit_of: UnitOf, may_hold: Callable[[Iterable[str]], Iterable[str]]) -> WordTerms:
    """The longest beginning that some section contains, of an unknown word of one part."""
    if len(terms[0]) != 1 or terms[1] or terms[2]:
        return terms
    (term,) = terms[0]
    least = max(_LEAST_ASCII if term.isascii() else _LEAST_OTHERS, -(-len(term) // 2))
    beginnings = [term[:size] for size in range(len(term) - 1, least - 1, -1)]
    held = set(may_hold(beginnings))
    return (next((begun for begun in beginnings if begun in held and unit_of(begun)), term),), (), ()


def _is_absent(word: str, terms: WordTerms, units: dict[str, int]) -> bool:
    """Whether no section contains a word of ASCII letters as it is written, whatever contains its parts.

    Numbers, frame words, and words that hyphens join and capitals begin are not reported.
    """
    wholes, strong, _ = terms
    if (
        len(wholes) != 1
        or units[wholes[0]]
        or not word.isascii()
        or wholes[0] in FRAME_WORDS
        or sum(map(_LETTERS.__contains__, word)) < _NAME_LETTERS
    ):
        return False
    return not strong or word.startswith("--") or lower_case(word) == word
