"""How much discipline a project asks for: what the workflow folder's `settings.json` says."""

from __future__ import annotations

from collections.abc import Collection

from holdfast.core.canonical_json import JsonError, decode, encode
from holdfast.core.errors import SpecFailure
from holdfast.specs.shapes import Discipline

FULL: Discipline = "full"
DISCIPLINES: tuple[Discipline, ...] = (FULL, "standard", "minimal")
_MEND = ("Correct settings.json in the workflow folder, or remove it for full discipline",)
_SHOWN = 80
_MOST_APPROVERS = 100


def discipline_of(settings: bytes | None) -> Discipline:
    """The discipline a settings file asks for; `full` when there is no file or it does not say.

    SpecFailure when it cannot be followed: the reason says what is wrong and names the value.
    """
    wanted = _values(settings).get("discipline", FULL)
    for discipline in DISCIPLINES:
        if wanted == discipline:
            return discipline
    raise _unfit("discipline", f"must be one of: {', '.join(DISCIPLINES)};", wanted)


def approvals_needed(settings: bytes | None) -> int:
    """How many people a settings file asks to approve each document before the next step; SpecFailure as above."""
    wanted = _values(settings).get("approvals", "off")
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 < wanted <= _MOST_APPROVERS:
        return wanted
    if wanted not in ("off", "required"):
        raise _unfit("approvals", "must be one of: off, required, a number of people;", wanted)
    return 1 if wanted == "required" else 0


def approvers(settings: bytes | None) -> dict[str, str]:
    """The people whose approvals count, each with the public key that they sign with; none where any counts."""
    wanted = _values(settings).get("approvers", {})
    if not isinstance(wanted, dict) or not all(isinstance(key, str) for key in wanted.values()):
        raise _unfit("approvers", "must name keys by person,", wanted)
    return {str(name): str(key) for name, key in wanted.items()}


def check_levels(settings: bytes | None, rules: Collection[str]) -> dict[str, str]:
    """The levels that a settings file has for rules of `spec check`; SpecFailure as above."""
    wanted = _values(settings).get("checks", {})
    if not isinstance(wanted, dict):
        raise _unfit("checks", "must be an object,", wanted)
    for rule, level in wanted.items():
        if rule not in rules:
            raise SpecFailure(f"checks in settings.json names no rule of `spec check`: {_shown(rule)}", _MEND)
        if level not in ("off", "warning", "error"):
            raise _unfit("checks", f": {rule} must be one of: off, warning, error;", level)
    return {str(rule): str(level) for rule, level in wanted.items()}


def _values(settings: bytes | None) -> dict[str, object]:
    if settings is None:
        return {}
    try:
        values = decode(settings.removeprefix(b"\xef\xbb\xbf"))
    except JsonError as error:
        raise SpecFailure(f"settings.json is not JSON: {error}", _MEND) from None
    if not isinstance(values, dict):
        raise SpecFailure(f"settings.json must hold an object, not {_shown(values)}", _MEND)
    return values


def _unfit(setting: str, rule: str, value: object) -> SpecFailure:
    place = f"{setting} in settings.json"
    return SpecFailure(f"{place}{'' if rule[0] == ':' else ' '}{rule} not {_shown(value)}", _MEND)


def _shown(value: object) -> str:
    try:
        text = encode(value)
    except RecursionError:  # reading goes deeper than writing
        return "a value nested too deep to show"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
