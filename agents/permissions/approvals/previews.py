"""The effect of a tool, as values and in a sentence. The tool runs up to its first change, which is not made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from accounts.translations import gettext_noop, pgettext_noop, translations
from agents.calls import CHANGES, CallAction, ClientAnswer, ClientCall, Row, Table
from agents.permissions.approvals.quoting import (
    MAX_TITLE_CHARS,
    MAX_VALUE_CHARS,
    in_quotes,
    quoted_words,
    show_invisible,
)
from agents.permissions.approvals.repository import Preview
from agents.permissions.approvals.sources import KINDS
from agents.tools.client import ClientExecutor, OnLate, get, using_client
from agents.tools.spec import Risk, ToolSpec

UNWRITTEN: Final = "…"
_MAX_COLUMN_CHARS: Final = 40
_LASTING: Final[Mapping[str, str]] = {
    "remember": gettext_noop("Remember for later conversations {words}."),
    "forget": gettext_noop("Forget {words} for good."),
}
_DELETES: Final = gettext_noop("Delete {kind} {name} for good.")
_DELETES_UNDOABLY: Final = gettext_noop("Delete {kind} {name}; you can undo it.")
_REPLACES: Final = gettext_noop("It replaces “{value}”.")
_OTHER_LASTING: Final = gettext_noop("Run “{tool}” with {words}.")
_FORMERLY: Final = gettext_noop("Before this request it was called “{name}”.")
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Effect:
    """A tool's first change: the action, the table, and the row before and after.

    ``by_job``: a job makes the change with texts of a model, so ``after`` has ``UNWRITTEN`` in the replaced columns.
    """

    action: CallAction
    table: Table
    preview: Preview
    by_job: bool = False


class _WouldChange(Exception):
    """Raised when a tool reaches its first change."""

    def __init__(self, call: ClientCall) -> None:
        super().__init__()
        self.call = call


@dataclass(frozen=True, kw_only=True, slots=True)
class _Trial:
    """A ``ClientExecutor`` that forwards reads, and raises ``_WouldChange`` for the first write."""

    client: ClientExecutor

    def supports(self, action: CallAction) -> bool:
        return self.client.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        if call.is_write:
            raise _WouldChange(call)
        return await self.client.execute(call, on_late=on_late)


async def first_change(tool: ToolSpec, client: ClientExecutor) -> ClientCall | None:
    """The first change that ``tool`` would make; None if it makes none, or not in a table.

    Changes nothing. Raises what the tool raises before its first change, and as ``ClientExecutor.execute``.
    """
    if tool.changes is None or tool.risk is Risk.READ:
        return None
    with using_client(_Trial(client=client)):
        try:
            await tool.execute()
        except _WouldChange as change:
            return change.call if change.call.action in CHANGES and change.call.table is not None else None
    return None


async def effect_of(tool: ToolSpec, client: ClientExecutor) -> Effect | None:
    """The first change of ``tool`` with its row. As ``first_change``; also raises ``ModelRetry`` for an unknown row."""
    if (target := tool.target) is not None:
        with using_client(client):
            row = await get(target.table, target.row_id)
        preview = Preview(before=row, after={**row, **dict.fromkeys(target.replaces, UNWRITTEN)})
        return Effect(action=CallAction.UPDATE, table=target.table, preview=preview, by_job=True)
    call = await first_change(tool, client)
    if call is None or call.table is None:
        return None
    with using_client(client):
        return Effect(action=call.action, table=call.table, preview=await _preview(call, call.table))


async def _preview(call: ClientCall, table: Table) -> Preview:
    data = dict(call.data or {})
    if call.action is CallAction.INSERT:
        return Preview(before=None, after=data)
    row = await get(table, str(data.get("id")))
    if call.action is CallAction.DELETE:
        return Preview(before=row, after=None)
    updates = data.get("updates")
    return Preview(before=row, after={**row, **(updates if isinstance(updates, dict) else {})})


def summary_of(tool_name: str, effect: Effect | None, *, language: str, can_undo: bool = False) -> str:
    """The effect of a tool in one sentence, in ``language`` (an IETF tag) if it is supported, else in English.

    ``can_undo``: the device can undo changes. Rows are named by their titles, never by their ids.
    """
    gettext = translations(language).gettext
    if effect is None:
        return gettext("Run “{tool}”.").format(tool=tool_name.replace("_", " "))
    before, after = effect.preview.before, effect.preview.after
    kind, name = gettext(KINDS[effect.table]), _named(before or after or {}, language)
    if effect.action is CallAction.INSERT:
        return gettext("Add {kind} {name}.").format(kind=kind, name=name)
    if effect.action is CallAction.DELETE or before is None or after is None:
        sentence = _DELETES_UNDOABLY if can_undo else _DELETES
        return gettext(sentence).format(kind=kind, name=name)
    changed = [column for column in after if after[column] != before.get(column)]
    if effect.by_job:
        return _job_summary(tool_name, kind, name, [each for each in changed if before.get(each)], language)
    columns = _columns(changed, language) or translations(language).pgettext("column", "nothing")
    return gettext("Change {kind} {name}: {columns}.").format(kind=kind, name=name, columns=columns)


def lasting_summary(tool_name: str, texts: Sequence[str], *, language: str) -> str:
    """As ``summary_of``, for a tool whose ``texts`` outlive or leave the conversation."""
    words = [in_quotes(show_invisible(each), language=language, max_chars=MAX_VALUE_CHARS) for each in texts]
    sentence = translations(language).gettext(_LASTING.get(tool_name, _OTHER_LASTING))
    return sentence.format(tool=tool_name.replace("_", " "), words=": ".join(words))


def replacement_notice(value: str, *, language: str) -> str:
    """The sentence about the remembered ``value`` that would be replaced."""
    shown = quoted_words(show_invisible(value), max_chars=MAX_VALUE_CHARS)
    return translations(language).gettext(_REPLACES).format(value=shown)


def former_title_notice(title: str, *, language: str) -> str:
    """The sentence about the title that the row had before this request."""
    return translations(language).gettext(_FORMERLY).format(name=quoted_words(title, max_chars=MAX_TITLE_CHARS))


def _job_summary(tool_name: str, kind: str, name: str, replaced: Sequence[str], language: str) -> str:
    gettext, tool = translations(language).gettext, tool_name.replace("_", " ")
    if not replaced:
        return gettext("Run “{tool}” for {kind} {name}.").format(tool=tool, kind=kind, name=name)
    return gettext("Run “{tool}” for {kind} {name}, replacing: {columns}.").format(
        tool=tool, kind=kind, name=name, columns=_columns(replaced, language)
    )


def _columns(names: Sequence[str], language: str) -> str:
    return ", ".join(_column(name, language) for name in names)


def _column(name: str, language: str) -> str:
    """The name of a column for the user. An unknown column of a newer client keeps its own."""
    if name in _COLUMNS:
        return translations(language).pgettext("column", _COLUMNS[name])
    return quoted_words(name, max_chars=_MAX_COLUMN_CHARS)


def _named(row: Row, language: str) -> str:
    for column in ("title", "name", "content"):
        value = row.get(column)
        if isinstance(value, str) and quoted_words(value, max_chars=MAX_TITLE_CHARS):
            return in_quotes(value, language=language)
    return translations(language).gettext("without a title")
