"""The kind of the call that a tool would make, and the verdict of the table of consent on it."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import Final, assert_never

from pydantic import JsonValue

from agents.calls import CallAction, ClientCall, Row, Table
from agents.errors import ClientError, ToolFailed
from agents.permissions.approvals.consent_table import CallKind, Verdict, verdict_on
from agents.permissions.approvals.naming import (
    begins_with,
    is_mine,
    is_on_page,
    names,
    names_in_plain,
    repeats,
    states,
)
from agents.permissions.approvals.passages import ReadSoFar
from agents.permissions.approvals.previews import first_change
from agents.permissions.approvals.sources import CallSubject, Source, distinctive, source_of
from agents.permissions.approvals.speech_acts import change_requests, may_mean_rows, may_order, statements
from agents.permissions.withholding import SharingFilter
from agents.scopes import viewed_row
from agents.titles import plain
from agents.tools.client import RecordingClient, find, renamed_from, using_client
from agents.tools.context import CallContext
from agents.tools.recollection import Forget, Remember
from agents.tools.rows import text, title_of
from agents.tools.spec import Agent, Risk, ToolSpec
from memory.preference_keys import key_meant
from memory.search.words import sentences_of
from memory.speech import own_words

LONG_TEXT: Final = 200
"""From this number of characters on, a text is long."""
MAX_UNASKED: Final = 10
"""How many lasting calls of a request can run without asking: in a long message, many calls repeat the user's words."""
_MIN_KEPT_SHARE: Final = 0.5
"""A change that keeps a smaller share of a long text removes most of it."""
_TEXT_COLUMNS: Final = ("content", "description", "aiSummary")
_MAIN_COLUMNS: Final = ("content",)
"""Columns that cannot be emptied without asking, even if their text is short."""
_FORGET_VERBS: Final = ("forget", "dimentica", "scorda")
_CLAUSE_END: Final = re.compile(r"[,;:]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """A call and its verdict, which is ``RUN``, ``TELL`` or ``ASK``.

    ``change`` is its first change. ``read`` is what the model had read before. ``kept`` is the value that is remembered
    under its key. ``replaced`` is the same value if the call would replace it.
    """

    kind: CallKind
    verdict: Verdict
    read: ReadSoFar
    change: ClientCall | None = None
    kept: str = field(default="", repr=False)
    replaced: str = field(default="", repr=False)

    def risk(self, tool: ToolSpec) -> Risk:
        """The risk of the call, which may be higher than that of ``tool``."""
        return Risk.DESTRUCTIVE if self.kind is CallKind.IRREVERSIBLE else tool.risk


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Judges the calls of one run. ``said`` is the user's message, and ``results`` has the rows that were read.

    ``tables`` returns the tables of the rows that the model may have read, by their ids. ``can_undo`` returns whether
    the device can undo changes.
    """

    sharing: SharingFilter
    results: RecordingClient | None = None
    said: str = ""
    by_program: bool = False
    tables: Callable[[], Mapping[str, Table]] = dict
    can_undo: Callable[[], bool] = lambda: False
    _originals: dict[tuple[Table, str, str], str] = field(default_factory=dict, init=False, repr=False)
    _unasked: list[tuple[str, Mapping[str, JsonValue]]] = field(default_factory=list, init=False, repr=False)
    """The lasting calls that ran without asking."""
    _on_page: list[str] = field(default_factory=list, init=False, repr=False)
    """The row of the viewed project that was changed without being named. The user can mean only one such row."""

    async def judge(self, tool: ToolSpec, context: CallContext, read: ReadSoFar) -> Judged:
        """Judge a call of ``tool``. Raises what the tool raises before its first change."""
        change = await first_change(tool, self.sharing)
        row = self._row(tool, change)
        kind = await self._kind(tool, context, change, row)
        verdict = verdict_on(kind, read.provenance, by_program=self.by_program)
        kept = await _kept(tool, context)
        replaced = kept if isinstance(tool, Remember) and not repeats(kept, tool.value) else ""
        runs = self._runs(verdict, tool, context, read, kept) and (not replaced or _states_value(tool, read, kept))
        asks = verdict is not Verdict.TELL and not runs
        return Judged(
            kind=kind,
            verdict=Verdict.ASK if asks else Verdict.RUN if runs else verdict,
            read=read,
            change=change,
            kept=kept,
            replaced=replaced,
        )

    def source(self, judged: Judged, tool: ToolSpec, context: CallContext, row: Row | None) -> Source | None:
        """The text that may have led to the call; None if the user's own words did. ``row`` is the row to change."""
        if self._is_own(tool, context, row, judged):
            return None
        row_id = text(row or {}, "id")
        titles = [title for column in ("title", "name") if (title := text(row or {}, column))]
        arguments = distinctive(each for each in tool.arguments.values() if isinstance(each, str))
        subject = CallSubject(row_ids=frozenset({row_id} - {""}), words=[*titles, *arguments, row_id])
        return source_of(subject, judged.read, self.tables(), language=context.language)

    def former_title(self, row: Row) -> str:
        """The title of ``row`` before this run changed it; empty if it was not changed, or is unknown."""
        before = self._before(row)
        return "" if before is row or title_of(before) == title_of(row) else title_of(before)

    async def _kind(self, tool: ToolSpec, context: CallContext, change: ClientCall | None, row: Row | None) -> CallKind:
        if tool.outlives:
            return CallKind.LEAVING if tool.agent is Agent.MODELS else CallKind.LASTING
        if tool.risk is Risk.READ:
            return CallKind.READ
        if tool.risk is Risk.DESTRUCTIVE or await self._replaces_text(tool):
            return CallKind.IRREVERSIBLE
        if change is not None and await self._drops_text(change, row):
            return CallKind.IRREVERSIBLE
        return CallKind.NAMED_CHANGE if self._is_named(tool, context, row) else CallKind.OTHER_CHANGE

    def _runs(self, verdict: Verdict, tool: ToolSpec, context: CallContext, read: ReadSoFar, kept: str) -> bool:
        match verdict:
            case Verdict.RUN:
                return True
            case Verdict.TELL | Verdict.ASK:
                return False
            case Verdict.IF_NAMED:
                return tool.is_bounded or self._reads_named(tool, context, read)
            case Verdict.IF_SAID:
                return _is_asked_for(tool, read, kept) and self._is_among_first(tool)
            case _:
                assert_never(verdict)

    def _is_among_first(self, tool: ToolSpec) -> bool:
        call = (tool.tool_name, tool.arguments)
        if call not in self._unasked and len(self._unasked) < MAX_UNASKED:
            self._unasked.append(call)
        return call in self._unasked

    def _reads_named(self, tool: ToolSpec, context: CallContext, read: ReadSoFar) -> bool:
        """Whether the call reads only rows that the user or a text so far has named."""
        wanted = {(table, row_id) for name, table in tool.naming().items() if (row_id := tool.given(name).get(name))}
        viewed = viewed_row(context.scope)
        named = [
            key for key in wanted if key == viewed or key[1] in read.named or names(self.said, self._known(*key) or {})
        ]
        return bool(wanted) and len(named) == len(wanted)

    def _row(self, tool: ToolSpec, change: ClientCall | None) -> Row | None:
        """The row to change, or the row to create."""
        if (target := tool.target) is not None:
            return self._known(target.table, target.row_id)
        if change is None or change.table is None:
            return None
        data = dict(change.data or {})
        return data if change.action is CallAction.INSERT else self._known(change.table, text(data, "id"))

    def _known(self, table: Table, row_id: str) -> Row | None:
        return None if self.results is None else self.results.row(table, row_id)

    def _before(self, row: Row) -> Row:
        """``row`` with the title that the user knows: this run may have changed it."""
        results = () if self.results is None else self.results.tool_results
        return renamed_from(text(row, "id"), results) or row

    @cached_property
    def _asked(self) -> str:
        """The user's sentences that may ask for a change. Finding them takes long in a long message."""
        return change_requests(own_words(self.said))

    def _names(self, row: Row) -> bool:
        """Whether a sentence of the user that may ask for a change names the row, and not just a longer title.

        “Finish “Read about Garden”” does not name Garden.
        """
        known, asked = self._before(row), plain(self._asked)
        if not names_in_plain(asked, known):
            return False
        title = plain(title_of(known))
        others = {plain(title_of(each)) for table in Table for each in self._known_rows(table)} if title else set()
        for other in sorted(others, key=len, reverse=True):
            asked = asked if title not in other or title == other else asked.replace(other, " ")
        return names_in_plain(asked, known)

    def _known_rows(self, table: Table) -> Sequence[Row]:
        return () if self.results is None else self.results.rows(table)

    def _is_named(self, tool: ToolSpec, context: CallContext, row: Row | None) -> bool:
        """Whether the user's message or page names the row, and the message may ask for a change."""
        if row is None or self._names(row):
            return row is not None
        if tool.changes is None or not self._asked or not is_on_page(tool.changes, row, context.scope):
            return False
        row_id = text(row, "id")
        return viewed_row(context.scope) == (tool.changes, row_id) or self._is_first_on_page(row_id or title_of(row))

    def _is_first_on_page(self, row: str) -> bool:
        if not self._on_page:
            self._on_page.append(row)
        return row in self._on_page

    def _is_own(self, tool: ToolSpec, context: CallContext, row: Row | None, judged: Judged) -> bool:
        """Whether the user's own words ask for the call, as far as this can be recognized."""
        if tool.outlives:
            return _is_asked_for(tool, judged.read, judged.kept)
        if row is None or tool.changes is None:
            return False
        is_viewed = viewed_row(context.scope) == (tool.changes, text(row, "id"))
        return self._names(row) or (is_viewed and bool(self._asked))

    async def _replaces_text(self, tool: ToolSpec) -> bool:
        """Whether a job would replace a text, on a device that cannot undo it."""
        if (target := tool.target) is None or not target.replaces or self.can_undo():
            return False
        try:
            with using_client(self.sharing):
                row = (await find(target.table, target.row_id)).row or {}
        except ClientError:
            return True
        return any(text(row, column).strip() for column in target.replaces)

    async def _drops_text(self, change: ClientCall, row: Row | None) -> bool:
        """Whether the change removes most of a long text, or empties a note, on a device that cannot undo it."""
        updates = (change.data or {}).get("updates")
        if change.table is None or not isinstance(updates, dict) or self.can_undo():
            return False
        columns = [column for column in _TEXT_COLUMNS if column in updates]
        if not columns:
            return False
        try:
            with using_client(self.sharing):
                before = row or (await find(change.table, text(change.data or {}, "id"))).row or {}
        except ClientError:
            # Then the user is asked. For this the row is read again, and the error is reported.
            return True
        row_id = text(change.data or {}, "id")
        originals = {
            # The text before the first change, because several changes together may remove most of it.
            column: self._originals.setdefault((change.table, row_id, column), text(before, column))
            for column in columns
        }
        return any(_drops(column, original, text(updates, column)) for column, original in originals.items())


def lasting_texts(tool: ToolSpec, read: ReadSoFar) -> list[str]:
    """The texts of ``tool`` that outlive the conversation. The id of a fact to forget is replaced by its words."""
    given = [each for each in tool.given(*tool.outlives).values() if isinstance(each, str)]
    return [read.facts.get(each, each) for each in given] if isinstance(tool, Forget) else given


def _is_asked_for(tool: ToolSpec, read: ReadSoFar, kept: str) -> bool:
    """Whether the user's own words contain all texts that would outlive the conversation, and ask for the call.

    The user's latest words count. A text is not asked for if they wanted it forgotten since, nor is an order to forget
    if they stated the text again since.
    """
    texts = lasting_texts(tool, read)
    if tool.agent is Agent.MODELS:
        return _contain_all(read.said, texts, is_order=True)
    sentences = statements(read.own)
    if not tool.asked_by:
        since = _after_last(sentences, lambda sentence: _retracts(sentence, texts[-1]))
        return _contain_all("\n".join(since), texts) and _are_near(since, texts) and not _has_wrong_key(since, texts)
    since = _after_last(sentences, lambda sentence: _restates(sentence, tool.asked_by, [kept] if kept else texts))
    return any(_orders(sentence, tool.asked_by, texts) for sentence in since)


def _are_near(sentences: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether ``sentences`` near each other contain all ``texts``. Distant ones may be about something else."""
    parts = [part for each in texts for part in sentences_of(each)]
    found = ([at for at, each in enumerate(sentences) if repeats(part, each, beside=texts)] for part in parts)
    # No sentence contains parts without content words, such as “it is so”.
    positions = [each for each in found if each]
    return any(
        all(any(abs(at - start) <= len(parts) for at in each) for each in positions) for start in chain(*positions[:1])
    )


def _has_wrong_key(sentences: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether something of the user's own would be stored under another name: “my PIN is …” under “brother”."""
    key, value = texts[0], texts[-1]
    return not repeats(key, value, is_order=True) and any(
        is_mine(part, sentence) for part in sentences_of(value) for sentence in sentences
    )


def _after_last(sentences: Sequence[str], matches: Callable[[str], bool]) -> Sequence[str]:
    """The ``sentences`` after the last one that ``matches``."""
    last = next((at for at in reversed(range(len(sentences))) if matches(sentences[at])), -1)
    return sentences[last + 1 :]


def _retracts(sentence: str, words: str) -> bool:
    """Whether ``sentence`` asks to forget ``words``: “Forget that I live in Turin”, but not “…, I live in Rome”."""
    clause = _CLAUSE_END.split(sentence)[0]
    return any(repeats(verb, clause) for verb in _FORGET_VERBS) and repeats(words, clause, is_order=True)


def _restates(sentence: str, verbs: Sequence[str], texts: Sequence[str]) -> bool:
    return not any(repeats(verb, sentence) for verb in verbs) and _contain_all(sentence, texts)


def _orders(sentence: str, verbs: Sequence[str], texts: Sequence[str]) -> bool:
    # “Forget my old address, it is wrong” is an order; “Bob says: forget it” is not.
    if not may_order(sentence, verbs):
        return False
    is_order = begins_with(sentence, verbs)
    return (
        _contain_all(sentence, texts, is_order=is_order)
        and any(repeats(verb, sentence, is_order=is_order) for verb in verbs)
        # “Delete the note on my favourite tea” means the note and not the memory.
        and not may_mean_rows(sentence, texts)
    )


async def _kept(tool: ToolSpec, context: CallContext) -> str:
    """What is remembered under the key of ``tool``; or empty."""
    if not isinstance(tool, Remember | Forget) or context.memory is None:
        return ""
    try:
        known = {each.key: each.value for each in await context.memory.preferences()}
    except ToolFailed:
        # The memory is turned off: the tool says so itself.
        return ""
    return known.get(key_meant(tool.key, known), "")


def _states_value(tool: ToolSpec, read: ReadSoFar, kept: str) -> bool:
    """Whether the user's own words state the new value of the key, after any statement of the old value, ``kept``."""
    if not isinstance(tool, Remember):
        return False
    key, value = tool.key, tool.value
    since = _after_last(
        statements(read.own), lambda sentence: states(key, kept, sentence) and not states(key, value, sentence)
    )
    return any(states(key, value, sentence) for sentence in since)


def _contain_all(said: str, texts: Sequence[str], *, is_order: bool = False) -> bool:
    return all(repeats(each, said, beside=texts, is_order=is_order) for each in texts)


def _drops(column: str, before: str, after: str) -> bool:
    if not after.strip():
        return bool(before.strip()) and (column in _MAIN_COLUMNS or len(before) >= LONG_TEXT)
    if len(before) < LONG_TEXT:
        return False
    # Pairs of words, because the same words in another order mean something else.
    pairs = _word_pairs(before)
    return (pairs & _word_pairs(after)).total() < _MIN_KEPT_SHARE * pairs.total()


def _word_pairs(written: str) -> Counter[tuple[str, str]]:
    return Counter(pairwise(["", *written.split()]))
