"""How many examples Hypothesis tries: a few or all that a test names, always the same, or a multiple of new ones."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

QUICK = 25
# Set by `scripts/campaigns/examples`: the factor on the number of examples that a test names.
_TIMES = os.environ.get("HOLDFAST_TEST_EXAMPLES")

# No test is about time: on a machine that others use an example takes as long as it takes.
settings.register_profile(
    "quick", max_examples=QUICK, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "thorough", derandomize=_TIMES == "1", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def load_profile() -> None:
    """Load "thorough" where the variable is set, else "quick"."""
    settings.load_profile("thorough" if _TIMES else "quick")


def examples(count: int) -> int:
    """`count` or its multiple in the thorough profile; at most `QUICK` in the quick one."""
    return count * int(_TIMES) if _TIMES else min(count, QUICK)
