"""What Holdfast does for this repository itself: the questions of .ci/questions.txt, asked of its own documentation.

python -m scripts.own_figures            write the figures into README.md
python -m scripts.own_figures --check    say whether those there are current
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.reference import marked

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
ASK = "import sys; from holdfast.cli import run; sys.exit(run())"


def context(*words: str) -> str:
    """What a command prints."""
    done = subprocess.run([sys.executable, "-c", ASK, *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"context {' '.join(words)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def figures() -> str:
    """The sentences of the README, from the answers to every question."""
    context("sync")
    questions = (ROOT / ".ci" / "questions.txt").read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as receipts:
        for number, question in enumerate(questions):
            context("search", question, "--receipt", f"{receipts}/{number}.json")
        saved = json.loads(context("savings", "--receipts", receipts))
    searches = saved["searches"]
    documents = json.loads((ROOT / "context.lock").read_text(encoding="utf-8"))["caches"]["holdfast"]["documents"]
    contexts = len(list((ROOT / "src").rglob(".context.yaml")))
    asked = "[`.ci/questions.txt`](.ci/questions.txt)"
    return (
        f"This repository uses it on itself: {documents} documents in [`context.toml`](context.toml), "
        f"{contexts} folders of\n`src` with what their authors want known. The {len(questions)} questions of {asked}\n"
        f"are answered in {searches['answer_tokens']:,} tokens; the documents behind them have "
        f"{searches['document_tokens']:,} ({saved['percent_saved']} % less; `python -m scripts.own_figures`)."
    )


if __name__ == "__main__":
    text = marked(README, "own figures", figures())
    if "--check" in sys.argv:
        if README.read_text(encoding="utf-8") != text:
            sys.exit("README.md's own figures are not current: run ./scripts/refresh")
    else:
        README.write_text(text, encoding="utf-8")
