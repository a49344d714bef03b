"""The socket protocol as an AsyncAPI 3 document, made from the models of its frames. Pure."""

from collections.abc import Iterable, Mapping
from typing import Final

from pydantic.json_schema import JsonSchemaValue

from chat.protocol.frames.vocabulary import PROTOCOL_VERSION
from chat.protocol.schema import frame_definitions, frames_of

ADDRESS: Final = "/api/v1/ws/device"
_SCHEMAS: Final = "#/components/schemas/{model}"
_SUBPROTOCOLS: Final = "adiuva.v3, adiuva.bearer.<access token>"


def asyncapi() -> dict[str, object]:
    """The document that ``GET /api/v1/ws/asyncapi.json`` answers with. ``receive`` and ``send`` are the server's."""
    definitions = frame_definitions(_SCHEMAS)
    received, sent = frames_of(definitions, "ClientFrame"), frames_of(definitions, "ServerFrame")
    frames = {**received, **sent}
    return {
        "asyncapi": "3.0.0",
        "id": f"urn:adiuva:socket-protocol:{PROTOCOL_VERSION}",
        "info": {
            "title": "Adiuva socket protocol",
            "version": str(PROTOCOL_VERSION),
            "description": (
                "One socket per device carries everything: requests, streamed answers, and calls into the client's own "
                "database. Every frame is one JSON text message with a `type`. The first frame is `device_hello`."
            ),
        },
        "defaultContentType": "application/json",
        "servers": {"production": _server("wss"), "development": _server("ws")},
        "channels": {
            "device": {
                "address": ADDRESS,
                "title": "A device's socket",
                "messages": {kind: {"$ref": f"#/components/messages/{kind}"} for kind in frames},
                "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
            }
        },
        "operations": {
            "receiveFromDevice": _operation("receive", "What a client may send.", received),
            "sendToDevice": _operation("send", "What the server sends.", sent),
        },
        "components": {
            "messages": {kind: _message(kind, name) for kind, name in frames.items()},
            "schemas": {name: _without_discriminators(schema) for name, schema in definitions.items()},
            "securitySchemes": {
                "accessToken": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
                "subprotocol": {
                    "type": "httpApiKey",
                    "in": "header",
                    "name": "Sec-WebSocket-Protocol",
                    "description": f"For browsers, which cannot set headers of a socket: `{_SUBPROTOCOLS}`.",
                },
            },
        },
    }


def _server(protocol: str) -> dict[str, object]:
    return {
        "host": "{host}",
        "protocol": protocol,
        "variables": {"host": {"description": "Where the server is, with its port.", "default": "localhost:8000"}},
        "security": [{"$ref": f"#/components/securitySchemes/{name}"} for name in ("accessToken", "subprotocol")],
    }


def _operation(action: str, summary: str, kinds: Iterable[str]) -> dict[str, object]:
    return {
        "action": action,
        "summary": summary,
        "channel": {"$ref": "#/channels/device"},
        "messages": [{"$ref": f"#/channels/device/messages/{kind}"} for kind in kinds],
    }


def _message(kind: str, name: str) -> Mapping[str, object]:
    return {"name": kind, "title": name, "payload": {"$ref": _SCHEMAS.format(model=name)}}


def _without_discriminators(schema: JsonSchemaValue) -> JsonSchemaValue:
    """OpenAPI's way to name the field that tells a union's members apart is not AsyncAPI's; the members say it too."""
    return {key: _without(value) for key, value in schema.items() if key != "discriminator"}


def _without(value: object) -> object:
    if isinstance(value, dict):
        return _without_discriminators(value)
    return [_without(item) for item in value] if isinstance(value, list) else value
