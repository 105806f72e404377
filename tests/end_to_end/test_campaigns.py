"""The campaigns of scripts/campaigns, in short; and each, with a promise broken on purpose, does notice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.rough

CAMPAIGNS = Path(__file__).parent.parent.parent / "scripts" / "campaigns"
# The commands that met most of what was ever found, each in a few cases.
CLONED = (
    *("sync", "sync --check", "sync --check (in step)", "sync --check --lock-only", "doctor (in step)"),
    *(
        "pull shared (in step)",
        "setup codex cursor claude-code --project --yes",
        "add more handbook",
        "spec merge login",
    ),
)
SHORT = {
    "clone": ["4", *[word for line in CLONED for word in ("--only", line)]],
    "interruptions": ["1"],
    "faults": ["83"],
    "readers": ["1"],
    "corrupt": ["40", "--documents", "12"],
    "patches": ["8"],
    "edits": ["60"],
    "matrix": ["2", "--documents", "60", "--without-long"],
    "budgets": ["40", "--sources", str(CAMPAIGNS.parent.parent / "docs")],
}
SABOTAGED = {
    "clone": ["0", "--only", "config min_tokens 200", "--way", "hard link"],
    "interruptions": ["24", "--only", "config max_depth 4", "--mode", "SIGKILL"],
    "faults": ["3", "--only", "replace a file"],
    "readers": ["1", "--only", "caches"],
    "corrupt": ["24", "--documents", "12", "--only", "accidents"],
    "patches": ["9"],
    "edits": ["20"],
    "budgets": ["3"],
}


def run(campaign: str, *options: str) -> tuple[int, str]:
    """Exit code, and everything it said."""
    command = [sys.executable, str(CAMPAIGNS / f"{campaign}.py"), *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    return done.returncode, done.stdout.decode()


@pytest.mark.parametrize("campaign", SHORT)
def test_a_short_campaign_finds_nothing(campaign: str) -> None:
    code, said = run(campaign, *SHORT[campaign])
    assert (code, said.splitlines()[-1].strip()) == (0, "0 findings"), said


@pytest.mark.parametrize("campaign", SABOTAGED)
def test_a_campaign_notices_a_broken_promise_and_says_how_to_see_it_again(campaign: str) -> None:
    code, said = run(campaign, *SABOTAGED[campaign], "--sabotage")
    assert (code, "FINDING " in said, "again: .venv/bin/python scripts/campaigns/" in said) == (1, True, True), said
    # One sabotage is of verify, the other of how tokens are counted: both are told.
    assert campaign != "corrupt" or (": verify says " in said and ": another answer: " in said), said
