"""Example rows for the demo account, so that a first question finds something to answer from."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from device.store import Store
from device.tables import TableName


@dataclass(frozen=True, kw_only=True, slots=True)
class _Task:
    """A task: ``due`` in days from today, at ``hour``; ``comments`` are author and text."""

    title: str
    project: str | None = None
    status: str = "todo"
    priority: str = "medium"
    due: int | None = None
    hour: int = 18
    description: str | None = None
    assignee: str | None = None
    comments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Checkpoint:
    title: str
    project: str
    due: int


@dataclass(frozen=True, kw_only=True, slots=True)
class _Note:
    title: str
    content: str
    project: str | None = None


_CLIENTS: Final = {"Northwind Bakery": "Food", "Studio Lago": "Architecture"}
_PROJECTS: Final = {
    "Website relaunch": "Northwind Bakery",
    "Autumn campaign": "Northwind Bakery",
    "Villa sul lago": "Studio Lago",
}
_TASKS: Final = (
    _Task(
        title="Send the homepage draft to the bakery",
        project="Website relaunch",
        status="in_progress",
        priority="high",
        due=0,
        assignee='["Anna"]',
        comments=(
            ("Anna", "The photos are in, only the opening hours are missing."),
            ("Marco", "I have them: 7 to 19."),
        ),
    ),
    _Task(title="Call the printer about the flyers", project="Autumn campaign", priority="high", due=0, hour=11),
    _Task(title="Preparare il preventivo per lo Studio Lago", project="Villa sul lago", due=0, hour=16),
    _Task(
        title="Pay the hosting invoice",
        project="Website relaunch",
        priority="high",
        due=-3,
        comments=(("Anna", "They sent a reminder yesterday."),),
    ),
    _Task(title="Answer the survey of the chamber of commerce", priority="low", due=-1),
    _Task(title="Choose the photos for the shop page", project="Website relaunch", status="in_progress", due=2),
    _Task(
        title="Write the text for the newsletter",
        project="Autumn campaign",
        due=4,
        description="Three short paragraphs: the new bread, the tasting, the opening hours.",
    ),
    _Task(title="Prenotare il sopralluogo alla villa", project="Villa sul lago", due=6, assignee='["Giulia", "Marco"]'),
    _Task(title="Test the order form on a phone", project="Website relaunch", due=9),
    _Task(title="Collect ideas for the tasting", project="Autumn campaign", priority="low"),
    _Task(title="Buy the domain name", project="Website relaunch", status="done", due=-8),
    _Task(title="Agree on the budget", project="Autumn campaign", status="done", priority="high", due=-5),
    _Task(title="Renew the parking permit", status="done", priority="low", due=-2),
)
_CHECKPOINTS: Final = (
    _Checkpoint(title="Design approved", project="Website relaunch", due=-6),
    _Checkpoint(title="Website goes live", project="Website relaunch", due=14),
    _Checkpoint(title="Flyers delivered", project="Autumn campaign", due=5),
    _Checkpoint(title="Campaign begins", project="Autumn campaign", due=12),
    _Checkpoint(title="Consegna del progetto preliminare", project="Villa sul lago", due=21),
)
_NOTES: Final = (
    _Note(
        title="Kick-off with the bakery",
        project="Website relaunch",
        content=(
            "# Kick-off\n\n- Customers look for **opening hours** first.\n"
            "- Orders by form, no shop.\n- Colours: flour and rye."
        ),
    ),
    _Note(
        title="Ideas for the autumn",
        project="Autumn campaign",
        content="Pumpkin bread, chestnut rolls, a tasting on a Saturday. Flyers in the library and at the market.",
    ),
    _Note(
        title="Appunti dal sopralluogo",
        project="Villa sul lago",
        content="La facciata nord è umida. Chiedere al geometra le misure del terrazzo e della darsena.",
    ),
    _Note(title="Reading list", content="- A Pattern Language\n- The Design of Everyday Things"),
)


def fill_with_examples(store: Store, *, today: date, zone: tzinfo) -> None:
    """Insert all examples or none; their dates are around ``today`` in ``zone``."""
    with store.transaction():
        clients = {name: _added(store, TableName.CLIENTS, name=name, industry=kind) for name, kind in _CLIENTS.items()}
        projects = {
            name: _added(store, TableName.PROJECTS, name=name, clientId=clients[client])
            for name, client in _PROJECTS.items()
        }
        for task in _TASKS:
            _add_task(store, task, projects, due=_moment(task.due, today, task.hour, zone))
        for checkpoint in _CHECKPOINTS:
            _added(
                store,
                TableName.CHECKPOINTS,
                projectId=projects[checkpoint.project],
                title=checkpoint.title,
                date=_moment(checkpoint.due, today, 9, zone),
            )
        for note in _NOTES:
            project_id = projects[note.project] if note.project else None
            _added(store, TableName.NOTES, projectId=project_id, title=note.title, content=note.content)


def _add_task(store: Store, task: _Task, projects: dict[str, str], *, due: int | None) -> None:
    task_id = _added(
        store,
        TableName.TASKS,
        projectId=projects[task.project] if task.project else None,
        title=task.title,
        description=task.description,
        status=task.status,
        priority=task.priority,
        assignee=task.assignee,
        dueDate=due,
    )
    for author, content in task.comments:
        _added(store, TableName.TASK_COMMENTS, taskId=task_id, author=author, content=content)


def _added(store: Store, table: TableName, **columns: str | int | None) -> str:
    return str(store.insert(table, columns)["id"])


def _moment(days: int | None, today: date, hour: int, zone: tzinfo) -> int | None:
    if days is None:
        return None
    moment = datetime.combine(today + timedelta(days=days), time(hour), tzinfo=zone)
    return round(moment.timestamp() * 1000)
