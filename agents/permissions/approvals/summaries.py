"""What a tool would do, in one sentence for a person, in the languages we ship. Pure.

Rows are named by what the user calls them, never by their ids.
"""

from collections.abc import Mapping
from typing import Final

from accounts.translations import gettext_noop, pgettext_noop, translations
from agents.calls import CallAction, Row, Table
from agents.permissions.approvals.previews import Effect

_LONGEST_NAME: Final = 80


_KINDS: Final[Mapping[Table, str]] = {
    Table.TASKS: gettext_noop("the task"),
    Table.PROJECTS: gettext_noop("the project"),
    Table.CHECKPOINTS: gettext_noop("the checkpoint"),
    Table.NOTES: gettext_noop("the note"),
    Table.TASK_COMMENTS: gettext_noop("the comment"),
    Table.CLIENTS: gettext_noop("the client"),
}
_COLUMNS: Final[Mapping[str, str]] = {
    "title": pgettext_noop("column", "title"),
    "name": pgettext_noop("column", "name"),
    "description": pgettext_noop("column", "description"),
    "content": pgettext_noop("column", "text"),
    "status": pgettext_noop("column", "state"),
    "priority": pgettext_noop("column", "priority"),
    "assignee": pgettext_noop("column", "people"),
    "dueDate": pgettext_noop("column", "due date"),
    "date": pgettext_noop("column", "date"),
    "projectId": pgettext_noop("column", "project"),
    "clientId": pgettext_noop("column", "client"),
    "isAiSuggested": pgettext_noop("column", "suggestion"),
    "isApproved": pgettext_noop("column", "acceptance"),
    "aiSummary": pgettext_noop("column", "summary"),
}


def summary_of(tool_name: str, effect: Effect | None, *, language: str) -> str:
    """The sentence, in ``language`` (an IETF tag) where we ship it, else in English."""
    gettext = translations(language).gettext
    if effect is None:
        return gettext("Run “{tool}”.").format(tool=tool_name.replace("_", " "))
    before, after = effect.preview.before, effect.preview.after
    kind, name = gettext(_KINDS[effect.table]), _named(before or after or {}, language)
    if effect.action is CallAction.INSERT:
        return gettext("Add {kind} {name}.").format(kind=kind, name=name)
    if effect.action is CallAction.DELETE or before is None or after is None:
        return gettext("Delete {kind} {name} for good.").format(kind=kind, name=name)
    changed = [_column(column, language) for column in after if after[column] != before.get(column)]
    columns = ", ".join(changed) or translations(language).pgettext("column", "nothing")
    return gettext("Change {kind} {name}: {columns}.").format(kind=kind, name=name, columns=columns)


def _column(name: str, language: str) -> str:
    """What people call a column; one of a newer client keeps its name."""
    return translations(language).pgettext("column", _COLUMNS[name]) if name in _COLUMNS else name


def _named(row: Row, language: str) -> str:
    for column in ("title", "name", "content"):
        value = row.get(column)
        if isinstance(value, str) and value.split():
            return translations(language).gettext("“{name}”").format(name=_short(" ".join(value.split())))
    return translations(language).gettext("without a title")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
