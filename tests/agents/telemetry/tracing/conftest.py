"""A receiver of traces, and a turn to trace."""

import logging
from collections.abc import Iterator
from uuid import uuid4

import pytest

from agents.adapters.base import ModelSize, SystemMessage, UserMessage
from agents.events import ToolCall, Usage
from agents.telemetry.turns import Generation, GenerationContent, ObservedTurn, ToolContent, ToolUse
from tests.agents.turns import STARTED, turn
from tests.langfuse_server.ingestion import Ingestion, ingestion

USER = uuid4()
BEGAN = int(STARTED.timestamp()) * 1_000_000_000
PATIENCE_S = 30


@pytest.fixture(autouse=True)
def _unsaid(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = logging.getLogger("opentelemetry")
    monkeypatch.setattr(theirs, "handlers", [])
    monkeypatch.setattr(theirs, "propagate", True)


@pytest.fixture
def taking() -> Iterator[Ingestion]:
    with ingestion() as server:
        yield server


def a_turn(*, content: bool = False) -> ObservedTurn:
    call = ToolCall(id="1", name="list_tasks", arguments='{"title": "quincunx"}')
    messages = (SystemMessage(text="Be kind."), UserMessage(text="What of the marmalade?"))
    return turn(
        USER,
        request_id="5b9f2a4e",
        generations=(
            Generation(
                model="large-1",
                size=ModelSize.LARGE,
                began_s=0.1,
                ended_s=0.9,
                ok=True,
                first_text_s=0.3,
                usage=Usage(input_tokens=310, output_tokens=42, cached_tokens=300),
                content=GenerationContent(messages=messages, text="Two jars.", calls=(call,)) if content else None,
            ),
        ),
        tools=(
            ToolUse(
                tool="list_tasks",
                ok=False,
                began_s=0.5,
                ended_s=0.75,
                content=ToolContent(arguments=call.arguments, result="Row: gooseberry") if content else None,
            ),
        ),
    )
