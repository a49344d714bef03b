"""The tasks, as the files in ``tasks/`` describe them: what the user says, and what must have come of it."""

import tomllib
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from device.tables import TableName

TASKS: Final = Path(__file__).with_name("tasks")


class UnreadableTask(Exception):
    """A file of tasks is wrong: where and why is the message."""


class Approval(StrEnum):
    """What the user answers when asked before a change; without a question the task fails."""

    YES = "yes"
    NO = "no"
    NONE = "none"
    """There is nothing to ask: a question is answered with no, and the task fails."""


class _Described(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Change(_Described):
    """One change of a row. ``values`` of an insert are all that differs from an empty row, of an update all that
    changes. A row is named by its title, or by ``project / title`` where several have it.
    """

    insert: TableName | None = None
    update: str | None = None
    delete: str | None = None
    values: dict[str, str | int | datetime | date | list[str]] = {}


class Block(_Described):
    """What one block of the answer must hold: ``points`` are labels and numbers of a chart; ``titles`` are all rows of
    cards or of a timeline; ``cells`` are in a table.
    """

    type: str
    chart: str | None = None
    points: dict[str, float] = {}
    titles: frozenset[str] = frozenset()
    cells: tuple[str, ...] = ()


def _listed(said: object) -> object:
    return [said] if isinstance(said, str) else said


def _alternatives(said: object) -> object:
    return [_listed(each) for each in said] if isinstance(said, list) else said


Messages: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Facts: TypeAlias = Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_alternatives)]
"""Each in one of several wordings; ``*`` at its end stands for any ending."""


class Task(_Described):
    """A conversation and its outcome. What is said of the answer is said of the last one.

    ``ask`` are the user's messages; one may be a command of the terminal: ``/page PLACE``, ``/popup TYPE TEXT``,
    ``/brief``, ``/brief TASK``. ``earlier`` is a conversation before, which only the memory connects with this one.
    ``plain`` is a single step, which the offline assistant must be able to take, too. ``usual`` tasks make up the usual
    run.
    """

    name: str
    category: str
    ask: Messages = Field(min_length=1)
    earlier: Messages = ()
    language: str = "en"
    plain: bool = False
    usual: bool = False
    says: Facts = ()
    omits: tuple[str, ...] = ()
    dates: tuple[date, ...] = ()
    """Days that the answer names, however they are written."""
    block: Block | None = None
    changes: tuple[Change, ...] = ()
    approval: Approval = Approval.NONE
    asks_back: bool = False
    """Whether the answer is a question, because the request can be understood in several ways."""
    declines: bool = False
    """Whether the answer says that the assistant cannot do it."""

    @property
    def id(self) -> str:
        """``category/name``."""
        return f"{self.category}/{self.name}"

    def __hash__(self) -> int:
        return hash(self.id)


def read_tasks(folder: Path = TASKS) -> list[Task]:
    """All tasks, by file and in the file's order. Raises ``UnreadableTask``."""
    tasks = [task for path in sorted(folder.glob("*.toml")) for task in _tasks_in(path)]
    ids = [task.id for task in tasks]
    if duplicate := next((name for place, name in enumerate(ids) if name in ids[:place]), None):
        raise UnreadableTask(f"Two tasks are called {duplicate}.")
    return tasks


def chosen(tasks: Iterable[Task], names: Sequence[str], *, everything: bool) -> list[Task]:
    """The tasks of these names or categories; without any the usual ones, or all. Raises ``UnreadableTask``."""
    tasks = list(tasks)
    known = {name for task in tasks for name in (task.id, task.category)}
    if unknown := sorted(set(names) - known):
        raise UnreadableTask(f"There is no task or category {', '.join(unknown)}.")
    if names:
        return [task for task in tasks if {task.id, task.category} & set(names)]
    return [task for task in tasks if everything or task.usual]


def _tasks_in(path: Path) -> list[Task]:
    try:
        described = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UnreadableTask(f"{path} cannot be read: {error}.") from None
    tasks = described.pop("task", [])
    if described or not isinstance(tasks, list):
        raise UnreadableTask(f"{path} holds more than tasks: each begins with [[task]].")
    return [_read(path, number, task) for number, task in enumerate(tasks, start=1)]


def _read(path: Path, number: int, described: dict[str, object]) -> Task:
    try:
        return Task.model_validate({**described, "category": path.stem})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        name = described.get("name") or f"number {number}"
        raise UnreadableTask(f"{path}: task {name} is wrong at {where}: {first['msg']}.") from None
