"""The protocol's documents: ``/api/v1/ws/schema.json`` and ``/api/v1/ws/asyncapi.json``."""

from accounts.rest.documents import Document, DocumentView
from accounts.rest.openapi import document
from chat.protocol.asyncapi import asyncapi
from chat.protocol.schema import json_schema


@document(
    "getFrameSchema",
    summary="The socket protocol as JSON Schema",
    description=(
        "JSON Schema 2020-12 of every frame, made from the models that the server itself reads and writes frames with. "
        "`$defs` holds `ClientFrame` and `ServerFrame`, the unions of what either side sends, and a definition for "
        "each frame."
    ),
)
class FrameSchemaView(DocumentView):
    document = Document(json_schema)


@document(
    "getAsyncapi",
    summary="The socket protocol as AsyncAPI",
    description="An AsyncAPI 3 document of the socket: its address, its credentials, and the frames either way.",
)
class AsyncapiView(DocumentView):
    document = Document(asyncapi)
