"""Figures that anyone can print from a clone: what answers cost, and how often they contain the phrase that answers.

python -m scripts.own_figures [FOLDER]          the questions of .ci/questions.txt and the judged set of this repository
python -m scripts.own_figures --python FOLDER   the judged set of Python's library reference, over `html/library` of
                                                Debian's package python3-doc, and the figures of this repository
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.quality.phrases import measure

ASK = "import sys; from holdfast.cli import run; sys.exit(run())"


def context(folder: Path, *words: str) -> str:
    """What a command prints."""
    done = subprocess.run([sys.executable, "-c", ASK, *words], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"context {' '.join(words)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def figures(folder: Path) -> str:
    """The size of the answers to every question beside that of the documents behind them, in a sentence."""
    synced = json.loads(context(folder, "sync"))
    questions = (folder / ".ci" / "questions.txt").read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as receipts:
        for number, question in enumerate(questions):
            context(folder, "search", question, "--receipt", f"{receipts}/{number}.json")
        saved = json.loads(context(folder, "savings", "--receipts", receipts))
    searches = saved["searches"]
    return (
        f"{len(questions)} questions to {synced['caches'][0]['documents']} documents: "
        f"{searches['answer_tokens']:,} tokens of answers, {searches['document_tokens']:,} of the documents behind "
        f"them ({saved['percent_saved']} % less)"
    )


def main() -> None:
    """Print the sentence, then a table for each judged set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--python", type=Path, help="folder of Python's library reference")
    options = parser.parse_args()
    print(figures(options.folder))
    print(measure("holdfast", options.folder / "docs"))
    if options.python:
        print(measure("python", options.python))


if __name__ == "__main__":
    main()
