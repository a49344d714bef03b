"""The protocol's page describes every frame exactly as its model does."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from chat.protocol.frames import client, server
from chat.protocol.frames.vocabulary import CloseCode, ErrorCode, Frame

pytestmark = pytest.mark.contracts

PAGE = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text(encoding="utf-8")
CLIENT = "Client to server"
SERVER = "Server to client"


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def documented(title: str) -> dict[str, str]:
    """The cell with the fields, by frame type."""
    rows = [line.strip("|").split("|") for line in section(title).splitlines() if line.startswith("| `")]
    return {kind: row[1] for row in rows for kind in re.findall(r"`(\w+)`", row[0])}


def models(module: object) -> dict[str, type[BaseModel]]:
    """The frames declared in a module, by type."""
    return {
        value.model_fields["type"].default: value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Frame) and "type" in value.model_fields
    }


def fields_in(cell: str) -> set[str]:
    """The fields in a cell, optional ones with their question mark."""
    named = cell.partition("`: ")  # what follows the last field's colon is prose
    return set(re.findall(r"`(\w+\??)`", named[0] + "`"))


def fields_of(model: type[BaseModel], *, optional_when_default: bool) -> set[str]:
    fields = {name: field for name, field in model.model_fields.items() if name != "type"}
    return {
        f"{name}?" if (optional_when_default and not field.is_required()) or field.default is None else name
        for name, field in fields.items()
    }


@pytest.mark.parametrize("kind", sorted(set(models(client)) - {"tool_result", "data_response", "ping", "pong"}))
def test_client_frames_are_documented_as_they_are(kind: str) -> None:
    assert fields_in(documented(CLIENT)[kind]) == fields_of(models(client)[kind], optional_when_default=True)


@pytest.mark.parametrize(
    "kind", sorted(set(models(server)) - {"data_request", "mutation", "text_chunk", "final", "ping"})
)
def test_server_frames_are_documented_as_they_are(kind: str) -> None:
    assert fields_in(documented(SERVER)[kind]) == fields_of(models(server)[kind], optional_when_default=False)


def test_answers_and_the_older_chat_are_documented_as_they_are() -> None:
    answer = {name for name in client.ToolResult.model_fields if name != "type"}
    assert fields_in(documented(CLIENT)["tool_result"]) == answer
    assert client.DataResponse.model_fields.keys() == client.ToolResult.model_fields.keys()
    assert server.DataRequest.model_fields.keys() == server.ToolCallFrame.model_fields.keys()
    assert fields_in(documented(SERVER)["final"]) == {"text", "response", "done"}
    assert {*server.TextChunk.model_fields, *server.FinalFrame.model_fields} == {"type", "text", "response", "done"}


def test_every_frame_is_documented_and_no_other() -> None:
    assert documented(CLIENT).keys() == models(client).keys()
    assert documented(SERVER).keys() == models(server).keys()


def test_codes_are_documented() -> None:
    codes = PAGE.split("Error codes, closed: ")[1].split("\n\n")[0].split(". A request")[0]
    closes = PAGE.split("Close codes: ")[1].split("\n\n")[0]

    assert set(re.findall(r"`(\w+)`", codes)) - {"details"} == set(ErrorCode)
    assert {int(code) for code in re.findall(r"\b(1\d{3}|4\d{3})\b", closes)} == {*CloseCode}
