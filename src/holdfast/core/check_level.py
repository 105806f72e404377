"""The severity of a finding: a `problem` needs doing, `advice` would improve something that works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    Level = Literal["ok", "advice", "problem"]

OK: Literal["ok"] = "ok"
ADVICE: Literal["advice"] = "advice"
PROBLEM: Literal["problem"] = "problem"
