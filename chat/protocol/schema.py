"""The socket protocol as JSON Schema (2020-12) and as AsyncAPI 3, generated from the models of its frames. Pure."""

from collections.abc import Iterable
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from chat.protocol.frames.codec import CLIENT_FRAMES, SERVER_FRAMES
from chat.protocol.frames.vocabulary import PROTOCOL_VERSION, WithNulls

REF_TEMPLATE: Final = "#/$defs/{model}"
SOCKET_PATH: Final = "/api/v1/ws/device"
_SCHEMAS: Final = "#/components/schemas/{model}"
_SUBPROTOCOLS: Final = "adiuva.v3, adiuva.bearer.<access token>"
_ANY_VALUE: Final = "pydantic.types.JsonValue:"
_CLIENT, _SERVER = "ClientFrame", "ServerFrame"
_Field = core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField


class WireSchema(GenerateJsonSchema):
    """The schema of the wire, which differs from that of the models in two ways.

    The type of a frame is required, although the models have a default for it. The server omits absent fields instead
    of sending null, except in parts in which null has a meaning.
    """

    _writes_nulls = False

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the base's signature
        # Generators would make a type from a title that repeats the field's name.
        return False

    def definition_ref_schema(self, schema: core_schema.DefinitionReferenceSchema) -> JsonSchemaValue:
        # Generators would wrap each value in a type if any value had a name.
        return {} if schema["schema_ref"].startswith(_ANY_VALUE) else super().definition_ref_schema(schema)

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        if self.mode == "serialization" and not self._writes_nulls:
            return self.generate_inner(schema["schema"])
        return super().nullable_schema(schema)

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        outer, self._writes_nulls = self._writes_nulls, issubclass(schema["cls"], WithNulls)
        try:
            return super().model_schema(schema)
        finally:
            self._writes_nulls = outer

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        described = super().default_schema(schema)
        if self.mode == "serialization" or _is_fixed(schema["schema"]):
            # A required field has no default, and null is not the default of an omitted field.
            described.pop("default", None)
        return described

    def field_is_required(self, field: _Field, total: bool) -> bool:
        schema: Any = field["schema"]
        inner = schema["schema"] if schema["type"] == "default" else schema
        if self.mode == "serialization":
            return self._writes_nulls or bool(inner["type"] != "nullable")
        return _is_fixed(inner) or super().field_is_required(field, total)


def json_schema() -> dict[str, object]:
    """The document of ``GET /api/v1/ws/schema.json``: both unions, and the definitions that they refer to."""
    definitions = frame_definitions(REF_TEMPLATE)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:adiuva:socket-protocol:{PROTOCOL_VERSION}",
        "title": f"Adiuva socket protocol, version {PROTOCOL_VERSION}",
        "description": "A frame is one JSON text message: a ClientFrame or a ServerFrame.",
        "version": PROTOCOL_VERSION,
        "anyOf": [{"$ref": REF_TEMPLATE.format(model=name)} for name in (_CLIENT, _SERVER)],
        "$defs": definitions,
    }


def frame_definitions(
    ref_template: str,
    *,
    client: TypeAdapter[Any] = CLIENT_FRAMES,
    server: TypeAdapter[Any] = SERVER_FRAMES,
) -> dict[str, JsonSchemaValue]:
    """The schemas of the frames, their parts and both unions, by name in alphabetical order."""
    unions, shared = TypeAdapter.json_schemas(
        [(_CLIENT, "validation", client), (_SERVER, "serialization", server)],
        ref_template=ref_template,
        schema_generator=WireSchema,
    )
    # The definition of any value is empty, and not referred to.
    definitions: dict[str, JsonSchemaValue] = {name: schema for name, schema in shared["$defs"].items() if schema}
    definitions[_CLIENT] = unions[_CLIENT, "validation"]
    definitions[_SERVER] = unions[_SERVER, "serialization"]
    return dict(sorted(definitions.items()))


def frames_of(definitions: dict[str, JsonSchemaValue], union: str) -> dict[str, str]:
    """The names of the definitions of a union's frames, by type. ``union`` is ``ClientFrame`` or ``ServerFrame``."""
    mapping: dict[str, str] = definitions[union]["discriminator"]["mapping"]
    return {kind: reference.rsplit("/", 1)[1] for kind, reference in mapping.items()}


def asyncapi() -> dict[str, object]:
    """The document of ``GET /api/v1/ws/asyncapi.json``. ``receive`` and ``send`` are the server's."""
    definitions = frame_definitions(_SCHEMAS)
    received, sent = frames_of(definitions, _CLIENT), frames_of(definitions, _SERVER)
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
                "address": SOCKET_PATH,
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
            "messages": {
                kind: {"name": kind, "title": name, "payload": {"$ref": _SCHEMAS.format(model=name)}}
                for kind, name in frames.items()
            },
            "schemas": _without_discriminators(definitions),
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


def _without_discriminators(value: object) -> object:
    """``value`` without the discriminators of OpenAPI. AsyncAPI has none: each member of a union names its type."""
    if isinstance(value, dict):
        return {key: _without_discriminators(item) for key, item in value.items() if key != "discriminator"}
    return [_without_discriminators(item) for item in value] if isinstance(value, list) else value


def _is_fixed(schema: Any) -> bool:
    """Whether the schema allows one value only, as a frame's type does."""
    return bool(schema["type"] == "literal" and len(schema["expected"]) == 1)
