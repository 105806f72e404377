"""How many examples Hypothesis tries, where a test is worth more of them than every run can take."""

from __future__ import annotations

import os


def examples(count: int) -> int:
    """So many with the other tests, and so many times more by `scripts/campaigns/examples TIMES`."""
    return count * int(os.environ.get("HOLDFAST_TEST_EXAMPLES", "1"))
