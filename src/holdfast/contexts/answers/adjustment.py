"""What the commands answer that change what counts: ignore and config."""

from __future__ import annotations

from holdfast.contexts.answers import open_project
from holdfast.contexts.on_disk.settings_file import change_setting
from holdfast.core.errors import UnknownName
from holdfast.operation import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.contexts.arguments import ConfigArguments
    from holdfast.contexts.shapes import ConfigAnswer, Setting, Settings
    from holdfast.workspace import Workspace


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
