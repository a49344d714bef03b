"""Whether the process is alive (``/healthz``) and whether it can serve (``/readyz``), for whoever runs it.

A middleware rather than views: a probe asks by the address of a machine, over plain HTTP, and must be answered before
host names are checked and requests sent on to HTTPS.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from channels.db import database_sync_to_async
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.utils.decorators import async_only_middleware
from psycopg_pool import PoolTimeout

logger = logging.getLogger(__name__)

PartCheck: TypeAlias = Callable[[], Awaitable[None]]

_BUDGET_S = 2.0


class NotReady(Exception):
    """A part cannot serve; the message goes to whoever asks, so it holds no secret."""


@dataclass(frozen=True, kw_only=True)
class PartState:
    """How one part is; ``detail`` says what is wrong."""

    ok: bool
    detail: str | None = None

    def shown(self) -> dict[str, object]:
        return {"ok": self.ok} if self.detail is None else {"ok": self.ok, "detail": self.detail}


class Readiness:
    """The parts this process needs, by name. A check returns when its part serves and raises ``NotReady`` when not."""

    def __init__(self, *, budget_s: float = _BUDGET_S) -> None:
        self._budget_s = budget_s
        self._checks: dict[str, PartCheck] = {}
        self._asking: dict[str, asyncio.Task[PartState]] = {}

    def add(self, name: str, check: PartCheck) -> None:
        """Adds a part. Raises ``ValueError`` when the name is taken."""
        if name in self._checks:
            raise ValueError(f"there is a part named {name} already")
        self._checks[name] = check

    async def ask(self) -> dict[str, PartState]:
        """The state of every part, asked together; takes at most the budget (2 s)."""
        states = await asyncio.gather(*(self._bounded(name) for name in self._checks))
        return dict(zip(self._checks, states, strict=True))

    async def _bounded(self, name: str) -> PartState:
        # A part that hangs is not asked again while it hangs: each probe would leave another thread behind.
        task = self._asking.get(name)
        if task is None or task.done() or task.get_loop() is not asyncio.get_running_loop():
            task = self._asking[name] = asyncio.create_task(_state(name, self._checks[name]))
        done, _ = await asyncio.wait({task}, timeout=self._budget_s)
        return task.result() if done else PartState(ok=False, detail=f"no answer within {self._budget_s:g} s")


async def _state(name: str, check: PartCheck) -> PartState:
    try:
        await check()
    except NotReady as error:
        return PartState(ok=False, detail=str(error))
    except Exception:  # a probe must be answered whatever a part does
        logger.exception("The readiness check of %s failed", name)
        return PartState(ok=False, detail="the check itself failed; see the log")
    return PartState(ok=True)


async def check_database() -> None:
    await database_sync_to_async(_ask_database, thread_sensitive=False)()


async def check_migrations() -> None:
    await database_sync_to_async(_ask_migrations, thread_sensitive=False)()


def _ask_database() -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, PoolTimeout):
        raise NotReady("cannot be reached") from None


def _ask_migrations() -> None:
    try:
        missing = unapplied_migrations()
    except (DatabaseError, PoolTimeout):
        raise NotReady("the database cannot be reached") from None
    if missing:
        raise NotReady(f"{missing} not applied: run manage.py migrate")


def unapplied_migrations() -> int:
    """How many migrations of the installed apps the database lacks."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


readiness = Readiness()
readiness.add("database", check_database)
readiness.add("migrations", check_migrations)


@async_only_middleware
def health_middleware(
    get_response: Callable[[HttpRequest], Awaitable[HttpResponseBase]],
) -> Callable[[HttpRequest], Awaitable[HttpResponseBase]]:
    """Answers the two probes and passes everything else on."""

    async def answer(request: HttpRequest) -> HttpResponseBase:
        if request.method in {"GET", "HEAD"} and request.path == "/healthz":
            return _uncached({"status": "alive"})
        if request.method in {"GET", "HEAD"} and request.path == "/readyz":
            return await _ready()
        return await get_response(request)

    return answer


async def _ready() -> JsonResponse:
    parts = await readiness.ask()
    ready = all(state.ok for state in parts.values())
    body: dict[str, object] = {
        "status": "ready" if ready else "not_ready",
        "parts": {name: state.shown() for name, state in parts.items()},
    }
    return _uncached(body, status=200 if ready else 503)


def _uncached(body: dict[str, object], *, status: int = 200) -> JsonResponse:
    return JsonResponse(body, status=status, headers={"Cache-Control": "no-store"})
