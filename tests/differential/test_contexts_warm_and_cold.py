"""A server that has seen a project before answers like one that has not, whatever happens to the project."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.catalog import find_tool
from holdfast.operation import answer
from holdfast.workspace import Workspace
from support.examples import examples

NAMES = ("a.py", "b.md", "skip.log", ".gitignore", ".contextignore", ".context.yaml", ".context.config.yaml")
PLACES = ("", "lib", "lib/deep", "web")
CONTENTS = (
    "x = 1\n",
    "x = 2\n",
    "*.log\n",
    "web/\n!a.py\n",
    "min_tokens: 0\n",
    "version: 1\nlast_updated: t\nfingerprint: {}\nscope: s\nsummary: S\nmaintenance: m\n",
)
STEP = st.tuples(st.sampled_from(PLACES), st.sampled_from(NAMES), st.one_of(st.none(), st.sampled_from(CONTENTS)))


def _list(workspace: Workspace) -> str:
    return answer(find_tool("list_contexts"), {}, workspace).text


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(STEP, min_size=1, max_size=12), st.booleans())
def test_a_warm_listing_is_a_cold_listing(steps: list[tuple[str, str, str | None]], aged: bool) -> None:
    root = Path(tempfile.mkdtemp())
    try:
        (root / ".context.config.yaml").write_text("min_tokens: 0\n")
        warm = Workspace(str(root), door="tool")
        for place, name, content in steps:
            path = root / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.unlink(missing_ok=True)
            else:
                known = json.loads(answer(find_tool("check_freshness"), {"scope": place or "."}, warm).text)
                computed = known.get("fingerprint", {}).get("computed", "00000000")
                path.write_text(content.replace("{}", json.dumps(computed)))
            if aged and path.exists():
                os.utime(path, ns=(1_600_000_000_000_000_000,) * 2)
            assert _list(warm) == _list(Workspace(str(root), door="tool"))
    finally:
        shutil.rmtree(root)
