"""What a tool would do, in one sentence for a person, in the languages we ship. Pure.

Rows are named by what the user calls them, never by their ids.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agents.calls import CallAction, Row, Table
from agents.permissions.approvals.previews import Effect

_LONGEST_NAME: Final = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class _Language:
    delete: str
    update: str
    insert: str
    other: str
    quotes: str
    unnamed: str
    unchanged: str
    kinds: Mapping[Table, str]
    columns: Mapping[str, str]


_ENGLISH: Final = _Language(
    delete="Delete {kind} {name} for good.",
    update="Change {kind} {name}: {columns}.",
    insert="Add {kind} {name}.",
    other="Run “{tool}”.",
    quotes="“{}”",
    unnamed="without a title",
    unchanged="nothing",
    kinds={
        Table.TASKS: "the task",
        Table.PROJECTS: "the project",
        Table.CHECKPOINTS: "the checkpoint",
        Table.NOTES: "the note",
        Table.TASK_COMMENTS: "the comment",
        Table.CLIENTS: "the client",
    },
    columns={
        "title": "title",
        "name": "name",
        "description": "description",
        "content": "text",
        "status": "state",
        "priority": "priority",
        "assignee": "people",
        "dueDate": "due date",
        "date": "date",
        "projectId": "project",
        "clientId": "client",
        "isAiSuggested": "suggestion",
        "isApproved": "acceptance",
        "aiSummary": "summary",
    },
)
_ITALIAN: Final = _Language(
    delete="Eliminare definitivamente {kind} {name}.",
    update="Modificare {kind} {name}: {columns}.",
    insert="Aggiungere {kind} {name}.",
    other="Eseguire «{tool}».",
    quotes="«{}»",
    unnamed="senza titolo",
    unchanged="niente",
    kinds={
        Table.TASKS: "l'attività",
        Table.PROJECTS: "il progetto",
        Table.CHECKPOINTS: "il checkpoint",
        Table.NOTES: "la nota",
        Table.TASK_COMMENTS: "il commento",
        Table.CLIENTS: "il cliente",
    },
    columns={
        "title": "titolo",
        "name": "nome",
        "description": "descrizione",
        "content": "testo",
        "status": "stato",
        "priority": "priorità",
        "assignee": "persone",
        "dueDate": "scadenza",
        "date": "data",
        "projectId": "progetto",
        "clientId": "cliente",
        "isAiSuggested": "suggerimento",
        "isApproved": "accettazione",
        "aiSummary": "riassunto",
    },
)


def summary_of(tool_name: str, effect: Effect | None, *, language: str) -> str:
    """The sentence, in ``language`` (an IETF tag) where we ship it, else in English."""
    words = _ITALIAN if language.partition("-")[0].lower() == "it" else _ENGLISH
    if effect is None:
        return words.other.format(tool=tool_name.replace("_", " "))
    before, after = effect.preview.before, effect.preview.after
    name = _named(before or after or {}, words)
    kind = words.kinds[effect.table]
    if effect.action is CallAction.INSERT:
        return words.insert.format(kind=kind, name=name)
    if effect.action is CallAction.DELETE or before is None or after is None:
        return words.delete.format(kind=kind, name=name)
    changed = [words.columns.get(column, column) for column in after if after[column] != before.get(column)]
    return words.update.format(kind=kind, name=name, columns=", ".join(changed) or words.unchanged)


def _named(row: Row, words: _Language) -> str:
    for column in ("title", "name", "content"):
        value = row.get(column)
        if isinstance(value, str) and value.split():
            return words.quotes.format(_short(" ".join(value.split())))
    return words.unnamed


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
