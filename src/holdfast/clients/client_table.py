"""The clients that can be set up, a row each: how one is found, where its configuration lies, what an entry needs.

Where the facts are from, and what was run: docs/decisions/0030-client-set-up.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from holdfast.clients.server_entry import NAME, EntryShape, Format, Target

Scope = Literal["user", "project"]
# How the server learns of the project: it is started there, the client fills in a variable, or the entry names it.
ProjectSource = Literal["started there", "variable", "named"]


class Place(NamedTuple):
    """A file that a client reads, as a path with `{roots}` in it.

    `is_desktop`: started without the variables of a shell, the search path among them. `project_from` says how the
    server learns of the project. `others` are names the file may have instead; one that is there is taken.
    """

    path: str
    is_desktop: bool = False
    project_from: ProjectSource = "started there"
    others: tuple[str, ...] = ()
    needs: str = ""  # a folder without which the place is not used


class Trust(NamedTuple):
    """Where a client keeps the folders whose own configuration counts: a list, or a table with a word for each."""

    path: str
    format: Format
    container: str  # empty: the document itself
    words: tuple[str, ...] = ()
    member: str = ""  # of a folder's table, the one that has the word


class Client(NamedTuple):
    """One client. `programs` are looked for on the search path, `folders` where they would be.

    Where they are empty, the program and what the client calls itself are its name, the folder that of its first file.
    """

    name: str
    title: str
    target: Target
    user: tuple[Place, ...]
    project: Place | None
    programs: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    # How the names begin that it gives itself, where tool names with a dot fail or were never seen to work.
    # docs/formats/wire.md says what goes wrong with a dot there, and how that is known.
    no_dots: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()  # the only variables it passes on; empty: all of them
    client_info: str = ""  # what it calls itself when it opens the server
    after: str = ""  # what a person does next
    trust: Trust | None = None

    @property
    def own_folders(self) -> tuple[str, ...]:
        """The folders and files by which it is found."""
        return self.folders or (self.user[0].path.rpartition("/")[0],)

    def places(self, scope: Scope) -> tuple[Place, ...]:
        """Where its configuration may lie."""
        if scope == "user":
            return self.user
        return (self.project,) if self.project is not None else ()


_SERVERS = Target("json", "mcpServers", EntryShape())
_STDIO = Target("json", "mcpServers", EntryShape(fixed={"type": "stdio"}))
# docs/decisions/0030: what Codex gives a server of its environment.
_CODEX_PASSES = (
    *("HOME", "LOGNAME", "PATH", "SHELL", "USER", "__CF_USER_TEXT_ENCODING", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ"),
    "CONTEXT_CACHE_ROOT",
)
_CLINE = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"

CLIENTS = (
    Client(
        "claude-code",
        "Claude Code",
        # Without it, only some tools are in its first request, or none, and no instructions.
        Target("json", "mcpServers", EntryShape(fixed={"type": "stdio", "alwaysLoad": True})),
        (Place("{claude}/.claude.json"),),
        Place(".mcp.json"),
        programs=("claude",),
        folders=("{claude}/.claude.json", "{home}/.claude"),
        after="Start `claude` anew; `/mcp` lists it. A project's entry is approved there once.",
        trust=Trust("{claude}/.claude.json", "json", "projects", (NAME,), "enabledMcpjsonServers"),
    ),
    Client(
        "claude-desktop",
        "Claude Desktop",
        _SERVERS,
        (Place("{applications}/Claude/claude_desktop_config.json", is_desktop=True, project_from="named"),),
        None,
        no_dots=("claude-ai", "local-agent-mode"),
        client_info="claude-ai",
        after="Quit Claude Desktop and open it again.",
    ),
    Client(
        "codex",
        "Codex",
        Target(
            "toml",
            "mcp_servers",
            EntryShape(passed="env_vars"),
            limit=("tool_output_token_limit", 25_000),
        ),
        (Place("{codex}/config.toml"),),
        Place(".codex/config.toml"),
        passes=_CODEX_PASSES,
        client_info="codex-mcp-client",
        after="Start `codex` anew; `/mcp` lists it. A project's file counts once the project is trusted.",
        trust=Trust("{codex}/config.toml", "toml", "projects", ("trusted",), "trust_level"),
    ),
    Client(
        "gemini",
        "Gemini CLI",
        Target("json", "mcpServers", EntryShape(fixed={"trust": True})),
        (Place("{home}/.gemini/settings.json"),),
        Place(".gemini/settings.json"),
        client_info="gemini-cli-mcp-client",
        after="Start `gemini` anew; `/mcp` lists it. A project's file counts once its folder is trusted there. "
        '`"trust": true` lets these tools, which only read, run unasked.',
        trust=Trust("{home}/.gemini/trustedFolders.json", "json", "", ("TRUST_FOLDER", "TRUST_PARENT")),
    ),
    Client(
        "copilot",
        "Copilot CLI",
        Target("json", "mcpServers", EntryShape(fixed={"type": "local", "tools": ["*"]})),
        (Place("{copilot}/mcp-config.json"),),
        Place(".github/mcp.json"),
        client_info="github-copilot-developer",
        after="Start `copilot` anew; `/mcp show` lists it. A project's file counts once its folder is trusted there.",
        trust=Trust("{copilot}/config.json", "json", "trustedFolders"),
    ),
    Client(
        "vscode",
        "VS Code",
        Target("json", "servers", EntryShape(fixed={"type": "stdio"})),
        (Place("{applications}/Code/User/mcp.json", is_desktop=True, project_from="variable"),),
        Place(".vscode/mcp.json", project_from="variable"),
        programs=("code",),
        client_info="Visual Studio Code",
        after="Run `MCP: List Servers` in VS Code and start it.",
    ),
    Client(
        "cursor",
        "Cursor",
        _STDIO,
        (Place("{home}/.cursor/mcp.json", is_desktop=True, project_from="variable"),),
        Place(".cursor/mcp.json", project_from="variable"),
        programs=("cursor", "cursor-agent"),
        no_dots=("cursor",),
        client_info="cursor-vscode",
        after="Open Cursor's settings under Tools & MCP and switch it on.",
    ),
    Client(
        "windsurf",
        "Windsurf",
        _SERVERS,
        (Place("{home}/.codeium/windsurf/mcp_config.json", is_desktop=True, project_from="named"),),
        None,
        no_dots=("windsurf",),
        client_info="windsurf-client",
        after="Refresh the MCP servers in Windsurf's Cascade panel.",
    ),
    Client(
        "cline",
        "Cline",
        Target("json", "mcpServers", EntryShape(fixed={"disabled": False})),
        (
            Place("{cline}", needs="{home}/.cline"),
            Place(
                "{applications}/Code/User/" + _CLINE,
                is_desktop=True,
                project_from="named",
                needs="{applications}/Code/User/globalStorage/saoudrizwan.claude-dev",
            ),
        ),
        None,
        folders=("{home}/.cline", "{applications}/Code/User/globalStorage/saoudrizwan.claude-dev"),
        no_dots=("cline", "@cline"),
        client_info="Cline",
        after="Look under MCP Servers in Cline; the command line reads it at its next start.",
    ),
    Client(
        "continue",
        "Continue",
        Target("yaml list", "mcpServers", EntryShape(fixed={"name": NAME})),
        (Place("{home}/.continue/config.yaml", is_desktop=True),),
        None,
        programs=("cn",),
        no_dots=("continue-client", "continue-cli-client"),
        client_info="continue-client",
        after="Reload Continue, or start `cn` anew; tools are offered in agent mode.",
    ),
    Client(
        "opencode",
        "opencode",
        Target(
            "json", "mcp", EntryShape(arguments="", environment="environment", fixed={"type": "local", "enabled": True})
        ),
        (Place("{config}/opencode/opencode.json", others=("{config}/opencode/opencode.jsonc",)),),
        Place("opencode.json", others=("opencode.jsonc",)),
        after="Start `opencode` anew; `opencode mcp list` lists it.",
    ),
    Client(
        "qwen",
        "Qwen Code",
        _SERVERS,
        (Place("{home}/.qwen/settings.json"),),
        Place(".qwen/settings.json"),
        no_dots=("qwen-code", "qwen-cli-mcp-client"),
        client_info="qwen-code-mcp-client",
        after="Start `qwen` anew; `/mcp` lists it.",
    ),
    Client(
        "zed",
        "Zed",
        Target("json", "context_servers", EntryShape(fixed={"source": "custom"})),
        (Place("{config}/zed/settings.json", is_desktop=True),),
        Place(".zed/settings.json"),
        programs=("zed", "zeditor"),
        no_dots=("zed",),
        client_info="Zed",
        after="Look for the green dot in Zed's agent settings.",
    ),
    Client(
        "goose",
        "Goose",
        Target(
            "yaml",
            "extensions",
            EntryShape(
                command="cmd",
                environment="envs",
                fixed={
                    "name": NAME,
                    "description": "Documentation, directory contexts and specs of this project",
                    "type": "stdio",
                    "enabled": True,
                    "timeout": 300,
                },
            ),
        ),
        (Place("{config}/goose/config.yaml", is_desktop=True),),
        None,
        no_dots=("goose",),
        after="Start a new Goose session.",
    ),
)
NAMES = tuple(client.name for client in CLIENTS)


def client_roots(environment: Mapping[str, str], *, is_mac: bool) -> dict[str, str]:
    """What the `{roots}` of places stand for, by the variables that the clients themselves look at."""
    home = environment.get("HOME", "").rstrip("/") or "/"
    config = environment.get("XDG_CONFIG_HOME") or f"{home}/.config"
    cline = environment.get("CLINE_MCP_SETTINGS_PATH") or f"{home}/.cline/data/settings/cline_mcp_settings.json"
    return {
        "home": home,
        "config": config,
        "applications": f"{home}/Library/Application Support" if is_mac else config,
        "claude": environment.get("CLAUDE_CONFIG_DIR") or home,
        "codex": environment.get("CODEX_HOME") or f"{home}/.codex",
        "copilot": environment.get("COPILOT_HOME") or f"{home}/.copilot",
        "cline": cline,
    }


def at(template: str, roots: Mapping[str, str]) -> str:
    """A path with its roots filled in."""
    for name, root in roots.items():
        template = template.replace("{" + name + "}", root)
    return template
