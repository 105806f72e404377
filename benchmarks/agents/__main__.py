"""What finding an answer costs: ripgrep, whole files, Holdfast and peers on the same tasks, without a model.

    python -m benchmarks.agents FOLDER [--half development|held-out|both] [--policy NAME]...
        [--kind KIND]... [--repository NAME]... [--peers FOLDER] [--each]

FOLDER has the repositories of tasks/repositories.json, each in a folder of its short name and at the commit there. A
policy works on a task until the lines that answer it were shown, and gives up at 12,000 tokens. `--peers` is a folder
of installed peers (peers.py says what it has to contain). docs/benchmarks/agents.md has the rest.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    from benchmarks.agents.program import main

    sys.exit(main(__doc__))
