"""The severity of a finding: a `problem` needs doing, `advice` would improve something that works."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Level = Literal["ok", "advice", "problem"]

OK: Literal["ok"] = "ok"
ADVICE: Literal["advice"] = "advice"
PROBLEM: Literal["problem"] = "problem"
