"""Ended turns, as observers receive them."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

from agents.adapters.base import ModelSize
from agents.events import Usage
from agents.requests import RequestKind
from agents.telemetry.turns import Generation, ObservedTurn, ToolUse, TurnOrigin, TurnOutcome, TurnSource

STARTED = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)


def generation(model: str = "large", *, input_tokens: int = 0, output_tokens: int = 0) -> Generation:
    counted = input_tokens or output_tokens
    return Generation(
        model=model,
        size=ModelSize.LARGE,
        began_s=0.1,
        ended_s=0.9,
        ok=True,
        first_text_s=0.3,
        usage=Usage(input_tokens=input_tokens, output_tokens=output_tokens) if counted else None,
    )


def use(tool: str, *, ok: bool = True, took_s: float = 0.25) -> ToolUse:
    return ToolUse(tool=tool, ok=ok, began_s=0.5, ended_s=0.5 + took_s)


def turn(
    user_id: UUID,
    *,
    request_id: str = "r1",
    kind: RequestKind = RequestKind.HOME,
    outcome: TurnOutcome = TurnOutcome.DONE,
    error_code: str = "",
    generations: tuple[Generation, ...] = (),
    tools: tuple[ToolUse, ...] = (),
    first_text_s: float | None = 0.3,
    started_at: datetime = STARTED,
) -> ObservedTurn:
    return ObservedTurn(
        id=uuid4(),
        origin=TurnOrigin(user_id=user_id, request_id=request_id, kind=kind, source=TurnSource.SOCKET),
        started_at=started_at,
        duration_s=1.234,
        outcome=outcome,
        error_code=error_code,
        agent="task_agent",
        first_text_s=first_text_s,
        generations=generations,
        tools=tools,
    )
