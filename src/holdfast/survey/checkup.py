"""What a look at everything found, and what to run next. Pure."""

from __future__ import annotations

from holdfast.core.check_level import ADVICE, PROBLEM
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.core.check_level import Level
    from holdfast.survey.shapes import DoctorAnswer


class Check(NamedTuple):
    """What one check found: in which area, how bad it is, and the command that mends it, where one does."""

    area: str
    check: str
    level: Level
    detail: str
    run: str = ""


def checkup(root: str, checks: Sequence[Check]) -> DoctorAnswer:
    """The answer: healthy where nothing needs doing; what mends a problem is to be run before what is advised."""
    ordered = [each.run for level in (PROBLEM, ADVICE) for each in checks if each.level == level and each.run]
    return {
        "root": root,
        "healthy": all(each.level != PROBLEM for each in checks),
        "checks": [
            {"area": each.area, "check": each.check, "level": each.level, "detail": each.detail, "run": each.run}
            for each in checks
        ],
        "next": list(dict.fromkeys(ordered)),
    }
