"""The socket protocol as JSON Schema (2020-12), made from the models of its frames. Pure."""

from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from chat.protocol.frames.codec import CLIENT_FRAMES, SERVER_FRAMES
from chat.protocol.frames.fields import WithNulls
from chat.protocol.frames.vocabulary import PROTOCOL_VERSION

REF_TEMPLATE: Final = "#/$defs/{model}"
_CLIENT, _SERVER = "ClientFrame", "ServerFrame"
_Field = core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField


class WireSchema(GenerateJsonSchema):
    """Says what is on the wire, which differs from the models in two ways.

    A frame without its type is none, although the models fill the type in. And what the server sends never holds null
    for an absent field: the field is left out, but for the parts in which null says something.
    """

    _says_null = False

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the base's signature
        # A title that repeats the field's name would have generators name a type after it.
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        if self.mode == "serialization" and not self._says_null:
            return self.generate_inner(schema["schema"])
        return super().nullable_schema(schema)

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        around, self._says_null = self._says_null, issubclass(schema["cls"], WithNulls)
        try:
            return super().model_schema(schema)
        finally:
            self._says_null = around

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        made = super().default_schema(schema)
        if self.mode == "serialization" or _is_fixed(schema["schema"]):
            # What is always there has no default, and null is none.
            made.pop("default", None)
        return made

    def field_is_required(self, field: _Field, total: bool) -> bool:
        schema: Any = field["schema"]
        inner = schema["schema"] if schema["type"] == "default" else schema
        if self.mode == "serialization":
            return self._says_null or bool(inner["type"] != "nullable")
        return _is_fixed(inner) or super().field_is_required(field, total)


def json_schema() -> dict[str, object]:
    """The document that ``GET /api/v1/ws/schema.json`` answers with: both unions, and a definition for each name."""
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
    """The schema of each frame and of each part of one, by name in alphabetical order; the unions among them."""
    unions, shared = TypeAdapter.json_schemas(
        [(_CLIENT, "validation", client), (_SERVER, "serialization", server)],
        ref_template=ref_template,
        schema_generator=WireSchema,
    )
    definitions: dict[str, JsonSchemaValue] = dict(shared["$defs"])
    definitions[_CLIENT] = unions[_CLIENT, "validation"]
    definitions[_SERVER] = unions[_SERVER, "serialization"]
    return dict(sorted(definitions.items()))


def frames_of(definitions: dict[str, JsonSchemaValue], union: str) -> dict[str, str]:
    """The name of the definition, by the frame's type, of each frame in ``ClientFrame`` or ``ServerFrame``."""
    mapping: dict[str, str] = definitions[union]["discriminator"]["mapping"]
    return {kind: reference.rsplit("/", 1)[1] for kind, reference in mapping.items()}


def _is_fixed(schema: Any) -> bool:
    """Whether the schema allows one value only, as a frame's type does."""
    return bool(schema["type"] == "literal" and len(schema["expected"]) == 1)
