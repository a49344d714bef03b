"""Answers of a real small model (docs/evaluation.md), with all their faults, as they are read and shown.

``written`` is what the model wrote, ``calls`` are the calls in it, and ``shown`` is what the user sees of the rest.
"""

import json
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from agents.engine.model_text import ModelText
from agents.engine.roster import ASSISTANT_TOOLS
from agents.events import ToolCall
from agents.tools.context import CallContext
from chat.formatters.blocks import TextPart
from chat.formatters.formatter import Formatter
from tests.agents.embedding import RecordingEmbedder

FILE = Path(__file__).with_name("recorded_answers.jsonl")
RECORDED: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
ROME = ZoneInfo("Europe/Rome")
CONTEXT = CallContext(
    user_id=UUID(int=1),
    timezone=ROME,
    language="en",
    now=lambda: datetime(2026, 3, 10, tzinfo=ROME),
    embedder=RecordingEmbedder(),
)
ROWS = [{"id": "row-1", "title": "Review the contract"}]
IDS = {"t1": "row-1"}
TOOLS = {tool.tool_name: tool for tool in ASSISTANT_TOOLS}


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: recorded["fault"])
def test_recorded_answer_is_read_and_shown(recorded: dict[str, Any], size: int) -> None:
    written, reader = recorded["written"], ModelText(TOOLS)
    formatter = Formatter(lambda _reason: None, rows=lambda _entity: ROWS, language="en", timezone=ROME, row_id=IDS.get)
    pieces = [piece for at in range(0, len(written), size) for piece in reader.feed(written[at : at + size])]
    pieces += reader.end()
    calls = [[piece.name, json.loads(piece.arguments)] for piece in pieces if isinstance(piece, ToolCall)]
    texts = [piece for piece in pieces if isinstance(piece, str)]
    parts = [part for text in texts for part in formatter.feed(text)]
    parts += formatter.end_message() if texts else []

    assert calls == recorded["calls"]
    assert "".join(part.text if isinstance(part, TextPart) else "[chart]" for part in parts) == recorded["shown"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [call for recorded in RECORDED for call in recorded["calls"]],
    ids=lambda value: str(value)[:30],
)
def test_recorded_call_has_arguments_that_its_tool_takes(name: str, arguments: dict[str, Any]) -> None:
    tool = TOOLS[name].from_arguments(json.dumps(arguments), CONTEXT)

    assert tool.arguments.keys() <= arguments.keys()
