"""``/history``, ``/undo`` and ``/redo`` at the prompt."""

from collections.abc import Sequence
from io import StringIO
from zoneinfo import ZoneInfo

import pytest
from pydantic import JsonValue

from device.errors import UsageError
from device.executor import Executor
from device.history import ChangeHistory
from device.screen import Screen
from device.store import Store
from device.tables import TableName
from tests.device.clocks import ManualClock
from tests.device.drawing import console, written

ROME = ZoneInfo("Europe/Rome")


class Prompt:
    """The commands, and what they said."""

    def __init__(self, store: Store) -> None:
        self._out, self._err = console(width=200), console(width=200)
        self.executor = Executor(store)
        self._history = ChangeHistory(self.executor.journal, Screen(self._out, self._err, zone=ROME))
        self._calls = 0

    def take(self, line: str) -> bool:
        command, _, words = line.partition(" ")
        return self._history.take(command, words)

    def call(self, action: str, table: TableName, data: JsonValue, *, request: str, by: str = "task_agent") -> str:
        """A call of the server; the id of its row."""
        self._calls += 1
        call: dict[str, JsonValue] = {"id": f"c{self._calls}", "action": action, "table": table, "data": data}
        row = self.executor.execute({**call, "request_id": request, "by": by}).get("row")
        return str(row["id"]) if isinstance(row, dict) else ""

    def lines(self) -> Sequence[str]:
        """What was said since this was last asked, complaints last."""
        said = [*written(self._out).splitlines(), *written(self._err).splitlines()]
        for target in (self._out, self._err):
            target.file = StringIO()
        return [line.rstrip() for line in said]


@pytest.fixture
def prompt(store: Store) -> Prompt:
    return Prompt(store)


@pytest.fixture
def roof(prompt: Prompt) -> str:
    """A task that one answer made, and another changed."""
    roof = prompt.call("insert", TableName.TASKS, {"title": "Roof"}, request="r1")
    prompt.call("update", TableName.TASKS, {"id": roof, "updates": {"status": "done"}}, request="r2")
    return roof


def test_undo_takes_back_answer_after_answer(prompt: Prompt, store: Store, roof: str) -> None:
    assert prompt.take("/undo")
    assert prompt.lines() == ["Reverted the task “Roof”.", "- status done", "+ status todo"]
    assert prompt.take("/undo")
    assert prompt.lines() == ["Removed the task “Roof”."]
    assert store.get(TableName.TASKS, roof) is None
    assert prompt.take("/undo")
    assert prompt.lines() == ["There is nothing to undo."]


def test_redo_does_again_what_was_undone_last(prompt: Prompt, store: Store, roof: str) -> None:
    assert prompt.take("/redo")
    prompt.take("/undo")
    prompt.take("/undo")
    prompt.lines()
    assert prompt.take("/redo")
    assert prompt.lines() == ["Restored the task “Roof”."]
    assert prompt.take("/redo")
    assert prompt.lines() == ["Nothing was undone here."]
    assert (store.get(TableName.TASKS, roof) or {})["status"] == "todo"


@pytest.mark.parametrize("gone", [True, False])
def test_redo_that_meets_a_conflict_can_be_said_again(prompt: Prompt, store: Store, roof: str, *, gone: bool) -> None:
    prompt.call("insert", TableName.CLIENTS, {"name": "ACME"}, request="r2")
    prompt.take("/undo")
    prompt.executor.journal.update(TableName.TASKS, roof, {"title": "Door"})
    assert not prompt.take("/redo")
    if gone:
        prompt.executor.journal.update(TableName.TASKS, roof, {"title": "Roof"})
    assert prompt.take("/redo" if gone else "/redo rest") == gone

    assert store.counts()[TableName.CLIENTS] == 1
    assert (store.get(TableName.TASKS, roof) or {})["status"] == ("done" if gone else "todo")
    prompt.lines()
    assert prompt.take("/redo")
    assert prompt.lines() == ["Nothing was undone here."]


def test_what_was_changed_since_is_shown_as_it_is_and_as_it_would_be(prompt: Prompt, store: Store, roof: str) -> None:
    prompt.call("insert", TableName.CLIENTS, {"name": "ACME"}, request="r2")
    prompt.executor.journal.update(TableName.TASKS, roof, {"title": "Door"})
    assert not prompt.take("/undo")
    left = "Left as they are, because of what was changed since. Nothing was undone: "
    assert prompt.lines() == [
        "The task “Door”, as it is and as it would be:",
        "- title  Door",
        "+ title  Roof",
        "- status done",
        "+ status todo",
        f"{left}with “rest” behind the command, all else is.",
    ]
    assert store.counts()[TableName.CLIENTS] == 1
    assert not prompt.take("/undo rest")
    assert prompt.lines()[0] == "Removed the client “ACME”."
    assert (store.counts()[TableName.CLIENTS], (store.get(TableName.TASKS, roof) or {})["title"]) == (0, "Door")


def test_undo_of_the_day_leaves_the_users_own_changes(prompt: Prompt, store: Store, clock: ManualClock) -> None:
    prompt.call("insert", TableName.CLIENTS, {"name": "Before"}, request="r1")
    clock.now += 24 * 3_600_000
    prompt.call("insert", TableName.CLIENTS, {"name": "Today"}, request="r2", by="mcp: notes")
    prompt.executor.journal.insert(TableName.CLIENTS, {"name": "Mine"})
    assert prompt.take("/undo day")
    assert prompt.lines() == ["Removed the client “Today”."]
    assert [row["name"] for row in store.select(TableName.CLIENTS, {})] == ["Before", "Mine"]


def test_undo_by_a_name_takes_back_what_it_changed_today(prompt: Prompt, store: Store, clock: ManualClock) -> None:
    prompt.call("insert", TableName.CLIENTS, {"name": "Before"}, request="r1", by="mcp: notes")
    clock.now += 24 * 3_600_000
    prompt.call("insert", TableName.CLIENTS, {"name": "Today"}, request="r2", by="mcp: notes")
    prompt.call("insert", TableName.CLIENTS, {"name": "Other"}, request="r3", by="mcp: notes 2")
    assert prompt.take("/undo by mcp: notes")
    assert prompt.lines() == ["Removed the client “Today”."]
    assert [row["name"] for row in store.select(TableName.CLIENTS, {})] == ["Before", "Other"]


def test_history_says_what_was_changed_when_and_by_whom(prompt: Prompt, roof: str, clock: ManualClock) -> None:
    clock.now += 60_000
    prompt.executor.journal.delete(TableName.TASKS, roof)
    prompt.call("insert", TableName.NOTES, {"title": "x" * 70}, request="r3", by="mcp: a\x1b[31mb")
    prompt.take("/undo")
    prompt.lines()
    prompt.take("/history")
    assert prompt.lines() == [
        f"23:14  user: an undo; deleted the note “{'x' * 60}…”",
        f"23:14  mcp: a[31mb: added the note “{'x' * 60}…”  undone",
        "23:14  user: deleted the task “Roof”",
        "23:13  task_agent: changed the task “Roof”",
        "23:13  task_agent: added the task “Roof”",
    ]
    prompt.take("/history 2023-11-14")
    assert len(prompt.lines()) == 5
    for day in ("2023-11-15", "9999-12-31"):
        prompt.take(f"/history {day}")
        assert prompt.lines()[-1] == "Nothing was changed that day."


@pytest.mark.parametrize(
    "line", ["/undo all", "/undo day day", "/undo by", "/redo it", "/history a b", "/history soon"]
)
def test_what_cannot_be_read_is_refused(prompt: Prompt, line: str) -> None:
    with pytest.raises(UsageError):
        prompt.take(line)
