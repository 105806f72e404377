"""Histories of one context: what people and the machine do to it on branches, as texts."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from holdfast.contexts.context_text import edited, machine_fields, new_text
from holdfast.core.yaml_text import parse

BEGINNING = new_text(
    {
        "version": 1,
        "scope": "lib",
        "fingerprint": "00000000",
        "last_updated": "2026-01-01T00:00:00Z",
        "summary": "Lib: 2 Python files.",
        "decisions": [{"what": "No threads", "why": "Simple"}],
        "constraints": ["Never blocks"],
        "dependencies": {"internal": ["core"]},
        "maintenance": "Renew it.",
        "exports": ["a()", "b()"],
        "derived_fields": [
            *("version", "scope", "fingerprint", "last_updated", "summary", "dependencies.internal", "maintenance"),
            "exports",
        ],
    }
)


class Branch(NamedTuple):
    """A text, the words people wrote in it, the words they took out, and their own text of each field."""

    text: str
    words: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    texts: tuple[tuple[str, str], ...] = ()


def grown(branch: Branch, chance: Random, name: str) -> Branch:
    """A branch after some commits; `name` makes its words its own."""
    for number in range(chance.randint(1, 4)):
        word = f"{name}{number}"
        act = chance.choice([_decide, _constrain, _comment, _rename, _take_out, _extend, _regenerate, _regenerate])
        branch = _regenerate(act(branch, chance, word), chance, word)
    return branch


def _regenerate(branch: Branch, chance: Random, word: str) -> Branch:
    """What `context regen` does: the machine's fields anew, the time only if one of them says something else."""
    context = parse(branch.text.encode())
    machine = machine_fields(context, branch.text)
    changes: dict[str, object] = {"fingerprint": f"{chance.randrange(1 << 32):08x}"}
    if chance.random() < 0.6:
        changes["exports"] = sorted({*context.get("exports", ()), f"{word}()"})
        if "summary" in machine:
            changes["summary"] = f"Lib: {chance.randint(1, 99)} Python files."
        changes["last_updated"] = f"2026-01-{chance.randint(2, 28):02d}T00:00:00Z"
        changes["derived_fields"] = [
            name for name in context["derived_fields"] if name != "summary" or "summary" in machine
        ]
    return branch._replace(text=edited(branch.text, changes))


def _inserted(branch: Branch, key: str, lines: str, word: str, chance: Random) -> Branch:
    """Lines put at the beginning or the end of a list, as a person would."""
    rows = branch.text.splitlines(keepends=True)
    if f"{key}:\n" not in rows:
        rows.insert(5, f"{key}:\n")
    at = rows.index(f"{key}:\n") + 1
    if chance.random() < 0.5:
        while rows[at].startswith((" ", "-")):
            at += 1
    return branch._replace(text="".join([*rows[:at], lines, *rows[at:]]), words=branch.words | {word})


def _decide(branch: Branch, chance: Random, word: str) -> Branch:
    return _inserted(branch, "decisions", f"  - what: {word}\n    why: because of {word}\n", word, chance)


def _constrain(branch: Branch, chance: Random, word: str) -> Branch:
    return _inserted(branch, "constraints", f"  - 'must {word}'  # agreed\n", word, chance)


def _extend(branch: Branch, chance: Random, word: str) -> Branch:
    return _inserted(branch, "todos", f"  - do {word}\n", word, chance)


def _comment(branch: Branch, chance: Random, word: str) -> Branch:
    rows = branch.text.splitlines(keepends=True)
    fields = [at for at, row in enumerate(rows) if row[0] not in " -#"]
    at = chance.choice(fields)
    return branch._replace(text="".join([*rows[:at], f"# note {word}\n", *rows[at:]]), words=branch.words | {word})


def _rename(branch: Branch, _chance: Random, word: str) -> Branch:
    rows = [f"summary: About {word}.\n" if row.startswith("summary:") else row for row in branch.text.splitlines(True)]
    known = dict(branch.texts)
    earlier = {known["summary"]} if "summary" in known else set()
    return Branch("".join(rows), branch.words - earlier | {word}, branch.removed, (("summary", word),))


def _take_out(branch: Branch, _chance: Random, _word: str) -> Branch:
    text = branch.text.replace('  - "Never blocks"\n', "")
    if text == branch.text or "constraints:\n  -" not in text:
        return branch
    return branch._replace(text=text, removed=branch.removed | {"Never blocks"})
