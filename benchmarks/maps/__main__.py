"""How much of what matters a map names: the most used public symbols of repositories, beside what `project_map` shows.

    python benchmarks/maps REPOSITORY... [--budget N] [--count N]

For each repository: of the `count` (50) most used public symbols, how many the map of `budget` (2,000) tokens names on
the line of a file that defines them; the tokens of the map by `estimate-1` and, where the extra is installed, by
o200k_base; the seconds a cold command takes and a repeated call in one process. Symbols are counted without any code
of the product (most_used.py), by references that imports and qualified paths spell out.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from benchmarks.maps.program import main

    sys.exit(main(__doc__))
