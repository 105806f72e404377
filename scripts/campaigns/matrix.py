"""The determinism matrix: the same hash whatever surrounds the process, one row for each surrounding.

Every cache vector, a corpus and documents with characters new in Unicode 15 to 17 are built, a project with a source of
every format is synced (its caches and its lock), and every answer about
them given, cold and warm, under each Python found, three hash seeds, three locales, two time zones, two working
directories, one and four processes that share a build, with numpy (where the Python has it) and without.
Each surrounding builds everything anew. The size is how many of the surroundings are tried: the first few dozen contain
every pair of values. Each row is printed; `--page` writes a summary. Another question is one more line in `lay_out`.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from campaign import SOURCE, Campaign, arguments, command_line, scratch

LOCALES = ("C", "de_DE.UTF-8", "tr_TR.UTF-8")
QUERIES = 20


class Surrounding(NamedTuple):
    """Everything about a process that must not reach an answer."""

    python: str
    hash_seed: str
    locale: str
    zone: str
    folder: str
    workers: str
    numpy: str


class Row(NamedTuple):
    """One row: a surrounding, and what was hashed in it."""

    surrounding: Surrounding
    temperature: str
    hash: str


def pythons() -> dict[str, str]:
    """Every supported interpreter that can be found: version to path."""
    found: dict[str, str] = {}
    for minor in range(11, 16):
        candidates = [sys.executable, shutil.which(f"python3.{minor}")]
        candidates += [str(path) for path in sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python3"))]
        for python in candidates:
            if python is None or f"3.{minor}" in found:
                continue
            asked = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
            done = subprocess.run(asked, capture_output=True, cwd="/")
            if done.returncode == 0 and done.stdout.decode().strip() == f"3.{minor}":
                found[f"3.{minor}"] = python
    return found


def make_locales(folder: Path) -> dict[str, bool]:
    """Locales made where the system has none: which of them are real here."""
    folder.mkdir()
    real = {"C": True}
    for name in LOCALES[1:]:
        language = name.partition(".")[0]
        if shutil.which("localedef"):
            subprocess.run(["localedef", "-i", language, "-f", "UTF-8", str(folder / name)], capture_output=True)
        code = f"import locale; locale.setlocale(locale.LC_ALL, {name!r})"
        env = {**os.environ, "LOCPATH": str(folder)}
        real[name] = subprocess.run([sys.executable, "-c", code], capture_output=True, env=env).returncode == 0
    return real


def lay_out(inputs: Path, documents: int, *, with_long: bool) -> list[list[Any]]:
    """Write all sources and projects, those that take seconds to build if they are wanted; the questions: tool,
    arguments, project."""
    from benchmarks.corpus import FREQUENT, queries, write_corpus

    from holdfast.catalog import CATALOG
    from holdfast.operation import answer
    from holdfast.workspace import Workspace
    from support.every_format import write_every_format
    from support.new_characters import new_character_queries, write_new_characters
    from support.specs import lay_out_tree, status_vectors
    from support.vectors import cache_vectors, lay_out_sources, load

    empty = inputs / "empty"
    empty.mkdir()
    asked: list[list[Any]] = []

    def ask(tool: str, project: Path = empty, **given: object) -> None:
        asked.append([tool, given, str(project)])

    (inputs / "sources").mkdir()
    for path in cache_vectors():
        vector = load(path)
        if "files_generated" in vector and not with_long:
            continue
        lay_out_sources(vector, inputs / "sources" / path.stem)
        ask("context.inspect_cache", cache=path.stem)
        for query in vector.get("queries", []):
            ask("context.resolve", cache=path.stem, query=query["query"], budget=query["budget"])
    write_corpus(documents, inputs / "sources" / "corpus")
    for query in (*queries(QUERIES), FREQUENT, ""):
        ask("context.resolve", cache="corpus", query=query, budget=4000)
        ask("context.search", cache="corpus", query=query, budget=4000)
        ask("context.search", cache="corpus", query=query, format="json", explain=True)
    write_new_characters(inputs / "sources" / "new-characters")
    for query in new_character_queries():
        ask("context.resolve", cache="new-characters", query=query, budget=9000)
        ask("context.search", cache="new-characters", query=query, budget=9000)
        ask("context.search", cache="new-characters", query=query, budget=9000, format="json", explain=True)
    write_every_format(inputs / "declared" / "docs")
    (inputs / "declared" / "context.toml").write_text("[caches.declared]\nsources = ['docs']\n", encoding="utf-8")
    for query in ("roll back a deploy", "list pets", "text of a chapter"):
        ask("context.search", cache="declared", query=query, budget=4000)
    ask("context.list_caches")
    specs = inputs / "specs"
    for case in status_vectors():
        lay_out_tree(case["tree"], specs)
        ask("spec-status", project=specs, specName=case["spec"])
    for tool in ("spec-workflow-guide", "get-implementer-guide", "get-reviewer-guide"):
        ask(tool, project=specs)
    project = inputs / "project"
    shutil.copytree(SOURCE / "holdfast" / "core", project / "core", ignore=shutil.ignore_patterns("__pycache__"))
    init = next(operation for operation in CATALOG if operation.command == ("init",))
    answer(init, {}, Workspace(str(project), clock=lambda: 1.8e9))
    ask("list_contexts", project=project)
    for scope in (".", "core", "nowhere", "../specs"):
        ask("check_freshness", project=project, scope=scope)
        ask("query_context", project=project, scope=scope)
    here = {operation.tool for operation in CATALOG}
    return [question for question in asked if question[0] in here]


def in_order(campaign: Campaign, axes: list[list[str]]) -> list[Surrounding]:
    """All surroundings, those first that bring the most pairs of values not yet seen together."""
    waiting = [Surrounding(*values) for values in itertools.product(*axes)]
    campaign.random.shuffle(waiting)

    def pairs(row: Surrounding) -> set[tuple[object, ...]]:
        return set(itertools.combinations(enumerate(row), 2))

    seen: set[tuple[object, ...]] = set()
    ordered: list[Surrounding] = []
    while waiting:
        best = max(waiting, key=lambda row: len(pairs(row) - seen))
        if not pairs(best) - seen:
            return ordered + waiting
        seen |= pairs(best)
        waiting.remove(best)
        ordered.append(best)
    return ordered


def one(inputs: Path, number: int, row: Surrounding, python: str, *, sabotage: bool) -> dict[str, str]:
    """The hashes of one surrounding."""
    root = inputs.parent / f"row-{number}"
    root.mkdir()
    libraries = [str(SOURCE), str(inputs.parent / "libraries")]
    if row.numpy == "without":
        libraries.insert(0, str(inputs.parent / "hidden"))
    env = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(libraries),
        "PYTHONPYCACHEPREFIX": str(inputs.parent / "byte-code"),
        "PYTHONHASHSEED": row.hash_seed,
        "LC_ALL": row.locale,
        "LANG": row.locale,
        "LOCPATH": str(inputs.parent / "locales"),
        "TZ": row.zone,
    }
    if sabotage and row.hash_seed == "1":
        (root / "another-cache").mkdir()
    command = [python, str(Path(__file__).parent / "matrix_row.py"), str(inputs), str(root), row.workers]
    done = subprocess.run(command, capture_output=True, cwd=root if row.folder == "own" else "/", env=env, timeout=900)
    shutil.rmtree(root)
    if done.returncode:
        return {"cold": "failed: " + done.stderr.decode()[-600:], "warm": "failed"}
    hashes: dict[str, str] = json.loads(done.stdout)
    return hashes


def summary(rows: list[Row], campaign: Campaign, command: str, notes: list[str]) -> str:
    """The page: the promise, what was hashed, what surrounded it, and how to do it again."""
    hashes = sorted({row.hash for row in rows})
    found = (
        f"{len(hashes)} hash{'' if len(hashes) == 1 else 'es'}: {', '.join([f'`{value[:16]}`' for value in hashes])}"
    )
    caches, answers = (campaign.counts[name] for name in ("caches built for each row", "answers in each row"))
    values = {name: ", ".join(sorted({getattr(row.surrounding, name) for row in rows})) for name in Surrounding._fields}
    lines = [
        "# Determinism",
        "",
        "The same sources and the same question give the same bytes, whatever surrounds the process.",
        f"`{command}` tried {len(rows) // 2} surroundings,",
        f"each cold and warm: {len(rows)} rows, {found}. It covers every byte of",
        f"{caches} caches, built anew in each row, and of {answers} answers.",
        "",
        *(f"- {note}" for note in notes),
        f"- hash seeds {values['hash_seed']}; locales {values['locale']}; time zones {values['zone']};",
        f"  two working directories; {values['workers']} build workers; with numpy, where a Python has it, and without",
        "",
        "Without a number every surrounding is tried; a row is printed for each. Other releases have other hashes.",
    ]
    return "\n".join(lines) + "\n"


def exact(python: str) -> str:
    """The version of an interpreter to the last digit."""
    asked = [python, "-c", "import platform; print(platform.python_version())"]
    return subprocess.run(asked, capture_output=True, cwd="/", check=True).stdout.decode().strip()


def run(
    campaign: Campaign, size: int, documents: int, jobs: int, page: Path | None, *, with_long: bool, sabotage: bool
) -> None:
    with scratch(in_memory=True) as folder:
        inputs = folder / "inputs"
        inputs.mkdir()
        asked = lay_out(inputs, documents, with_long=with_long)
        (inputs / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
        # An interpreter need not have what the package depends on: the part written in Python serves all of them.
        yaml = Path(find_spec("yaml").origin or "").parent  # type: ignore[union-attr]  # a dependency
        shutil.copytree(yaml, folder / "libraries" / "yaml", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        (folder / "hidden").mkdir()
        (folder / "hidden" / "numpy.py").write_text("raise ImportError('hidden')\n", encoding="utf-8")
        found = pythons()
        real = make_locales(folder / "locales")
        axes = [
            list(found),
            ["0", "1", "4242"],
            list(LOCALES),
            ["UTC", "Asia/Kathmandu"],
            ["own", "/"],
            ["1", "4"],
            ["with", "without"],
        ]
        rows = in_order(campaign, axes)[:size]
        campaign.counts["answers in each row"] = len(asked)
        campaign.counts["caches built for each row"] = len(list((inputs / "sources").iterdir()))
        print(f"{'python':7}{'seed':>6} {'locale':13}{'zone':16}{'folder':8}{'workers':8}{'numpy':8}{'asked':7}hash")
        hashes: dict[str, int] = {}
        made: list[Row] = []
        with ThreadPoolExecutor(jobs) as pool:
            tried = pool.map(
                lambda item: one(inputs, item[0], item[1], found[item[1].python], sabotage=sabotage), enumerate(rows)
            )
            for row, result in zip(rows, tried, strict=True):
                for temperature in ("cold", "warm"):
                    value = result[temperature]
                    hashes[value] = hashes.get(value, 0) + 1
                    locale = row.locale if real[row.locale] else f"({row.locale})"
                    start = f"{row.python:7}{row.hash_seed:>6} {locale:13}{row.zone:16}{row.folder:8}"
                    print(f"{start}{row.workers:8}{row.numpy:8}{temperature:7}{value[:16]}", flush=True)
                    campaign.counts["rows"] += 1
                    made.append(Row(row, temperature, value))
        campaign.counts["different hashes"] = len(hashes)
        notes = ["Python " + ", ".join([exact(python) for python in found.values()])]
        for name, is_real in real.items():
            if not is_real:
                notes.append(f"the locale {name} is not installed and cannot be made here: C stood in for it")
                print(f"  note: {notes[-1]}")
        if page is not None:
            command = command_line(*([] if size > len(made) // 2 else [size]), "--documents", documents, "--page", page)
            page.write_text(summary(made, campaign, command, notes), encoding="utf-8")
        if len(hashes) != 1:
            campaign.find(f"{len(hashes)} different hashes: {hashes}")


def main() -> int:
    parser = arguments(__doc__, "rows", 10**6, "surroundings to try, each cold and warm; all of them")
    parser.add_argument("--documents", type=int, default=1000, help="size of the corpus (default 1000)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="surroundings tried at once")
    parser.add_argument("--without-long", action="store_true", help="leave out vectors of a text of megabytes")
    parser.add_argument("--page", metavar="FILE", help="write a page that sums it up")
    given = parser.parse_args()
    campaign = Campaign("matrix", given.seed, command_line(given.rows, "--documents", given.documents))
    page = Path(given.page) if given.page else None
    with_long = not given.without_long
    run(campaign, given.rows, given.documents, given.jobs, page, with_long=with_long, sabotage=given.sabotage)
    return campaign.finish()


if __name__ == "__main__":
    sys.exit(main())
