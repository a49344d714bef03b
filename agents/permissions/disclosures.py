"""Disclosures: the ledger of one turn or job, which records rows before a model is sent them, and its store.

Each row in a text for a model ends with its id in brackets (``agents/tools/rows.py``). So the ledger finds the rows in
the texts. A row that a tool read but left out, or that was cut off, is not recorded.
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import aclosing, suppress
from dataclasses import dataclass
from itertools import chain
from typing import Final, LiteralString, Protocol, TypeAlias
from uuid import UUID, uuid4

from django.db import Error
from django.utils import timezone as clock

from accounts.cipher import Place
from accounts.database import in_database
from accounts.errors import AccountError, EncryptionError, WrongKeyVersion
from accounts.keys.vault import Vault, open_vault
from accounts.statements import Statements, Value, run_statement
from agents.adapters.base import AssistantMessage, Message, ModelAdapter, ModelParams, ToolSchema
from agents.calls import AnsweredCall, CallAction, Row, Table
from agents.errors import Unrecorded
from agents.events import ModelEvent
from agents.permissions.models import Disclosure
from agents.permissions.rules import RuleCache
from agents.requests import MAX_NAME_CHARS, RequestKind, RequestOrigin, storable
from agents.scopes import AnyScope, NoteScope, ProjectScope
from agents.tools.client import RecordingClient
from agents.tools.page_details import rows_on_page
from agents.tools.rows import text, told_ids
from memory.errors import EmbeddingFailed
from memory.index import Embedder, Vector

logger = logging.getLogger(__name__)

TableRow: TypeAlias = tuple[Table, Row]
RowIds: TypeAlias = Mapping[Table, frozenset[str]]

_COMPARED_CHARS: Final = 4_000
"""The number of characters at the beginning of embedded texts that are compared."""
_COLUMNS: Final = (
    'id, request_id, device_id, source, job_id, model, left_server, "table", row_count, row_ids_encrypted, at'
)
_ATTEMPTS: Final = 3
"""A key can be rotated between reading it and writing the rows, but not three times in succession."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Occasion:
    """The request, or the request's job, for which rows are sent to models."""

    origin: RequestOrigin
    source: RequestKind
    job_id: UUID | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """Ids of rows that will be sent to ``model``. Every table in ``rows`` has at least one."""

    model: str
    rows: RowIds


class DisclosureStore(Protocol):
    """Stores disclosures."""

    async def record(self, occasion: Occasion, sent: Sent) -> None:
        """Store a disclosure. Raises ``Unrecorded`` if that fails."""


class NoDisclosures:
    """The ``DisclosureStore`` that stores nothing."""

    async def record(self, occasion: Occasion, sent: Sent) -> None:
        """Does nothing."""


class Ledger:
    """The rows that a turn or job has read from the device, and a record of those that each model is sent.

    A row is recorded once for each model. Rows are recorded before they are sent, so a killed process loses nothing; it
    may leave a record of a row that was never sent.
    """

    def __init__(self, occasion: Occasion, store: DisclosureStore) -> None:
        self._occasion = occasion
        self._store = store
        self._runs: list[RecordingClient] = []
        self._known: list[TableRow] = []
        """Rows that ``_runs`` did not read."""
        self._sent: dict[str, set[tuple[Table, str]]] = {}
        self._writing = asyncio.Lock()

    def follow(self, run: RecordingClient) -> None:
        """Add the device's answers to ``run``, present and future, to the rows that may be sent."""
        self._runs.append(run)

    @property
    def has_changes(self) -> bool:
        """Whether anything was changed on the device."""
        return any(run.changes for run in self._runs)

    def add_viewed(self, scope: AnyScope) -> None:
        """Add the row whose page the user views."""
        match scope:
            case ProjectScope():
                self._known.append((Table.PROJECTS, {"id": scope.entityId}))
            case NoteScope():
                self._known.append((Table.NOTES, {"id": scope.entityId}))
            case _:
                pass

    def add_rows(self, rows: Iterable[tuple[Table, str]]) -> None:
        """Add rows, by table and id, that an earlier turn of the conversation or run of the job has read."""
        self._known += [(table, {"id": row_id}) for table, row_id in rows]

    def tables(self) -> Mapping[str, Table]:
        """The tables of the rows that may be sent, by their ids."""
        return {text(row, "id"): table for table, row in self._rows()}

    def _rows(self) -> Iterator[TableRow]:
        yield from self._known
        yield from (each for run in self._runs for exchange in run.tool_results for each in rows_of(exchange))

    async def record_texts(self, model: str, texts: Iterable[str]) -> None:
        """Record the rows in ``texts`` before ``model`` is sent them. If it raises ``Unrecorded``, send nothing."""
        await self._record(model, lambda rows: ids_in(texts, ids_by_table(rows)))

    async def record_rows(self, model: str, rows: RowIds) -> None:
        """Record the rows that a job has read, before ``model`` is sent its result. Raises as ``record_texts``."""
        if rows:
            await self._store.record(self._occasion, Sent(model=model, rows=rows))

    async def record_embedded(self, model: str, texts: Sequence[str]) -> None:
        """Record the rows with ``texts`` before ``model`` embeds them. Raises as ``record_texts``."""
        await self._record(model, lambda rows: embedded_ids(texts, rows))

    async def _record(self, model: str, find: Callable[[Sequence[TableRow]], RowIds]) -> None:
        async with self._writing:
            sent = self._sent.setdefault(model, set())
            unsent = [(table, row) for table, row in self._rows() if (table, text(row, "id")) not in sent]
            if unsent and (disclosed := find(unsent)):
                await self._store.record(self._occasion, Sent(model=model, rows=disclosed))
                sent.update((table, row_id) for table, ids in disclosed.items() for row_id in ids)


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgeredAdapter:
    """A ``ModelAdapter`` that records the rows in its requests in the ledger."""

    adapter: ModelAdapter
    ledger: Ledger

    @property
    def name(self) -> str:
        return self.adapter.name

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """As ``ModelAdapter.stream``. Also raises ``Unrecorded``; nothing was sent to the model then."""
        # A model's own messages disclose no rows to it.
        texts = (message.text for message in messages if not isinstance(message, AssistantMessage))
        await self.ledger.record_texts(self.name, texts)
        async with aclosing(self.adapter.stream(messages, tools, params)) as events:
            async for event in events:
                yield event


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgeredEmbedder:
    """An ``Embedder`` that records the rows of its texts in the ledger."""

    embedder: Embedder
    ledger: Ledger

    @property
    def name(self) -> str:
        return self.embedder.name

    @property
    def dimensions(self) -> int:
        return self.embedder.dimensions

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        """As ``Embedder.embed``. Raises ``EmbeddingFailed`` and sends nothing if the rows cannot be recorded."""
        try:
            await self.ledger.record_embedded(self.name, texts)
        except Unrecorded:
            raise EmbeddingFailed from None
        return await self.embedder.embed(texts, query=query)


def rows_of(exchange: AnsweredCall) -> Iterator[TableRow]:
    """Every row in the device's answer, with its table."""
    call, answer = exchange.call, exchange.answer
    yield from ((undone.table, undone.row) for undone in answer.undone)
    yield from ((conflict.table, conflict.row) for conflict in answer.conflicts)
    if call.action is CallAction.PAGE_DETAILS:
        yield from rows_on_page(answer.row or {})
    elif call.table is not None:
        rows = (*answer.rows, *answer.results, *([] if answer.row is None else [answer.row]))
        yield from ((call.table, row) for row in rows)


def ids_in(texts: Iterable[str], ids: Mapping[Table, Iterable[str]]) -> dict[Table, frozenset[str]]:
    """The ``ids`` that ``texts`` contain. Tables without any are omitted."""
    shown = told_ids(list(texts), chain.from_iterable(ids.values()))
    by_table = {table: frozenset(row_ids) & shown for table, row_ids in ids.items()}
    return {table: row_ids for table, row_ids in by_table.items() if row_ids}


def embedded_ids(texts: Iterable[str], rows: Iterable[TableRow]) -> dict[Table, frozenset[str]]:
    """The ids of the rows whose text (a note's content, a task's title and description) is one of ``texts``."""
    beginnings = {each[:_COMPARED_CHARS] for each in texts}
    return ids_by_table((table, row) for table, row in rows if _own_text(row)[:_COMPARED_CHARS] in beginnings)


def ids_by_table(rows: Iterable[TableRow]) -> dict[Table, frozenset[str]]:
    """The ids of ``rows``. Tables without any are omitted."""
    by_table: dict[Table, set[str]] = {}
    for table, row in rows:
        by_table.setdefault(table, set()).add(text(row, "id"))
    return {table: frozenset(ids) for table, ids in by_table.items()}


def _own_text(row: Row) -> str:
    return text(row, "content") if "content" in row else f"{text(row, 'title')}\n{text(row, 'description')}"


class DatabaseDisclosures:
    """The ``DisclosureStore`` in the database. ``on_server`` names the models that are part of the server.

    Each model request waits for it. So it needs only one statement, and takes the keys from the run's ``rules``.
    """

    def __init__(self, *, on_server: AbstractSet[str], rules: RuleCache, statements: Statements) -> None:
        self._on_server = on_server
        self._rules = rules
        self._statements = statements

    async def record(self, occasion: Occasion, sent: Sent) -> None:
        left_server = sent.model not in self._on_server
        try:
            if occasion.job_id is None:
                await self._record(occasion, sent, left_server=left_server)
            else:
                await in_database(record, occasion, sent, left_server=left_server)
        except (AccountError, Error):
            logger.exception("a disclosure could not be recorded")
            raise Unrecorded from None

    async def _record(self, occasion: Occasion, sent: Sent, *, left_server: bool) -> None:
        user_id = occasion.origin.user_id
        for _ in range(_ATTEMPTS):
            vault = (await self._rules.of(user_id)).vault
            rows = list(_new_rows(occasion, sent, vault, left_server=left_server))
            if not rows or await self._statements.rows(*_insertion(user_id, vault.key.version, rows)):
                return
            self._rules.expire(user_id)
        raise WrongKeyVersion(vault.key.version)


def record(occasion: Occasion, sent: Sent, *, left_server: bool) -> None:
    """Write one row for each table, without the ids that an earlier run of the same job has sent.

    One statement reads the key, another writes the rows if the key is still the present one. Raises ``AccountGone`` or
    ``EncryptionError``.
    """
    for _ in range(_ATTEMPTS):
        vault = open_vault(occasion.origin.user_id)
        rows = list(_new_rows(occasion, sent, vault, left_server=left_server))
        if not rows or run_statement(*_insertion(occasion.origin.user_id, vault.key.version, rows)):
            return
    raise WrongKeyVersion(vault.key.version)


def _new_rows(occasion: Occasion, sent: Sent, vault: Vault, *, left_server: bool) -> Iterable[Sequence[Value]]:
    """The values of ``_COLUMNS`` for each table."""
    origin, now = occasion.origin, clock.now()
    model = storable(sent.model)[:MAX_NAME_CHARS]
    for table, row_ids in sent.rows.items():
        ids = row_ids - _sent_before(occasion, model, table, vault)
        if ids:
            row_id = uuid4()
            yield (
                row_id,
                storable(origin.request_id)[:MAX_NAME_CHARS],
                origin.device_id,
                occasion.source.value,
                occasion.job_id,
                model,
                left_server,
                table.value,
                len(ids),
                vault.encrypt(_place(row_id), json.dumps(sorted(ids))),
                now,
            )


def _insertion(user_id: UUID, version: int, rows: Sequence[Sequence[Value]]) -> tuple[LiteralString, Sequence[Value]]:
    """A statement that writes ``rows`` if the user's key has this ``version``, under a lock on it, and its parameters.

    It returns as many rows as it wrote.
    """
    values = ", ".join(["(%s::uuid, %s, %s, %s, %s::uuid, %s, %s, %s, %s, %s, %s::timestamptz)"] * len(rows))
    statement = f"""
        WITH owner AS MATERIALIZED (
            SELECT id FROM accounts_user WHERE id = %s AND encryption_key_version = %s FOR SHARE
        )
        INSERT INTO agents_disclosure ({_COLUMNS}, user_id)
        SELECT new.*, owner.id FROM (VALUES {values}) AS new, owner
        RETURNING 1
    """  # noqa: S608 - built from constants
    return statement, [user_id, version, *(value for row in rows for value in row)]


def row_ids_in(row: Disclosure, vault: Vault) -> list[str]:
    """Raises ``EncryptionError``."""
    ids: list[str] = json.loads(vault.decrypt(_place(row.id), row.row_ids_encrypted))
    return ids


def rows_of_job(user_id: UUID, job_id: UUID) -> RowIds:
    """The rows that models were sent for a job. Raises ``AccountGone`` or ``EncryptionError``."""
    vault, ids = open_vault(user_id), dict[Table, frozenset[str]]()
    for row in Disclosure.objects.for_user(user_id).filter(job_id=job_id):
        table = Table(row.table)
        ids[table] = ids.get(table, frozenset()) | frozenset(row_ids_in(row, vault))
    return ids


def _sent_before(occasion: Occasion, model: str, table: Table, vault: Vault) -> set[str]:
    """The ids that an earlier run of the occasion's job has sent."""
    ids: set[str] = set()
    if occasion.job_id is not None:
        earlier = Disclosure.objects.for_user(occasion.origin.user_id)
        for row in earlier.filter(job_id=occasion.job_id, model=model, table=table):
            with suppress(EncryptionError):  # better to record an id twice than not at all
                ids.update(row_ids_in(row, vault))
    return ids


def _place(row_id: UUID) -> Place:
    return Place(table="agents_disclosure", column="row_ids_encrypted", row_id=row_id)
