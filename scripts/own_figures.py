"""What Holdfast saves in this repository: the questions of .ci/questions.txt, asked of its own documentation.

python -m scripts.own_figures [FOLDER]    print the figures of this repository, or of a clone of it
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

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


if __name__ == "__main__":
    print(figures(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent))
