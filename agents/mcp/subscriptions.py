"""``subscriptions/listen``: a stream that tells a program how its tasks go on, and which of the rows it named changed.

A device does not say that its user has changed a row, so the rows are read again at intervals and compared. Only
digests of them are kept, and a program is told only that a row changed.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Final, TypeAlias
from uuid import UUID

import mcp_types
from mcp.server.subscriptions import SUBSCRIPTION_ID_META_KEY
from pydantic import JsonValue

from accounts.auth.token_scopes import missing_scopes
from accounts.database import DATABASE_ERRORS, in_database
from agents.engine.run import AgentRun
from agents.errors import ClientError, ClientRefused
from agents.jobs.records import JobStatus
from agents.mcp.calling import Caller, McpCalls, may_call
from agents.mcp.endpoint import StreamAccess
from agents.mcp.job_tasks import WORKING, TaskNotification, check_has_tasks
from agents.mcp.job_tools import GetJob, statuses
from agents.mcp.reads import Context
from agents.mcp.refusals import invalid, not_available, refused
from agents.mcp.resources import ResourceKind, parse_address, read_resource
from agents.mcp.under_way import described

MAX_STREAMS: Final = 5
"""Of a user, in one process."""
MAX_TASKS: Final = 100
MAX_RESOURCES: Final = 20
TASKS_EVERY_S: Final = 2.0
RESOURCES_EVERY_S: Final = 15.0

TaskOf: TypeAlias = Callable[[Context, Caller, str], Awaitable[dict[str, Any]]]
"""The task of this id as of now. Raises ``MCPError``."""


@dataclass(kw_only=True, slots=True)
class _Stream:
    """``tasks`` has the state last told of each that is not over; empty before the first.

    ``digests`` has those of ``resources`` as last read: None for what does not exist, nothing before the first time.
    """

    context: Context
    tasks: dict[UUID, Mapping[str, JsonValue]]
    resources: Mapping[str, tuple[ResourceKind, str]]
    digests: dict[str, bytes | None] = field(default_factory=dict)

    @property
    def meta(self) -> dict[str, Any]:
        return {SUBSCRIPTION_ID_META_KEY: self.context.request_id}

    async def acknowledge(self) -> None:
        """Say what will be told."""
        tasks = {"taskIds": [str(job_id) for job_id in self.tasks]} if self.tasks else {}
        told = mcp_types.SubscriptionFilter(resource_subscriptions=list(self.resources) or None, **tasks)
        params = mcp_types.SubscriptionsAcknowledgedNotificationParams(notifications=told, _meta=self.meta)
        await self.send(mcp_types.SubscriptionsAcknowledgedNotification(params=params))

    async def send(self, notification: Any) -> None:
        await self.context.session.send_notification(notification, related_request_id=self.context.request_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class McpSubscriptions:
    """The handler of these requests. Tasks that are not over are looked at every ``tasks_every_s`` seconds."""

    calls: McpCalls
    access_of: Callable[[Context], StreamAccess]
    task_of: TaskOf
    tasks_every_s: float
    resources_every_s: float
    _open: Counter[UUID] = field(default_factory=Counter, init=False)
    """Streams by user."""

    async def listen(
        self, context: Context, params: mcp_types.SubscriptionsListenRequestParams
    ) -> mcp_types.SubscriptionsListenResult:
        """Tell what was subscribed to until the process stops. The request ends when its client leaves.

        Raises ``MCPError``, which ends the stream, also when the token is no longer valid.
        """
        access = self.access_of(context)
        caller, clock = await access.check(), asyncio.get_running_loop().time
        with self._counted(caller.user_id):
            stream = await _opened(context, caller, params.notifications)
            # Before the answer: what changes after it must be noticed.
            await self._tell_resources(stream, caller)
            await stream.acknowledge()
            due = clock() + self.resources_every_s
            while True:
                await self._tell_tasks(stream, caller)
                await _pause(access.over, self.tasks_every_s if stream.tasks else self.resources_every_s)
                if access.over.is_set():
                    return mcp_types.SubscriptionsListenResult(_meta=stream.meta)
                caller = await access.check()
                if clock() >= due:
                    await self._tell_resources(stream, caller)
                    due = clock() + self.resources_every_s

    @contextmanager
    def _counted(self, user_id: UUID) -> Iterator[None]:
        if self._open[user_id] >= MAX_STREAMS:
            raise refused("busy", f"There are {MAX_STREAMS} streams for this user already: end one of them.")
        self._open[user_id] += 1
        try:
            yield
        finally:
            self._open[user_id] -= 1
            if not self._open[user_id]:
                del self._open[user_id]

    async def _tell_tasks(self, stream: _Stream, caller: Caller) -> None:
        """Tell each task whose state is new, as ``tasks/get`` would. Those that are over are told for the last time."""
        if not stream.tasks:
            return
        known = await _known(caller, list(stream.tasks))
        for job_id, told in list(stream.tasks.items()):
            if (status := known.get(job_id)) is None:
                # It was deleted with its user's other old jobs.
                del stream.tasks[job_id]
            elif (job := described(status)) != told:
                task = await self.task_of(stream.context, caller, str(job_id))
                await stream.send(TaskNotification(params={**task, "_meta": stream.meta}))
                stream.tasks[job_id] = job
                if task["status"] != WORKING:
                    del stream.tasks[job_id]

    async def _tell_resources(self, stream: _Stream, caller: Caller) -> None:
        """Tell the addresses of the rows that are not as they were."""
        if not stream.resources:
            return
        try:
            digests = await self.calls.compare(caller, partial(_digests, stream.resources))
        except ClientError:
            # The device is away: they are compared when it is back.
            return
        for address, digest in digests.items():
            if stream.digests.get(address, digest) != digest:
                params = mcp_types.ResourceUpdatedNotificationParams(uri=address, _meta=stream.meta)
                await stream.send(mcp_types.ResourceUpdatedNotification(params=params))
        stream.digests = digests


async def _opened(context: Context, caller: Caller, wanted: mcp_types.SubscriptionFilter) -> _Stream:
    """A stream for as much of ``wanted`` as the token allows. Raises ``MCPError``."""
    tasks = await _tasks(context, caller, (wanted.model_extra or {}).get("taskIds") or [])
    found = {address: parse_address(address) for address in wanted.resource_subscriptions or ()}
    resources = {
        address: resource
        for address, resource in found.items()
        if resource is not None and not missing_scopes(caller.scopes, [resource[0].scope])
    }
    return _Stream(context=context, tasks=tasks, resources=dict(islice(resources.items(), MAX_RESOURCES)))


async def _tasks(context: Context, caller: Caller, task_ids: object) -> dict[UUID, Mapping[str, JsonValue]]:
    """The tasks of these ids that the caller may read, of which nothing is told yet. Raises ``MCPError``."""
    if not task_ids:
        return {}
    check_has_tasks(context)
    if not isinstance(task_ids, list):
        raise invalid("taskIds is a list of ids.")
    wanted = [job_id for job_id in map(_job_id, task_ids) if job_id is not None]
    if not may_call(caller, GetJob.tool_name):
        return {}
    known = await _known(caller, wanted[:MAX_TASKS])
    return {job_id: {} for job_id, status in known.items() if may_call(caller, status.tool)}


async def _known(caller: Caller, job_ids: list[UUID]) -> Mapping[UUID, JobStatus]:
    """The user's jobs of these ids as of now. Raises ``MCPError`` if the database cannot be reached."""
    try:
        return await in_database(statuses, caller.user_id, job_ids)
    except DATABASE_ERRORS:
        raise not_available() from None


def _job_id(task_id: object) -> UUID | None:
    try:
        job_id = UUID(str(task_id))
    except ValueError:
        return None
    return job_id if str(job_id) == task_id else None


async def _digests(resources: Mapping[str, tuple[ResourceKind, str]], run: AgentRun) -> dict[str, bytes | None]:
    """The digest of each resource as it is read now. Raises ``ClientError`` if the device does not answer."""
    return {address: await _digest(kind, row_id, run) for address, (kind, row_id) in resources.items()}


async def _digest(kind: ResourceKind, row_id: str, run: AgentRun) -> bytes | None:
    try:
        read = await read_resource(kind, row_id, run.now(), run.requester.timezone)
    except ClientRefused:
        # It is never shared, which is as if there were none.
        return None
    return None if read is None else hashlib.sha256(read.text.encode("utf-8", "surrogatepass")).digest()


async def _pause(over: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await over.wait()
