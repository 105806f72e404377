"""Run the commands that the documentation shows. How a page is written: tests/support/transcripts.py.

python scripts/samples.py [PAGE…]           renew what the pages say their commands print
python scripts/samples.py --check [PAGE…]   say which pages are not current
python scripts/samples.py --play PAGE       run a page's commands for somebody to watch
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from support.transcripts import Command, CommandFailed, Ran, documented, renewed, steps  # noqa: E402  # the path has to be set first


def show(command: Command, ran: Ran) -> None:
    """A command and what it printed, in its colours."""
    lines = command.shown.replace("\n", "\n> ")
    print(f"\n\x1b[1m$ {lines}\x1b[0m" if sys.stdout.isatty() else f"\n$ {lines}")
    print(ran.written.rstrip("\n") if sys.stdout.isatty() else "\n".join(ran.printed), flush=True)


def main(words: list[str]) -> int:
    """Run pages; the exit code is 1 when one is not current or fails."""
    flags = {word for word in words if word.startswith("--")}
    chosen = [Path(word).resolve() for word in words if word not in flags]
    failed = False
    for page in chosen or documented():
        text = page.read_text(encoding="utf-8")
        if not steps(text):
            continue
        name = page.relative_to(ROOT).as_posix()
        try:
            if "--play" in flags:
                renewed(text, at_command=show)
                continue
            new = renewed(text)
        except CommandFailed as failure:
            print(f"{name}: {failure}")
            failed = True
            continue
        if new != text and "--check" in flags:
            print(f"{name} is not current: run ./scripts/docs\n{difference(text, new)}")
            failed = True
        elif new != text:
            page.write_text(new, encoding="utf-8")
            print(f"{name} renewed")
    return int(failed)


def difference(old: str, new: str) -> str:
    """What a renewal would change."""
    from difflib import unified_diff

    return "\n".join(unified_diff(old.splitlines(), new.splitlines(), "committed", "printed now", lineterm="", n=1))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
