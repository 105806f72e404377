"""A new user's walk with real clients: documents added, the client set up, one question asked, what arrives compared.

    python -m scripts.client_walk BIN [CLIENT...]

BIN holds the clients' programs. The model is a stand-in on this machine (`model_stand_in.py`): it asks for three
searches, one as a model asks first, one long enough that a client with small limits would cut it, and one that fails,
and keeps what it is given. That has to be, whole, what `context call` prints for the same arguments. The first request
with tools has to have the server's instructions, where the client passes them on at all. Home and project are folders
that are thrown away; nobody's configuration is touched. `HOLDFAST_WALK_LOG=DIR` keeps what each client said and asked.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from scripts.model_stand_in import ModelStandIn

ROOT = Path(__file__).resolve().parent.parent
QUESTION = "How does a receipt prove what an agent was given?"
CALLS: list[dict[str, Any]] = [
    {"query": QUESTION},
    {"query": QUESTION, "budget": 7000},
    {"query": QUESTION, "cache": "nope"},
]
INSTRUCTIONS = "Use it before reading many files."  # of the opening of templates/instructions.md
SECONDS = 240


class WalkedClient(NamedTuple):
    """How a client is started with a question, and what it needs to find the stand-in."""

    name: str
    program: str
    words: tuple[str, ...]
    variables: dict[str, str]
    files: dict[str, str]  # with `{project}` for where the project is
    approved: tuple[str, ...] = ()  # more words, with which the project's own configuration counts
    scopes: tuple[str, ...] = ("--user", "--project")
    most: int = 1 << 30  # characters of a result that it passes on; longer ones it keeps in a file
    rewrites: bool = False  # it writes its settings anew when it starts: afterwards only our entry is looked for
    instructs: bool = True  # it puts the instructions of servers before the model


def walked_clients(address: str) -> list[WalkedClient]:
    """The clients, each with a configuration of its own as somebody may have it before."""
    codex = (
        "# my own\n"
        'model = "stand-in"\nmodel_provider = "here"\n\n'
        f'[model_providers.here]\nname = "here"\nbase_url = "{address}/v1"\nwire_api = "responses"\n'
        '\n[projects."{project}"]\ntrust_level = "trusted"\n'
    )
    opencode = {
        "$schema": "https://opencode.ai/config.json",
        "model": "here/stand-in",
        "small_model": "here/stand-in",
        "autoupdate": False,
        "share": "disabled",
        "provider": {
            "here": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "here",
                "options": {"baseURL": f"{address}/v1", "apiKey": "none"},
                "models": {"stand-in": {"name": "stand-in", "limit": {"context": 200_000, "output": 8_000}}},
            }
        },
    }
    continued = (
        "# my own\nname: mine\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: stand-in\n    provider: openai\n"
        f"    model: stand-in\n    apiBase: {address}/v1\n    apiKey: none\n"
    )
    gemini = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}}
    qwen = {"security": {"auth": {"selectedType": "openai"}}, "telemetry": {"enabled": False}}
    return [
        WalkedClient(
            "claude-code",
            "claude",
            ("-p", QUESTION, "--allowedTools", "mcp__holdfast"),
            {
                "ANTHROPIC_BASE_URL": address,
                "ANTHROPIC_API_KEY": "none",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
            },
            {},
            ("--settings", '{"enableAllProjectMcpServers": true}'),
        ),
        WalkedClient(
            "codex",
            "codex",
            ("exec", "--skip-git-repo-check", QUESTION),
            {},
            {".codex/config.toml": codex},
        ),
        WalkedClient(
            "opencode",
            "opencode",
            ("run", QUESTION),
            {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"},
            {".config/opencode/opencode.json": json.dumps(opencode, indent=2)},
        ),
        WalkedClient(
            "gemini",
            "gemini",
            ("--yolo", "-m", "gemini-2.5-flash", "-p", QUESTION),
            {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": address, "GEMINI_CLI_TRUST_WORKSPACE": "true"},
            {".gemini/settings.json": json.dumps(gemini, indent=2)},
            rewrites=True,
        ),
        WalkedClient(
            "copilot",
            "copilot",
            ("--allow-all-tools", "-p", QUESTION),
            {"COPILOT_PROVIDER_BASE_URL": f"{address}/v1", "COPILOT_MODEL": "stand-in", "COPILOT_AUTO_UPDATE": "false"},
            {},
            ("--trust-folder",),
            most=20_000,
            instructs=False,
        ),
        WalkedClient(
            "continue",
            "cn",
            ("--auto", "-p", QUESTION),
            {"CONTINUE_TELEMETRY_ENABLED": "0"},
            {".continue/config.yaml": continued},
            scopes=("--user",),
            instructs=False,
        ),
        WalkedClient(
            "qwen",
            "qwen",
            ("--yolo", "-p", QUESTION),
            {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{address}/v1", "OPENAI_MODEL": "stand-in"},
            {".qwen/settings.json": json.dumps(qwen, indent=2)},
            rewrites=True,
            instructs=False,
        ),
    ]


class Walk:
    """One client, from a home with nothing in it to what its model was given."""

    def __init__(
        self, client: WalkedClient, binaries: Path, folder: Path, stand_in: ModelStandIn, *, scope: str
    ) -> None:
        self.client, self.stand_in, self.scope = client, stand_in, scope
        self.home, self.project = folder / "home", folder / "project"
        self.project.mkdir(parents=True)
        shutil.copytree(ROOT / "docs", self.project / "docs")
        (self.project / ".git").mkdir()
        self.files = {
            self.home / name: text.replace("{project}", str(self.project)) for name, text in client.files.items()
        }
        for file, text in self.files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        self.home.mkdir(exist_ok=True)
        search = os.pathsep.join([str(ROOT / ".venv" / "bin"), str(binaries), os.environ.get("PATH", "")])
        kept = {name: os.environ[name] for name in ("LANG", "TERM", "TMPDIR") if name in os.environ}
        # Caches lie where only a variable says: a client that does not pass it on answers nothing.
        caches = str(folder / "caches")
        self.environment = {**kept, "HOME": str(self.home), "PATH": search, "CI": "1", "CONTEXT_CACHE_ROOT": caches}
        self.environment |= client.variables

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command in the project, its output kept where that was asked for."""
        done = subprocess.run(
            words,
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        if log := os.environ.get("HOLDFAST_WALK_LOG"):
            file = Path(log) / f"{self.client.name}-{Path(words[0]).name}.txt"
            file.write_text(f"{words}\nexit {done.returncode}\n{done.stdout}\n--\n{done.stderr}\n", encoding="utf-8")
            requests = json.dumps(self.stand_in.requests, indent=1, ensure_ascii=False)
            (Path(log) / f"{self.client.name}-requests.json").write_text(requests, encoding="utf-8")
        return done

    def walk(self) -> list[str]:
        """What did not hold; empty when all did."""
        for words in (["add", "docs", "docs"], ["setup", self.client.name, self.scope, "--yes"]):
            done = self.run("context", *words)
            if done.returncode:
                return [f"`context {' '.join(words)}` ends with {done.returncode}: {done.stderr.strip()}"]
        (row,) = json.loads(done.stdout)["clients"]
        place = Path(row["file"]).relative_to(self.home.parent)
        print(f"  set up: {place} {row['action']}, starts and lists {row['tools']} tools")
        approved = self.client.approved if self.scope == "--project" else ()
        asked = self.run(self.client.program, *self.client.words, *approved)
        results = self.stand_in.results
        if len(results) < len(CALLS):
            said = (asked.stderr.strip() or asked.stdout.strip())[-400:]
            offered = "was offered the tool" if self.stand_in.offered else "was not offered the tool"
            return [
                f"the model {offered}, {len(results)} of {len(CALLS)} answers came (exit {asked.returncode}): {said}"
            ]
        first = next(json.dumps(asked) for _, asked in self.stand_in.requests if asked and asked.get("tools"))
        wrong = []
        if self.client.instructs and INSTRUCTIONS not in first:
            wrong.append("the first request with tools has no instructions")
        for call, result in zip(CALLS, results, strict=False):
            whole = self.run("context", "call", "context.search", json.dumps(call)).stdout.strip("\n")
            as_json = json.dumps(whole, ensure_ascii=False)[1:-1]  # some pass it on so
            said = f"a search of {len(whole):,} characters"
            if whole in result or as_json in result:
                print(f"  {said} arrives whole")
            elif len(whole) > self.client.most:
                print(f"  {said} is kept in a file by the client")
            else:
                wrong.append(f"of {said} the model was given {len(result):,}, not the same ones")
        undone = self.run("context", "setup", self.client.name, self.scope, "--undo", "--yes")
        if undone.returncode:
            wrong.append(f"`--undo` ends with {undone.returncode}: {undone.stderr.strip()}")
        for file, text in self.files.items():
            if not self.client.rewrites and file.read_text(encoding="utf-8") != text:
                wrong.append(f"{file.name} is not what it was before")
        left = Path(row["file"])  # a client may have written something of its own into it by then
        if left.exists() and "holdfast" in left.read_text(encoding="utf-8"):
            wrong.append(f"{place} still names the server")
        kept = "the entry is gone" if self.client.rewrites else "the files are what they were"
        print("  taken out again" + (f": {kept}" if not wrong else ""))
        return wrong


def main(binaries: Path, chosen: list[str]) -> int:
    failed = 0
    for client in walked_clients(""):
        if chosen and client.name not in chosen:
            continue
        program = binaries / client.program
        if not program.exists():
            print(f"{client.name}: skipped, {client.program} is not there")
            continue
        for scope in client.scopes:
            wrong = walked(client.name, binaries, scope)
            for what in wrong:
                print(f"  FAILED: {what}")
            failed += bool(wrong)
    return 1 if failed else 0


def walked(name: str, binaries: Path, scope: str) -> list[str]:
    """One client in one scope: what did not hold."""
    stand_in = ModelStandIn(CALLS)
    (client,) = [each for each in walked_clients(stand_in.address) if each.name == name]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            walk = Walk(client, binaries, Path(folder), stand_in, scope=scope)
            version = walk.run(client.program, "--version").stdout.strip().partition("\n")[0]
            print(f"{name} ({version}), {scope}")
            return walk.walk()
        except subprocess.TimeoutExpired:
            return [f"not done within {SECONDS} seconds: cannot be driven here"]
        finally:
            stand_in.close()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
