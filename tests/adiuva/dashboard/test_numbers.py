"""The dashboard's numbers against those counted in Python from the same ledger."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from accounts.auth.devices import note_online
from accounts.models import User
from adiuva.dashboard import numbers
from adiuva.dashboard.numbers import SHOWN, Period, Turns, span
from agents.jobs import service
from agents.telemetry.models import TurnRecord
from tests.accounts.device_rows import stored_device
from tests.adiuva.dashboard.ledger import write_turns
from tests.agents.jobs.making import make

NOW = datetime(2026, 3, 29, 10, 25, tzinfo=UTC)
WEEK = span(Period.WEEK, NOW)


@pytest.fixture
def ledger(alice: User, bob: User) -> list[TurnRecord]:
    """The turns within the week; the database has three weeks of them."""
    turns = write_turns((alice, bob), until=NOW, days=21, number=600)
    return [turn for turn in turns if turn.started_at >= WEEK.start]


def counted(turns: Sequence[TurnRecord]) -> Turns:
    first = sorted(turn.first_text_ms for turn in turns if turn.first_text_ms is not None)
    asked = [turn for turn in turns if turn.kind not in {"job", "mcp"}]
    return Turns(
        turns=len(asked),
        failed=sum(turn.outcome == "error" for turn in asked),
        input_tokens=sum(turn.input_tokens for turn in turns),
        output_tokens=sum(turn.output_tokens for turn in turns),
        tool_calls=sum(turn.tool_calls for turn in turns),
        tool_failures=sum(turn.tool_failures for turn in turns),
        waits=first,
    )


def _ranked(values: Sequence[int], share: float) -> int | None:
    """The smallest value that is at least as large as ``share`` of all values."""
    return next((value for number, value in enumerate(values, 1) if number >= share * len(values)), None)


def by(turns: Sequence[TurnRecord], key: Callable[[TurnRecord], object]) -> dict[object, list[TurnRecord]]:
    groups: dict[object, list[TurnRecord]] = {}
    for turn in turns:
        groups.setdefault(key(turn), []).append(turn)
    return groups


def test_the_ledger_reaches_over_the_whole_week_and_beyond(ledger: list[TurnRecord]) -> None:
    assert len({turn.started_at.date() for turn in ledger}) == WEEK.count
    assert TurnRecord.objects.count() > len(ledger)


def test_turns_are_counted_altogether(ledger: list[TurnRecord]) -> None:
    assert numbers.activity(WEEK).total == counted(ledger)


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_some_turns_wait_longer_for_the_first_text(ledger: list[TurnRecord], share: float) -> None:
    total = numbers.activity(WEEK).total

    assert total.first_text_ms(share) == _ranked(counted(ledger).waits, share)
    assert Turns().first_text_ms(share) is None


def test_turns_are_counted_step_by_step(ledger: list[TurnRecord]) -> None:
    days = by(ledger, lambda turn: turn.started_at.replace(hour=0, minute=0, second=0, microsecond=0))

    assert numbers.activity(WEEK).steps == {day: counted(turns) for day, turns in days.items()}


def test_turns_are_counted_model_by_model_the_costliest_first(ledger: list[TurnRecord]) -> None:
    models = {model: counted(turns) for model, turns in by(ledger, lambda turn: turn.model).items()}

    found = numbers.activity(WEEK).models
    assert dict(found) == models
    assert list(found) == sorted(models, key=lambda model: -models[model].tokens)


def test_tools_are_counted_with_their_failures(ledger: list[TurnRecord]) -> None:
    calls, failures = Counter[str](), Counter[str]()
    for turn in ledger:
        for tool in turn.tools.all():
            calls[tool.tool] += tool.calls
            failures[tool.tool] += tool.failures

    found = numbers.tools(WEEK)
    assert {use.tool: (use.calls, use.failures) for use in found} == {
        tool: (calls[tool], failures[tool]) for tool in calls
    }
    assert [use.calls for use in found] == sorted(calls.values(), reverse=True)


def test_users_are_listed_by_what_they_cost(ledger: list[TurnRecord]) -> None:
    users = {user.email: counted(turns) for user, turns in by(ledger, lambda turn: turn.user).items()}  # type: ignore[attr-defined]

    found = numbers.users(WEEK)
    assert {user.user: (user.turns, user.tokens, user.failed) for user in found} == {
        email: (turns.turns, turns.tokens, turns.failed) for email, turns in users.items()
    }
    assert [user.tokens for user in found] == sorted((user.tokens for user in found), reverse=True)


def test_only_the_most_active_users_are_listed(alice: User) -> None:
    crowd = [User.objects.create(email=f"user{number}@example.com") for number in range(SHOWN + 2)]
    write_turns(crowd, until=NOW, days=1, number=200)

    assert len(numbers.users(WEEK)) == SHOWN


def test_errors_are_counted_by_their_code(ledger: list[TurnRecord]) -> None:
    codes = Counter(turn.error_code for turn in ledger if turn.outcome == "error")

    assert numbers.activity(WEEK).errors == dict(codes)


def test_without_turns_everything_is_nothing(db: None) -> None:
    activity = numbers.activity(WEEK)

    assert activity == numbers.Activity()
    assert (numbers.tools(WEEK), numbers.users(WEEK)) == ([], [])
    assert activity.total.tool_success is None


def test_devices_are_counted_now_and_at_most(alice: User) -> None:
    laptop, phone = [(alice.id, str(stored_device(alice, name).id)) for name in ("laptop", "phone")]
    today = WEEK.steps[-1]
    note_online([laptop, phone], now=NOW - timedelta(hours=1))
    note_online([laptop], now=NOW)

    assert numbers.devices(WEEK) == {today: 2}


def test_jobs_are_counted_by_the_step_they_began_in_and_where_they_stand(alice: User) -> None:
    today, yesterday = WEEK.steps[-1], WEEK.steps[-2]
    make(alice, now=NOW)
    make(alice, now=NOW, arguments={"project_id": "p2"})
    make(alice, now=NOW - timedelta(days=1), request="another")
    make(alice, now=NOW - timedelta(days=30), request="long ago")
    service.request_cancel(alice.id, make(alice, now=NOW, request="cancelled").id, now=NOW)

    assert numbers.jobs(WEEK) == {"queued": {today: 2, yesterday: 1}, "cancelled": {today: 1}}
