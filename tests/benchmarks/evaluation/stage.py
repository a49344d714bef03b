"""Conversations for the judge, made of what happened on a real device."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.evaluation.conversation import Conversation, Exchange, Question, ShownBlock, ToolUse
from benchmarks.evaluation.judge import Kind, judge
from benchmarks.evaluation.task import Task
from benchmarks.evaluation.world import Snapshot, World, changes, found, seeded_rows, snapshot
from device.store import Store
from device.tables import TableName

WORLD = World.read()
ROWS: Snapshot = seeded_rows(WORLD)

Act = Callable[[Store], object]


def task(**described: object) -> Task:
    """A task about nothing in particular."""
    return Task.model_validate({"name": "example", "category": "examples", "ask": "Do it.", **described})


def said(
    text: str,
    *,
    act: Act | None = None,
    blocks: Sequence[ShownBlock] = (),
    asked: Sequence[str] = (),
    tools: Sequence[ToolUse] = (),
    ended: str = "done",
) -> Conversation:
    """A conversation of one answer. ``act`` changes rows, ``asked`` are questions that were answered with yes."""
    with TemporaryDirectory() as folder, closing(WORLD.store(Path(folder) / "device.sqlite3")) as store:
        if act is not None:
            act(store)
        changed = changes(ROWS, snapshot(store))
    questions = [Question(tool="delete_task", summary=summary, approved=True) for summary in asked]
    exchange = Exchange(
        asked="Do it.", ended=ended, text=text, blocks=blocks, questions=questions, changes=changed, tools=tools
    )
    return Conversation(exchanges=[exchange], changes=changed)


def kinds(described: Task, conversation: Conversation) -> list[Kind]:
    """The kinds of faults that the judge finds."""
    return [fault.kind for fault in judge(described, conversation, WORLD, ROWS)]


def updates(title: str, **columns: str | int | None) -> Act:
    """Changes the row called ``title``."""
    table, row_id = found(ROWS, title)
    return lambda store: store.update(table, row_id, columns)


def deletes(title: str) -> Act:
    """Deletes the row called ``title``."""
    table, row_id = found(ROWS, title)
    return lambda store: store.delete(table, row_id)


def inserts(**columns: str | int | None) -> Act:
    """Inserts a task."""
    return lambda store: store.insert(TableName.TASKS, columns)
