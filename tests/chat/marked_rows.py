"""Rows whose texts are unique words, so that a captured request shows which rows it contains."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from agents.calls import Table
from device.tables import TableName
from tests.chat.rows import RowDevice
from tests.chat.sockets import NOW
from tests.model_server.server import ModelServer

DAY_MS = 86_400_000
NOW_MS = round(NOW.timestamp() * 1000)
_TEXTS = {
    Table.PROJECTS: ("name", "aiSummary"),
    Table.TASKS: ("title", "description"),
    Table.CHECKPOINTS: ("title",),
    Table.NOTES: ("title", "content"),
    Table.TASK_COMMENTS: ("content", "author"),
}


@dataclass
class MarkedRows:
    """The rows of a device, and which of their words were sent to a model server."""

    device: RowDevice
    random: random.Random
    words: dict[str, tuple[Table, str]] = field(default_factory=dict)
    projects: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def fill(self) -> "MarkedRows":
        """Rows in every table, with and without projects, around today."""
        self.device.store.clock = lambda: NOW_MS - self.random.randrange(3 * DAY_MS)
        self.projects = [self.add(Table.PROJECTS) for _ in range(3)]
        for _ in range(12):
            dated = {"dueDate": self._day()} if self.random.random() < 0.7 else {}
            status = self.random.choice(["todo", "in_progress", "done"])
            self.tasks.append(self.add(Table.TASKS, **self._somewhere(), **dated, status=status))
        self.notes = [self.add(Table.NOTES, **self._somewhere()) for _ in range(6)]
        for _ in range(5):
            self.add(Table.CHECKPOINTS, projectId=self.random.choice(self.projects), date=self._day())
        for task in self.random.sample(self.tasks, 5):
            self.add(Table.TASK_COMMENTS, taskId=task)
        return self

    def add(self, table: Table, **columns: Any) -> str:
        texts = {column: f"w{self.random.getrandbits(64):016x}" for column in _TEXTS[table]}
        row_id = self.device.add(table, **texts, **columns)
        self.words |= dict.fromkeys(texts.values(), (table, row_id))
        return row_id

    def word(self, row_id: str, column: int = 0) -> str:
        """One of the words of a row."""
        return [word for word, (_, found) in self.words.items() if found == row_id][column]

    def learn(self, table: Table) -> None:
        """Register the rows of ``table`` that were added or changed elsewhere: their titles serve as their words."""
        for row in self.device.store.select(TableName(table), {}):
            self.words.setdefault(f'"{row["title"]}" (', (table, str(row["id"])))

    def sent(self, model_server: ModelServer) -> set[tuple[Table, str]]:
        """The rows whose words were sent to the chat model."""
        return self._in("\n".join(_told(model_server)))

    def embedded(self, model_server: ModelServer) -> set[tuple[Table, str]]:
        """The rows whose words were sent to the embedding model."""
        return self._in("\n".join(text for request in model_server.embedding_requests for text in request.texts))

    def _in(self, told: str) -> set[tuple[Table, str]]:
        return {row for word, row in self.words.items() if word in told}

    def _day(self) -> int:
        return NOW_MS + self.random.randrange(-10, 10) * DAY_MS

    def _somewhere(self) -> dict[str, str]:
        project = self.random.choice([*self.projects, None])
        return {} if project is None else {"projectId": project}


def _told(model_server: ModelServer) -> Iterator[str]:
    for request in model_server.requests:
        for message in request.messages:
            if message["role"] != "assistant":
                yield str(message["content"])
