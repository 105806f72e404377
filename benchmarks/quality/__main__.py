"""How good the answers are: `search` beside SQLite FTS5 and bm25s on judged questions over real documentation.

    python benchmarks/quality [FOLDER...] [--tokenizer NAME] [--work FOLDER] [--alone] [--json]

A FOLDER holds one judged set, or is a file of one (judged_sets.py says in which form); without any, all development
sets in `shared/eval` beside the checkout are measured. Pages are built into caches in a temporary folder, or in WORK,
which keeps them for the next run of the same code. Peers rank the same sections; their answers are packed by the
product and, besides, taken out of the box (peers.py). bm25s is in the dependency group `benchmarks`; without it, a line
says so.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from benchmarks.quality.program import main

    sys.exit(main(__doc__))
