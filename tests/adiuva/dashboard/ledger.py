"""A deterministic ledger of turns for the dashboard to count."""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import uuid4

from accounts.models import User
from agents.requests import RequestKind
from agents.telemetry.models import TurnRecord, TurnTool
from agents.telemetry.turns import TurnOutcome, TurnSource

MODELS = ("gpt-4.1", "gpt-4.1-mini", "offline")
TOOLS = ("list_tasks", "create_task", "search_notes", "delete_task")
KINDS = (
    *(RequestKind.HOME, RequestKind.HOME, RequestKind.POPUP, RequestKind.CONTEXTUAL),
    *(RequestKind.JOB, RequestKind.MCP),
)
CODES = ("model_unavailable", "model_error", "internal_error")


def write_turns(users: Sequence[User], *, until: datetime, days: int, number: int, seed: int = 7) -> list[TurnRecord]:
    """Store ``number`` turns of ``users`` within the ``days`` before ``until``, with their tools."""
    chance = random.Random(seed)
    turns = [_turn(chance, chance.choice(users), until, days) for _ in range(number)]
    TurnRecord.objects.bulk_create(turns, batch_size=2000)
    TurnTool.objects.bulk_create([tool for turn in turns for tool in _tools(chance, turn)], batch_size=5000)
    return turns


def _turn(chance: random.Random, user: User, until: datetime, days: int) -> TurnRecord:
    outcome = chance.choices(list(TurnOutcome), weights=(90, 4, 6))[0]
    calls = chance.choice((0, 1, 1, 2, 3))
    first = None if outcome is TurnOutcome.ERROR else round(chance.lognormvariate(6.2, 0.5))
    return TurnRecord(
        user=user,
        request_id=str(uuid4()),
        kind=chance.choice(KINDS).value,
        source=TurnSource.SOCKET.value,
        agent="general_agent",
        model=chance.choice(MODELS),
        started_at=until - timedelta(seconds=chance.random() * days * 86_400),
        duration_ms=(first or 100) + chance.randrange(3000),
        first_text_ms=first,
        model_requests=1 + calls,
        input_tokens=chance.randrange(500, 4000),
        output_tokens=chance.randrange(20, 600),
        tool_calls=calls,
        tool_failures=chance.choice((0, 0, 0, 1)) if calls else 0,
        outcome=outcome.value,
        error_code=chance.choice(CODES) if outcome is TurnOutcome.ERROR else "",
    )


def _tools(chance: random.Random, turn: TurnRecord) -> list[TurnTool]:
    if not turn.tool_calls:
        return []
    return [
        TurnTool(
            turn=turn,
            started_at=turn.started_at,
            tool=chance.choice(TOOLS),
            calls=turn.tool_calls,
            failures=turn.tool_failures,
            duration_ms=chance.randrange(200),
        )
    ]
