"""What a person sees of registries on a terminal. Loaded only there."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.registry_shapes import PullAnswer, PushAnswer, SignAnswer


def pushed(value: PushAnswer, seconds: float) -> RenderableType:
    """Where it lies now, and how much of it had to be sent."""
    told = f"{value['sent']:,} of {value['bytes']:,} bytes sent, in {seconds:.1f} s"
    return Group(Text(value["reference"], style="bold green", overflow="fold"), Text(told, style="dim"))


def pulled(value: PullAnswer, seconds: float) -> RenderableType:
    """What stands here now."""
    told = f"{value['fetched']:,} of {value['bytes']:,} bytes fetched, in {seconds:.1f} s"
    signed = f", signed by {value['signed_by']}" if value["signed_by"] else ""
    lock = ", context.lock written" if value["lock_changed"] else ""
    line = Text.assemble((value["name"], "bold green"), f"  {value['version'][:19]}{signed}")
    return Group(line, Text(value["reference"], overflow="fold"), Text(told + lock, style="dim"))


def signed(value: SignAnswer, _seconds: float) -> RenderableType:
    """The key that signed, or was made."""
    if value["cache"]:
        what = f"Signed: {value['signature']}" if value["signature"] else "The signature holds"
        return Text.assemble((what, "green"), f", key {value['key']}")
    return Group(
        Text.assemble("Public key: ", (value["key"], "bold")),
        Text(f'In context.toml:  [registry]  keys = ["{value["key"]}"]', style="dim"),
    )
