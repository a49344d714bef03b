"""Probes: whether the process is alive (``/healthz``) and whether it can serve (``/readyz``).

A middleware rather than views: a probe uses the address of a machine and plain HTTP, so it must be answered before host
names are checked and requests are redirected to HTTPS.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.utils.decorators import async_only_middleware
from psycopg_pool import PoolTimeout

from accounts.database import in_database
from accounts.keys import masters
from adiuva.server.access_log import GetResponse

logger = logging.getLogger(__name__)

PartCheck: TypeAlias = Callable[[], Awaitable[None]]

_BUDGET_S = 0.8


class NotReady(Exception):
    """A part cannot serve. Anyone can read the message, so it holds no secret."""


class Readiness:
    """The parts this process needs, by name. A check returns if its part can serve and raises ``NotReady`` if not."""

    def __init__(self, *, budget_s: float = _BUDGET_S) -> None:
        self._budget_s = budget_s
        self._checks: dict[str, PartCheck] = {}
        self._asking: dict[str, asyncio.Task[str | None]] = {}

    def add(self, name: str, check: PartCheck) -> None:
        """Add a part. Raises ``ValueError`` if the name is taken."""
        if name in self._checks:
            raise ValueError(f"there is a part named {name} already")
        self._checks[name] = check

    async def ask(self) -> dict[str, str | None]:
        """What is wrong with each part, None if nothing is. All are checked in parallel within the budget (0.8 s)."""
        problems = await asyncio.gather(*(self._bounded(name) for name in self._checks))
        return dict(zip(self._checks, problems, strict=True))

    async def _bounded(self, name: str) -> str | None:
        # A part whose check hangs is not checked again: each probe would leave another thread behind.
        task = self._asking.get(name)
        if task is None or task.done() or task.get_loop() is not asyncio.get_running_loop():
            task = self._asking[name] = asyncio.create_task(_problem(name, self._checks[name]))
        done, _ = await asyncio.wait({task}, timeout=self._budget_s)
        return task.result() if done else f"no answer within {self._budget_s:g} s"


async def _problem(name: str, check: PartCheck) -> str | None:
    try:
        await check()
    except NotReady as error:
        return str(error)
    except Exception:  # a probe is always answered
        logger.exception("The readiness check of %s failed", name)
        return "the check itself failed; see the log"
    return None


def check_database() -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, PoolTimeout):
        raise NotReady("cannot be reached") from None


def check_migrations() -> None:
    try:
        missing = unapplied_migrations()
    except (DatabaseError, PoolTimeout):
        raise NotReady("the database cannot be reached") from None
    if missing:
        raise NotReady(f"{missing} not applied: run manage.py migrate")


def check_keys() -> None:
    try:
        problem = masters.watch.problem()
    except (DatabaseError, PoolTimeout):
        raise NotReady("the database cannot be reached, or lacks tables") from None
    if problem:
        raise NotReady(problem)


def unapplied_migrations() -> int:
    """The number of migrations that the database lacks."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


readiness = Readiness()
readiness.add("database", partial(in_database, check_database))
readiness.add("migrations", partial(in_database, check_migrations))
readiness.add("keys", partial(in_database, check_keys))


@async_only_middleware
def health_middleware(get_response: GetResponse) -> GetResponse:
    """Answers the two probes and passes on everything else."""

    async def answer(request: HttpRequest) -> HttpResponseBase:
        if request.method not in {"GET", "HEAD"} or request.path not in {"/healthz", "/readyz"}:
            return await get_response(request)
        body: dict[str, object] = {"status": "alive"}
        ready = True
        if request.path == "/readyz":
            parts = await readiness.ask()
            ready = not any(parts.values())
            body = {
                "status": "ready" if ready else "not_ready",
                "parts": {
                    name: {"ok": False, "detail": problem} if problem else {"ok": True}
                    for name, problem in parts.items()
                },
            }
        return JsonResponse(body, status=200 if ready else 503, headers={"Cache-Control": "no-store"})

    return answer
