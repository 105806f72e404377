"""What the server offers beside tools, in MCP's words: resources, prompts and completion of their names.

Every method takes the `params` of a request and returns the members of its result, or raises OfferError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.catalog import prompts, resources
from holdfast.core.canonical_json import encode
from holdfast.core.errors import OfferError
from holdfast.offers import expand, match

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from holdfast.core.canonical_json import JsonValue
    from holdfast.offers import Prompt, Resource
    from holdfast.workspace import Workspace

    Members = dict[str, JsonValue]

TELEMETRY = "context://telemetry"
_MAX_VALUES = 100


class Offers:
    """The offers of one server; `telemetry` tells its counts."""

    def __init__(self, workspace: Workspace, families: Collection[str], telemetry: Callable[[], JsonValue]) -> None:
        self._workspace = workspace
        self._families = families
        self._telemetry = telemetry

    def list_resources(self, params: Members) -> Members:
        """Everything that can be read now."""
        _refuse_cursor(params)
        listed: list[Members] = [
            {
                "uri": TELEMETRY,
                "name": "telemetry",
                "title": "Telemetry",
                "description": "How often each tool was called, and how often remembered files were used.",
                "mimeType": "application/json",
            }
        ]
        for resource in resources(self._families):
            listed += [
                {"uri": expand(resource.uri, variables), **_described(resource, variables)}
                for variables in resource.existing(self._workspace)
            ]
        return {"resources": listed}

    def list_templates(self, params: Members) -> Members:
        """The addresses with variables."""
        _refuse_cursor(params)
        templates = [resource for resource in resources(self._families) if resource.is_template]
        return {"resourceTemplates": [{"uriTemplate": each.uri, **_described(each, {})} for each in templates]}

    def read_resource(self, params: Members) -> Members:
        """The text behind an address."""
        uri = _text(params, "uri")
        if uri == TELEMETRY:
            return _contents(uri, "application/json", encode(self._telemetry()) + "\n")
        for resource in resources(self._families):
            variables = match(resource.uri, uri)
            if variables is not None:
                text = resource.read(self._workspace, variables)
                if text is not None:
                    return _contents(uri, resource.mime_type, text)
        raise OfferError(f"Unknown resource: {uri}", uri=uri)

    def list_prompts(self, params: Members) -> Members:
        """Every prompt with its arguments."""
        _refuse_cursor(params)
        return {
            "prompts": [
                {
                    "name": prompt.name,
                    "title": prompt.title,
                    "description": prompt.description,
                    "arguments": [argument._asdict() for argument in prompt.arguments],
                }
                for prompt in prompts(self._families)
            ]
        }

    def get_prompt(self, params: Members) -> Members:
        """A prompt with its blanks filled in."""
        prompt = self._prompt(_text(params, "name"))
        arguments = _texts(params, "arguments")
        known = [argument.name for argument in prompt.arguments]
        for name in arguments:
            if name not in known:
                raise OfferError(f"Unknown argument: {name}")
        for argument in prompt.arguments:
            if argument.required and not arguments.get(argument.name):
                raise OfferError(f"{argument.name} is required")
        text = prompt.render(self._workspace, arguments)
        message: JsonValue = {"role": "user", "content": {"type": "text", "text": text}}
        return {"description": prompt.description, "messages": [message]}

    def complete(self, params: Members) -> Members:
        """Values for a blank that start with what was typed."""
        reference, argument = _object(params, "ref"), _object(params, "argument")
        name, typed = _text(argument, "name"), _text(argument, "value")
        others = _texts(_object(params, "context"), "arguments")
        offer: Prompt | Resource
        if reference.get("type") == "ref/prompt":
            offer = self._prompt(_text(reference, "name"))
            known = [blank.name for blank in offer.arguments]
        else:
            uri = _text(reference, "uri")
            found = next((resource for resource in resources(self._families) if resource.uri == uri), None)
            if found is None:
                raise OfferError(f"Unknown resource: {uri}")
            offer, known = found, [part[1:-1] for part in uri.split("/") if part.startswith("{")]
        if name not in known:
            raise OfferError(f"Unknown argument: {name}")
        values = [value for value in offer.complete(self._workspace, name, others) if value.startswith(typed)]
        shown = values[:_MAX_VALUES]
        return {"completion": {"values": shown, "total": len(values), "hasMore": len(values) > len(shown)}}

    def _prompt(self, name: str) -> Prompt:
        for prompt in prompts(self._families):
            if prompt.name == name:
                return prompt
        raise OfferError(f"Unknown prompt: {name}")


# Method -> what answers it, and for how many milliseconds a modern client may keep the answer (None: not said).
# What follows from files is never kept: the next question finds out whether they changed.
METHODS: Mapping[str, tuple[Callable[[Offers, Members], Members], int | None]] = {
    "resources/list": (Offers.list_resources, 0),
    "resources/templates/list": (Offers.list_templates, 3_600_000),
    "resources/read": (Offers.read_resource, 0),
    "prompts/list": (Offers.list_prompts, 3_600_000),
    "prompts/get": (Offers.get_prompt, None),
    "completion/complete": (Offers.complete, None),
}


def _described(resource: Resource, variables: Mapping[str, str]) -> Members:
    # Clients show the name; of several behind one template each needs its own.
    name = "/".join([resource.name, *variables.values()])
    return {
        "name": name,
        "title": ": ".join([resource.title, " ".join(variables.values())]) if variables else resource.title,
        "description": resource.description,
        "mimeType": resource.mime_type,
    }


def _contents(uri: str, mime_type: str, text: str) -> Members:
    return {"contents": [{"uri": uri, "mimeType": mime_type, "text": text}]}


def _refuse_cursor(params: Members) -> None:
    if params.get("cursor") is not None:
        raise OfferError("There is one page only: no cursor was given out")


def _text(members: Members, name: str) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        raise OfferError(f"{name} must be a string")
    return value


def _object(members: Members, name: str) -> Members:
    value = members.get(name, {})
    if not isinstance(value, dict):
        raise OfferError(f"{name} must be an object")
    return value


def _texts(members: Members, name: str) -> dict[str, str]:
    values = _object(members, name)
    return {key: _text(values, key) for key in values}
