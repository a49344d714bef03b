"""Which plan answers which command."""

from typing import assert_never

from agents.offline.answers import Answer
from agents.offline.commands import (
    AddComment,
    ChangeRow,
    Command,
    CreateRow,
    DeleteRow,
    ForgetMemory,
    Incomplete,
    ListComments,
    ListRows,
    PlanProject,
    RecallMemory,
    Remember,
    ReviewWeek,
    SearchHistory,
    SearchNotes,
    ShowPage,
    ShowRow,
    SummarizeProject,
    Talk,
    WhatNext,
)
from agents.offline.desk import Desk, Plan
from agents.offline.effects import add_comment, ask, change_row, create_row, delete_row
from agents.offline.jobs import plan_project, review_week, summarize_project
from agents.offline.listings import list_rows
from agents.offline.memories import forget, recall, remember, search_history
from agents.offline.pages import show_page
from agents.offline.showing import list_comments, search_notes, show_row, what_next


def plan(desk: Desk, command: Command) -> Plan:  # noqa: C901 - one case a command
    """The plan that carries ``command`` out."""
    match command:
        case ListRows():
            return list_rows(desk, command)
        case WhatNext():
            return what_next(desk)
        case ShowPage():
            return show_page(desk)
        case ShowRow():
            return show_row(desk, command)
        case ListComments():
            return list_comments(desk, command)
        case SearchNotes():
            return search_notes(desk, command)
        case CreateRow():
            return create_row(desk, command)
        case AddComment():
            return add_comment(desk, command)
        case ChangeRow():
            return change_row(desk, command)
        case DeleteRow():
            return delete_row(desk, command)
        case Remember():
            return remember(desk, command)
        case RecallMemory():
            return recall(desk, command)
        case ForgetMemory():
            return forget(desk, command)
        case SearchHistory():
            return search_history(desk, command)
        case SummarizeProject():
            return summarize_project(desk, command)
        case PlanProject():
            return plan_project(desk, command)
        case ReviewWeek():
            return review_week(desk)
        case Incomplete():
            return _at_once(ask(desk, command))
        case Talk():
            return _at_once(Answer(text=desk.phrases.talk[command]))
        case _:
            assert_never(command)


def _at_once(answer: Answer) -> Plan:
    """A plan that needs no tools."""
    yield from ()
    return answer
