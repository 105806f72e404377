"""The command: which sets are measured, and how the figures are printed."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.quality.evaluation import evaluate
from benchmarks.quality.judged_sets import foreign_questions, read_sets, standard_folders
from benchmarks.quality.summary import summarize
from benchmarks.quality.table import as_json, as_text
from holdfast.caches.search.impacts import RANKING
from holdfast.caches.tokenizers import BYTES, TOKENIZERS

SHARED = Path(__file__).resolve().parents[3] / "shared"


def main(description: str | None) -> int:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*", help="judged sets; all development sets unless told")
    parser.add_argument("--tokenizer", choices=TOKENIZERS, default=BYTES, help="how tokens are counted")
    parser.add_argument(
        "--work", type=Path, help="folder that keeps the caches for the next run; temporary unless given"
    )
    parser.add_argument("--alone", action="store_true", help="without peers")
    parser.add_argument("--json", action="store_true", help="the figures for programs")
    options = parser.parse_args()
    folders = options.folders or standard_folders(SHARED)
    lacking = [folder for folder in folders if not (folder.is_file() or (folder / "corpus.jsonl.gz").exists())]
    if lacking or not folders:
        print(f"no judged set in {lacking[0] if lacking else SHARED / 'eval'}", file=sys.stderr)
        return 1
    measured = []
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        sets = [judged for folder in folders for judged in read_sets(folder)]
        for judged in sets:
            print(f"{judged.name}: {len(judged.questions)} questions", file=sys.stderr, flush=True)
            other = foreign_questions(judged, sets)
            measured.append(evaluate(judged, options.tokenizer, work, peers=not options.alone, foreign=other))
    summaries = summarize(measured)
    if options.json:
        print(json.dumps(as_json(measured, summaries, RANKING, options.tokenizer), indent=2))
    else:
        print(as_text(measured, summaries, RANKING, options.tokenizer))
    return 0
