"""A server with the tools, resources and prompts that the official conformance scenarios call, behind our endpoint.

It has sessions, which the product does without: some scenarios ask the client something in the middle of a call.
"""

import asyncio
import json
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Final, TypeAlias
from zlib import compress, crc32

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from agents.mcp.cancelling import Message
from agents.mcp.endpoint import AccessRules, McpEndpoint
from agents.mcp.envelopes import SaidMessage

Context: TypeAlias = ServerRequestContext[Any, Any]
Content: TypeAlias = list[types.ContentBlock]


class SessionEndpoint(McpEndpoint):
    """The product's endpoint with sessions and the streams that they allow."""

    methods: ClassVar = ("GET", "POST", "DELETE")

    def __init__(self, server: Server[Any], rules: AccessRules) -> None:
        super().__init__(server, rules)
        self._sessions = StreamableHTTPSessionManager(server)
        self._managers = [self._sessions]

    def _manager_for(self, said: SaidMessage, scope: Message) -> StreamableHTTPSessionManager:
        return self._sessions


def _chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + crc32(kind + data).to_bytes(4, "big")


_HEADER: Final = (1).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
PNG: Final = b64encode(
    b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", _HEADER) + _chunk(b"IDAT", compress(b"\0\xff\0\0")) + _chunk(b"IEND", b"")
).decode()
"""One red pixel."""
IMAGE: Final = types.ImageContent(type="image", data=PNG, mime_type="image/png")
AUDIO: Final = types.AudioContent(
    type="audio",
    data=b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0@\x1f\0\0@\x1f\0\0\1\0\x08\0data\0\0\0\0").decode(),
    mime_type="audio/wav",
)
_TEXTS: Final = {
    "test://static-text": "This is the content of the static text resource.",
    "test://watched-resource": "Watched.",
    "test://example-resource": "Example.",
}
_OPTIONS: Final = ["option1", "option2", "option3"]
_TITLED: Final = [{"const": f"value{number}", "title": f"Choice {number}"} for number in (1, 2, 3)]
ENUMS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": _OPTIONS},
        "titledSingle": {"type": "string", "oneOf": _TITLED},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
    },
}
DEFAULTS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}
PERSON: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"username": {"type": "string"}, "email": {"type": "string"}},
    "required": ["username", "email"],
}
SCHEMA_2020: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


def text(said: str) -> types.TextContent:
    return types.TextContent(type="text", text=said)


def embedded(uri: str, said: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    contents = types.TextResourceContents(uri=uri, mime_type=mime_type, text=said)
    return types.EmbeddedResource(type="resource", resource=contents)


async def logs(context: Context, _given: Mapping[str, Any]) -> Content:
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", said, related_request_id=context.request_id)
    return [text("Logged.")]


async def progresses(context: Context, _given: Mapping[str, Any]) -> Content:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
    return [text("Progressed.")]


async def samples(context: Context, given: Mapping[str, Any]) -> Content:
    asked = types.SamplingMessage(role="user", content=text(given["prompt"]))
    answer = await context.session.create_message([asked], max_tokens=100, related_request_id=context.request_id)
    said = answer.content.text if isinstance(answer.content, types.TextContent) else ""
    return [text(f"LLM response: {said}")]


def elicits(schema: dict[str, Any]) -> "Run":
    async def run(context: Context, given: Mapping[str, Any]) -> Content:
        message = given.get("message", "Please answer.")
        answer = await context.session.elicit_form(message, schema, related_request_id=context.request_id)
        return [text(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")]

    return run


async def closes_its_stream(context: Context, _given: Mapping[str, Any]) -> Content:
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
    await asyncio.sleep(0)
    return [text("Reconnected.")]


def returns(*content: types.ContentBlock) -> "Run":
    async def run(_context: Context, _given: Mapping[str, Any]) -> Content:
        return list(content)

    return run


Run: TypeAlias = Callable[[Context, Mapping[str, Any]], Awaitable[Content]]
TOOLS: Final[Mapping[str, Run]] = {
    "test_simple_text": returns(text("This is a simple text response for testing.")),
    "test_image_content": returns(IMAGE),
    "test_audio_content": returns(AUDIO),
    "test_embedded_resource": returns(embedded("test://embedded-resource", "This is an embedded resource content.")),
    "test_multiple_content_types": returns(
        text("Multiple content types test:"),
        IMAGE,
        embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ),
    "test_tool_with_logging": logs,
    "test_tool_with_progress": progresses,
    "test_sampling": samples,
    "test_elicitation": elicits(PERSON),
    "test_elicitation_sep1034_defaults": elicits(DEFAULTS),
    "test_elicitation_sep1330_enums": elicits(ENUMS),
    "test_reconnection": closes_its_stream,
    "json_schema_2020_12_tool": returns(text("Fine.")),
}
ERROR: Final = "test_error_handling"
PROMPTS: Final[Mapping[str, list[str]]] = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
}


async def list_tools(_context: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    schemas = {"json_schema_2020_12_tool": SCHEMA_2020}
    return types.ListToolsResult(
        tools=[
            types.Tool(name=name, description=name, input_schema=schemas.get(name, {"type": "object"}))
            for name in (*TOOLS, ERROR)
        ]
    )


async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    if params.name == ERROR:
        said = text("This tool intentionally returns an error for testing")
        return types.CallToolResult(content=[said], is_error=True)
    return types.CallToolResult(content=await TOOLS[params.name](context, params.arguments or {}))


async def list_resources(_context: Context, _params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    uris = [*_TEXTS, "test://static-binary"]
    return types.ListResourcesResult(resources=[types.Resource(uri=uri, name=uri, description=uri) for uri in uris])


async def list_templates(
    _context: Context, _params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(uri_template="test://template/{id}/data", name="data", description="Data")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read(_context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    if uri == "test://static-binary":
        binary = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
        return types.ReadResourceResult(contents=[binary])
    if uri.startswith("test://template/"):
        found = {"id": uri.split("/")[3], "templateTest": True, "data": "Data"}
        contents = types.TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(found))
        return types.ReadResourceResult(contents=[contents])
    if uri not in _TEXTS:
        raise MCPError(types.INVALID_PARAMS, "There is no such resource.")
    contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=_TEXTS[uri])
    return types.ReadResourceResult(contents=[contents])


async def accept(_context: Context, _params: object) -> types.EmptyResult:
    return types.EmptyResult()


async def list_prompts(_context: Context, _params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    def arguments(names: list[str]) -> list[types.PromptArgument]:
        return [types.PromptArgument(name=name, description=name, required=True) for name in names]

    prompts = [types.Prompt(name=name, description=name, arguments=arguments(its)) for name, its in PROMPTS.items()]
    return types.ListPromptsResult(prompts=prompts)


async def get_prompt(_context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    given = params.arguments or {}
    contents: Mapping[str, Content] = {
        "test_simple_prompt": [text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [
            text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")
        ],
        "test_prompt_with_embedded_resource": [
            embedded(given.get("resourceUri", ""), "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [IMAGE, text("Please analyze the image above.")],
    }
    said = [types.PromptMessage(role="user", content=content) for content in contents[params.name]]
    return types.GetPromptResult(messages=said)


async def complete(_context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    values = [value for value in ("paris", "park", "test") if value.startswith(params.argument.value)]
    return types.CompleteResult(completion=types.Completion(values=values))


def fixture_server() -> Server[dict[str, Any]]:
    """The server."""
    return Server(
        "conformance",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
        on_subscribe_resource=accept,
        on_unsubscribe_resource=accept,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_set_logging_level=accept,
    )
