"""The TypeScript client's types are generated from the current schema. Needs no Node."""

import hashlib
import io
import json
from contextlib import redirect_stdout

import pytest
from django.core.management import call_command
from pydantic import create_model

from chat.protocol.frames.server import ServerFrame, StreamText
from chat.protocol.schema import REF_TEMPLATE, frame_definitions, json_schema
from tests.chat.protocol.test_schema_document import adapter
from tests.generated import FRAME_SCHEMA, FRAME_TYPES

pytestmark = pytest.mark.contracts

SCHEMA = FRAME_SCHEMA.read_text(encoding="utf-8")
STALE = "run ./dev generate"


def test_schema_of_client_equals_that_of_server() -> None:
    written = io.StringIO()
    with redirect_stdout(written):
        call_command("frame_schema")

    assert json.loads(written.getvalue()) == json.loads(json.dumps(json_schema()))
    assert written.getvalue() == SCHEMA, STALE


def test_types_of_client_are_generated_from_its_schema() -> None:
    first = FRAME_TYPES.read_text(encoding="utf-8").splitlines()[0]

    assert f"SHA-256 {hashlib.sha256(SCHEMA.encode()).hexdigest()})" in first, STALE


def test_schema_of_client_is_stale_after_field_changes() -> None:
    changed = create_model("StreamText", __base__=StreamText, language=(str, ...))
    served = frame_definitions(REF_TEMPLATE, server=adapter(ServerFrame, instead_of=StreamText, new=changed))

    assert json.loads(SCHEMA)["$defs"] == json.loads(json.dumps(frame_definitions(REF_TEMPLATE)))
    assert json.loads(SCHEMA)["$defs"] != json.loads(json.dumps(served))
