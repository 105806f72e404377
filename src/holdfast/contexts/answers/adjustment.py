"""What the commands answer that change what counts: ignore and config."""

from __future__ import annotations

from holdfast.contexts.answers import open_project
from holdfast.contexts.on_disk.settings_file import add_pattern, change_setting
from holdfast.core.errors import UnknownName
from holdfast.operation import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.contexts.arguments import ConfigArguments, IgnoreArguments
    from holdfast.contexts.shapes import ConfigAnswer, IgnoreAnswer, Setting, Settings
    from holdfast.workspace import Workspace


def ignore(workspace: Workspace, arguments: IgnoreArguments) -> Outcome[IgnoreAnswer]:
    pattern = arguments["pattern"]
    added = add_pattern(open_project(workspace, arguments), pattern)
    return Outcome({"pattern": pattern, "added": added})


def config(workspace: Workspace, arguments: ConfigArguments) -> Outcome[ConfigAnswer]:
    """All settings, one, or one changed."""
    project = open_project(workspace, arguments)
    settings = project.settings
    current: Settings = {
        "max_depth": settings.max_depth,
        "min_tokens": settings.min_tokens,
        "ignore": settings.ignore,
        "mode": settings.mode,
    }
    one: dict[str, Setting] = settings._asdict()
    key = arguments.get("key")
    if key is None:
        return Outcome(current)
    if key not in one:
        raise UnknownName("setting", key, list(one))
    if "value" not in arguments:
        return Outcome({"key": key, "value": one[key]})
    return Outcome({"key": key, "value": change_setting(project, key, arguments["value"])})
