"""The state of a conversation besides its messages, so that a request can refer to rows of an earlier one.

The state consists of the short ids that the model was sent, the latest results of tools, and the cards that the user
saw. “Mark the second one as done” needs it, because a client sends back only the texts of answers. It contains rows of
the user's device, so it is kept for an hour at most, in memory or encrypted, and never in the database. If it is lost,
rows are named by their titles.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from pydantic import TypeAdapter, ValidationError

from agents.adapters.base import AssistantMessage, Message, Spoken, ToolMessage, latest
from agents.calls import NamedRows, Table
from agents.engine.run import AgentRun, DeviceRun
from agents.engine.short_ids import ShortIds
from agents.errors import Withheld
from agents.events import ToolCall
from agents.permissions.sharing import Marks
from agents.provenance import Provenance, provenance_of
from agents.tools.recollection import Forget
from agents.tools.rows import CARDS_SHOWN, item, told_ids
from agents.tools.spec import DOMAINS, Agent, Execution, registered_tools
from chat.turns.conversation_store import ConversationKey, ConversationStore
from chat.turns.foreign_marks import ForeignMarks, digest, mark_everywhere

MAX_RESULT_CHARACTERS: Final = 2_500
"""A longer result of a tool is cut."""
MAX_CHARACTERS: Final = 12_000
"""The length of all results of a conversation. If they are longer, the older half is dropped. It is dropped at once, so
that the requests to the model begin with the same bytes most of the time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptCall:
    """A tool call and the beginning of its result. If it is not ``ok``, the user must choose one of several rows."""

    call: ToolCall
    text: str
    provenance: Provenance = Provenance.READ
    ok: bool = True

    @classmethod
    def of(
        cls, call: ToolCall, result: str, provenance: Provenance = Provenance.READ, *, ok: bool = True
    ) -> "KeptCall":
        """Keeps whole lines of ``result``, because a row is a line."""
        if len(result) > MAX_RESULT_CHARACTERS:
            lines, _, _ = result[:MAX_RESULT_CHARACTERS].rpartition("\n")
            result = f"{lines}\n[The rest is not kept.]"
        return cls(call=replace(call, state=None), text=result, provenance=provenance, ok=ok)

    def repeats(self, before: "KeptCall") -> bool:
        """Whether ``before`` is the same call, with the same result."""
        is_same = (self.call.name, self.call.arguments) == (before.call.name, before.call.arguments)
        return is_same and self.text.startswith(before.text)


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptTurn:
    """The tool results of a turn, and the cards that it showed, one line each. ``rows`` maps its ids to their tables.

    ``asked`` is the digest of the user's message, by which it is found in a history.
    """

    asked: str
    calls: tuple[KeptCall, ...] = ()
    cards: tuple[str, ...] = ()
    rows: Mapping[str, Table] = field(default_factory=dict)

    def with_rows(self, tables: Mapping[str, Table]) -> "KeptTurn":
        """This turn with its ``rows``: those in ``tables`` (tables by the ids of rows) whose ids are in the texts."""
        texts = [*(kept.text for kept in self.calls), *self.cards]
        return replace(self, rows={row_id: tables[row_id] for row_id in sorted(told_ids(texts, tables))})

    @property
    def size(self) -> int:
        """The number of characters in a request to the model."""
        return sum(len(kept.text) + len(kept.call.arguments) for kept in self.calls) + sum(map(len, self.cards))

    @property
    def messages(self) -> list[Message]:
        """The calls and their results. In a history, they follow the user's message."""
        results = [
            ToolMessage(call_id=kept.call.id, text=kept.text, ok=kept.ok, provenance=kept.provenance)
            for kept in self.calls
        ]
        if self.cards:
            shown = "\n".join([CARDS_SHOWN, *(f"- {card}" for card in self.cards)])
            results[-1] = replace(results[-1], text=f"{results[-1].text}\n{shown}")
        return [AssistantMessage(text="", tool_calls=tuple(kept.call for kept in self.calls)), *results]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Dump:
    short_ids: Mapping[str, str]
    turns: tuple[KeptTurn, ...]
    tables: Sequence[Table]
    projects: Sequence[str]
    last_change: str | None = None


_DUMP: Final = TypeAdapter(_Dump)


class Conversation:
    """One conversation: its short ids, and the tool results of its latest turns."""

    def __init__(self, short_ids: ShortIds) -> None:
        self.short_ids = short_ids
        self._turns: list[KeptTurn] = []
        self._marks = Marks()
        self.last_change: str | None = None
        """The id of the latest request that changed something, or may have."""

    def apply(self, marks: Marks) -> None:
        """Use ``marks`` from now on. If they have changed, the results are dropped, because they may contain rows that
        must not be shared any more.
        """
        if marks != self._marks:
            self._turns.clear()
        self._marks = marks

    def keep(self, turn: KeptTurn) -> None:
        """Add a turn with tool calls."""
        self._turns.append(turn)
        if sum(turn.size for turn in self._turns) > MAX_CHARACTERS:
            while sum(turn.size for turn in self._turns) > MAX_CHARACTERS // 2 and len(self._turns) > 1:
                self._turns.pop(0)

    def forget(self) -> None:
        """Drop the results."""
        self._turns.clear()

    @property
    def rows(self) -> Sequence[tuple[Table, str]]:
        """The rows in the results."""
        return [(table, row_id) for turn in self._turns for row_id, table in turn.rows.items()]

    def messages(self, history: Sequence[Spoken], messages: Sequence[Message]) -> list[Message]:
        """``messages``, the end of ``history``, with the results of each turn after the message that it answered."""
        turns, backwards = list(self._turns), list[Message]()
        # From the end, because if two messages are equal, the results of the later one are more likely to be kept.
        for spoken, message in zip(reversed(latest(history)), reversed(messages), strict=True):
            if spoken.role == "user":
                asked = digest(spoken.content)
                index = next((index for index in reversed(range(len(turns))) if turns[index].asked == asked), None)
                if index is not None:
                    backwards += reversed(turns[index].messages)
                    del turns[index:]
            backwards.append(message)
        return backwards[::-1]

    def dump(self) -> str:
        """The conversation as JSON, for ``restore``."""
        dump = _Dump(
            short_ids=self.short_ids.dump(),
            turns=tuple(self._turns),
            tables=sorted(self._marks.tables),
            projects=sorted(self._marks.projects),
            last_change=self.last_change,
        )
        return _DUMP.dump_json(dump).decode()

    def restore(self, dumped: str) -> None:
        """Continue a dumped conversation. An unreadable dump, such as that of another release, is ignored."""
        try:
            dump = _DUMP.validate_json(dumped)
        except ValidationError:
            return
        self.short_ids.restore(dump.short_ids)
        self._turns = list(dump.turns)
        self.last_change = dump.last_change
        self._marks = Marks(tables=frozenset(dump.tables), projects=frozenset(dump.projects))


class ConversationTurn:
    """One turn of a conversation. Its tool results and cards are kept for the next turn."""

    def __init__(
        self, store: ConversationStore, foreign_marks: ConversationStore, run: AgentRun, device: DeviceRun
    ) -> None:
        self._store, self._run, self._device = store, run, device
        self._mark_store = foreign_marks
        self._marks: ForeignMarks | None = None
        self._asked = ""
        self._is_of_foreign = False
        self._device_key = ConversationKey(run.requester.user_id, run.requester.device_id, "")
        self._devices_last_change: str | None = None
        self._conversation = Conversation(run.short_ids)
        self._key: ConversationKey | None = None
        self._calls: list[KeptCall] = []
        self._cards: dict[str, str] = {}
        self._forgets = False
        self._job = False
        self._kept = False

    def last_change(self) -> str | None:
        """The id of the latest request of this conversation that changed something, or began a job that may.

        If there is none, and the turn is beside a page or has no session, it is the latest such request of the device.
        """
        return self._conversation.last_change or self._devices_last_change

    async def resume(
        self,
        session_id: str | None,
        history: Sequence[Spoken],
        *,
        asked: str,
        is_beside: bool,
        written_from: NamedRows = MappingProxyType({}),
    ) -> list[Message]:
        """The ``history`` of a conversation for the model, with the kept results of its turns.

        ``asked`` is the message that the turn answers, ``is_beside`` whether it was sent beside a page, and
        ``written_from`` are the rows in it, as in that of a brief. Without a ``session_id`` there is no conversation,
        and no results are kept. For marks on answers that may repeat foreign text, all requests of a device without
        one are a single conversation.
        """
        self._is_of_foreign = provenance_of(written_from) is Provenance.FOREIGN
        self._asked, key = asked, self._device_key._replace(session_id=session_id or "")
        self._marks = ForeignMarks(store=self._mark_store, key=key)
        if history:
            await self._marks.load()
        if session_id:
            self._key = key
        if self._key is not None and (kept := await self._store.load(self._key)) is not None:
            self._conversation.restore(kept)
        if self._conversation.last_change is None and (is_beside or not session_id):
            self._devices_last_change = await self._store.load(self._device_key)
        if self._conversation.rows:
            await self._apply_marks()
            self._run.ledger.add_rows(self._conversation.rows)
        return self._conversation.messages(history, self._marks.on(history))

    def add_result(self, call: ToolCall, result: str, provenance: Provenance, *, ok: bool = True) -> None:
        """Keep the ``result`` of ``call``. It is not ``ok`` if the user must choose one of several rows.

        Only results of tools for the device's rows are kept, and none from the memory.
        """
        tool = registered_tools().get(call.name)
        self._forgets |= ok and tool is Forget
        if tool is not None and tool.execution is Execution.INLINE and tool.agent in (*DOMAINS, Agent.SIDEBAR):
            kept = KeptCall.of(call, result, provenance, ok=ok)
            # The result of a repeated call is the same, followed by a remark about the repetition.
            if not any(kept.repeats(each) for each in self._calls[-1:]):
                self._calls.append(kept)

    def began_job(self) -> None:
        """Note that a job was begun, which may change something."""
        self._job = True

    def add_cards(self, rows: Iterable[Mapping[str, object]]) -> None:
        """Keep the ``rows`` that the user sees as cards."""
        for row in rows:
            row_id, title = str(row.get("id")), str(row.get("title") or row.get("name") or "")
            self._cards[row_id] = item(title, (), row_id)

    async def keep(self) -> None:
        """Store the conversation with this turn, before the turn's last frame. Does not raise.

        If something was forgotten, or the marks of what is never shared have changed, the results are dropped.
        """
        await self._note_change()
        if self._key is None:
            return
        if self._calls:
            await self._apply_marks()
            turn = KeptTurn(asked=digest(self._asked), calls=tuple(self._calls), cards=tuple(self._cards.values()))
            self._conversation.keep(turn.with_rows(self._run.ledger.tables()))
        if self._forgets or self._device.sharing.changed:
            self._conversation.forget()
        await self._store.save(self._key, self._conversation.dump())

    async def mark(self, answer: str) -> None:
        """Store that ``answer`` may repeat foreign text, if the model has read any. Does not raise."""
        if self._is_of_foreign:
            # A brief belongs to no conversation, and a client may put it into any.
            await mark_everywhere(self._mark_store, self._device_key.user_id, answer)
        if self._marks is not None and self._device.reading.is_foreign:
            await self._marks.add(self._asked, answer)

    async def keep_change(self) -> None:
        """Store that a turn which ended before ``keep`` changed something, if it did. Does not raise."""
        if not self._kept and await self._note_change() and self._key is not None:
            await self._store.save(self._key, self._conversation.dump())

    async def _note_change(self) -> bool:
        """Return whether the turn has changed something. If so, store that for the device."""
        self._kept = True
        changed = self._job or bool(self._device.results.changes)
        if changed:
            self._conversation.last_change = self._run.request_id
            await self._store.save(self._device_key, self._run.request_id)
        return changed

    async def _apply_marks(self) -> None:
        try:
            self._conversation.apply(await self._device.sharing.marks())
        except Withheld:
            self._conversation.forget()
