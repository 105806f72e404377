"""Door 4: the tools over Streamable HTTP, on the official SDK's server, as an ASGI application.

What is answered comes from `server`, so it is the same text as over standard input and output; the SDK knows HTTP and
both eras of the protocol. No request depends on an earlier one, so any number of processes may share the work.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server as SdkServer
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ConfigDict
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.core.http_address import PATH, Address
from holdfast.core.standard_streams import write_bug, write_error
from holdfast.core.token_file import TokenFile
from holdfast.http.calls import CallTurns
from holdfast.mcp.server import CACHING, LEGACY_VERSIONS, OFFERS, ProtocolError, Server
from holdfast.mcp.tool_definitions import client_name
from holdfast.version import __version__

METADATA_PATH = f"/.well-known/oauth-protected-resource{PATH}"
LARGEST_BODY = 4 << 20
SLOWEST_BODY = 30.0  # seconds until a request must be here
ASKER = "holdfast.asker"  # the name of a request's token, where there are tokens
COMPLETE = {"resultType": "complete"}  # what every result of the modern era says


class _AnyParams(BaseModel):
    """The parameters of a request, unchecked: errors in them get the same words as over stdio."""

    model_config = ConfigDict(extra="allow")


def http_application(server: Server, address: Address, tokens: TokenFile | None = None) -> ASGIApp:
    """The application: the protocol at /mcp, behind tokens where there are some, and two pages for monitoring."""
    manager = StreamableHTTPSessionManager(
        _sdk_server(server),
        json_response=True,
        stateless=True,
        # Its own names and pages alone, so that no name can be rebound to it.
        security_settings=TransportSecuritySettings(allowed_hosts=address.hosts, allowed_origins=address.origins),
        max_request_body_size=LARGEST_BODY,
    )
    metadata_url = urljoin(address.resource, METADATA_PATH) if address.issuer else ""
    endpoint = _Endpoint(StreamableHTTPASGIApp(manager), tokens, metadata_url)

    async def is_alive(_request: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def is_ready(_request: Request) -> Response:
        reason = _unready(server, tokens)
        return PlainTextResponse(f"{reason or 'ready'}\n", status_code=503 if reason else 200)

    async def metadata(_request: Request) -> Response:
        metadata_fields: dict[str, Any] = {"resource": address.resource, "bearer_methods_supported": ["header"]}
        metadata_fields["authorization_servers"] = [address.issuer]
        return Response(json.dumps(metadata_fields), media_type="application/json")

    routes = [
        Route(PATH, endpoint),
        Route("/healthz", is_alive, methods=["GET"]),
        Route("/readyz", is_ready, methods=["GET"]),
    ]
    if tokens is not None and address.issuer:
        routes.append(Route(METADATA_PATH, metadata, methods=["GET"]))
    application = Starlette(routes=routes, lifespan=lambda _app: manager.run())
    # A redirect would repeat what the request calls this server, and send a token there, without TLS behind a proxy.
    application.router.redirect_slashes = False
    return _Hurried(application)


def _unready(server: Server, tokens: TokenFile | None) -> str | None:
    """Why this process should get no requests now, in words that name no place; None when it should."""
    if not os.path.isdir(server.workspace.project):
        return "the project is not there"
    if tokens is not None and not tokens.is_usable():
        return "the token file is not usable"
    return None


def _sdk_server(server: Server) -> SdkServer[Any]:
    """The SDK's server with nothing of its own to offer: every answer is asked of ours."""
    running: set[Any] = set()
    calls = CallTurns()

    sdk: SdkServer[Any] = SdkServer(
        "holdfast",
        title="Holdfast",
        version=__version__,
        instructions=server.instructions(None),
        # At every call the SDK would look for arguments that headers repeat: no tool of the catalog has any.
        get_tool_input_schema=lambda _name: None,
    )
    sdk.middleware.clear()  # it would look for a tracer at every request

    async def list_tools(context: ServerRequestContext[Any], params: _AnyParams) -> dict[str, Any]:
        listed = _asked(lambda: server.listed_tools(_members(params), _client(context)))
        return {**listed, **CACHING, **COMPLETE} if _is_modern(context) else listed

    async def call_tool(context: ServerRequestContext[Any], params: _AnyParams) -> dict[str, Any]:
        operation, arguments = _asked(lambda: server.called_tool(_members(params)))
        reply = await calls.run(
            operation.tool, arguments, lambda: _asked(lambda: server.carry_out(operation, arguments))
        )
        if (afterwards := reply.afterwards) is not None:
            client = _asker(context)
            _leave(lambda: afterwards(client))
        result = {"content": [{"type": "text", "text": reply.text}], "isError": reply.is_error}
        return {**result, **COMPLETE} if _is_modern(context) else result

    def _leave(step: Callable[[], None]) -> None:
        """Have something done after the answer; the event loop keeps no hold of a task by itself."""
        import asyncio

        task = asyncio.get_running_loop().run_in_executor(None, _done, step)
        running.add(task)
        task.add_done_callback(running.discard)

    def offer(method: str) -> Callable[[ServerRequestContext[Any], _AnyParams], Any]:
        async def answer(context: ServerRequestContext[Any], params: _AnyParams) -> dict[str, Any]:
            modern = _is_modern(context)
            result = await calls.in_a_thread(
                lambda: _asked(lambda: server.offered(method, _members(params), modern=modern))
            )
            return {**result, **COMPLETE} if modern else result

        return answer

    sdk.add_request_handler("tools/list", _AnyParams, list_tools)
    sdk.add_request_handler("tools/call", _AnyParams, call_tool)
    for method, capability in OFFERS.items():
        if capability in server.capabilities():
            sdk.add_request_handler(method, _AnyParams, offer(method))
    return sdk


def _asked(question: Callable[[], Any]) -> Any:
    """Our server's answer, its refusals as the SDK's errors; a bug goes to stderr, and to the client as a mere code."""
    try:
        return question()
    except ProtocolError as error:
        raise MCPError(error.code, error.message, error.data) from None
    except Exception:
        write_bug()
        raise MCPError(-32603, "Internal error") from None


def _done(step: Callable[[], None]) -> None:
    try:
        step()
    except Exception as error:
        write_error(f"error: after an answer: {type(error).__name__}")


def _members(params: _AnyParams) -> dict[str, Any]:
    return dict(params.model_extra or {})


def _is_modern(context: ServerRequestContext[Any]) -> bool:
    return context.protocol_version not in LEGACY_VERSIONS


def _client(context: ServerRequestContext[Any]) -> Any:
    """The `clientInfo` of a request that carries one; a legacy client sent it in an earlier one, which is not kept."""
    params = context.session.client_params
    return params.client_info.model_dump(include={"name", "version"}) if params is not None else None


def _asker(context: ServerRequestContext[Any]) -> str:
    """Who asks, for a receipt: the name of the token, which is proven, where there are tokens; then what the client
    calls itself."""
    client = client_name(_client(context))
    token_name = context.request.scope.get(ASKER) if context.request is not None else None
    if token_name is None:
        return client
    name = client_name({"name": token_name})
    return f"{name}: {client}" if client else name


class _Endpoint:
    """An application that is asked by POST and, where there are tokens, with a good one.

    A request without one learns how to send it, and, where there is an issuer, the address that says who gives them
    out: without an issuer, a client would look for a registration. The SDK would hold a GET open for as long as a
    client likes, and never have anything to tell it.
    """

    def __init__(self, application: ASGIApp, tokens: TokenFile | None, metadata_url: str) -> None:
        self._application, self._tokens = application, tokens
        said = "Authentication required: send the header 'Authorization: Bearer TOKEN'"
        self._body = json.dumps({"error": "invalid_token", "error_description": said}).encode()
        metadata = f', resource_metadata="{metadata_url}"' if metadata_url else ""
        self._headers = {"www-authenticate": f'Bearer error="invalid_token", error_description="{said}"{metadata}'}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer: ASGIApp = self._application
        if self._tokens is not None:
            name = self._tokens.name_of_header(Headers(scope=scope).get("authorization", ""))
            scope = {**scope, ASKER: name}
            if name is None:
                answer = Response(self._body, 401, self._headers, "application/json")
        if answer is self._application and scope["method"] != "POST":
            answer = PlainTextResponse("Messages are sent by POST alone\n", 405, {"allow": "POST"})
        await answer(scope, receive, send)


class _Hurried:
    """An application whose requests must arrive in time: a client that never ends its body is answered 408."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        deadline = anyio.current_time() + SLOWEST_BODY
        is_here = is_late = False

        async def receive_in_time() -> Message:
            nonlocal is_here, is_late
            if is_here:
                return await receive()
            with anyio.move_on_after(max(deadline - anyio.current_time(), 0)):
                message = await receive()
                is_here = not message.get("more_body", False)
                return message
            is_here = is_late = True
            refusal = PlainTextResponse("The request took too long to arrive\n", 408, {"connection": "close"})
            await refusal(scope, receive, send)
            return {"type": "http.disconnect"}

        async def send_unless_late(message: Message) -> None:
            if not is_late:
                await send(message)

        try:
            await self._application(scope, receive_in_time, send_unless_late)
        except Exception:
            if not is_late:
                raise
