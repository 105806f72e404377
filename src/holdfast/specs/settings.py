"""The workflow folder's `settings.json`: how much discipline the guides ask for."""

from __future__ import annotations

from holdfast.core.canonical_json import JsonError, decode, encode
from holdfast.specs.guides import DISCIPLINES

_SHOWN = 80


class SettingsError(ValueError):
    """The settings cannot be followed; the text says what is wrong and names the value."""


def discipline_of(settings: bytes | None) -> str:
    """The discipline a settings file asks for; `full` when there is no file or it does not say."""
    if settings is None:
        return DISCIPLINES[0]
    try:
        values = decode(settings.removeprefix(b"\xef\xbb\xbf"))
    except JsonError as error:
        raise SettingsError(f"settings.json is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise SettingsError(f"settings.json must hold an object, not {_shown(values)}")
    discipline = values.get("discipline", DISCIPLINES[0])
    if discipline not in DISCIPLINES:
        raise SettingsError(
            f"discipline in settings.json must be one of: full, standard, minimal; not {_shown(discipline)}"
        )
    return str(discipline)


def _shown(value: object) -> str:
    try:
        text = encode(value)
    except RecursionError:  # reading goes deeper than writing
        return "a value nested too deep to show"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
