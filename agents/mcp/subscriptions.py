"""``subscriptions/listen``: a stream that tells a program about changes of its tasks, and of rows that it names.

A device does not report that its user has changed a row, so the rows are read again at intervals and compared. Only
their digests are kept, and a program learns only that a row has changed.
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
"""The maximum number of streams of a user in one process."""
MAX_TASKS: Final = 100
MAX_RESOURCES: Final = 20
TASKS_EVERY_S: Final = 2.0
RESOURCES_EVERY_S: Final = 15.0

TaskOf: TypeAlias = Callable[[Context, Caller, str], Awaitable[dict[str, Any]]]
"""The task of this id as of now. Raises ``MCPError``."""


@dataclass(kw_only=True, slots=True)
class _Stream:
    """What one stream reports.

    ``tasks`` has the last reported state of each task that has not ended, which is empty at first. ``digests`` has the
    digests of ``resources`` as last read, which are None for rows that do not exist.
    """

    context: Context
    tasks: dict[UUID, Mapping[str, JsonValue]]
    resources: Mapping[str, tuple[ResourceKind, str]]
    digests: dict[str, bytes | None] = field(default_factory=dict)

    @property
    def meta(self) -> dict[str, Any]:
        return {SUBSCRIPTION_ID_META_KEY: self.context.request_id}

    async def acknowledge(self) -> None:
        """Tell the program what the stream will report."""
        tasks = {"taskIds": [str(job_id) for job_id in self.tasks]} if self.tasks else {}
        told = mcp_types.SubscriptionFilter(resource_subscriptions=list(self.resources) or None, **tasks)
        params = mcp_types.SubscriptionsAcknowledgedNotificationParams(notifications=told, _meta=self.meta)
        await self.send(mcp_types.SubscriptionsAcknowledgedNotification(params=params))

    async def send(self, notification: Any) -> None:
        await self.context.session.send_notification(notification, related_request_id=self.context.request_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class McpSubscriptions:
    """The handler of these requests.

    Tasks that have not ended are checked every ``tasks_every_s`` seconds, and rows every ``resources_every_s``.
    """

    calls: McpCalls
    access_of: Callable[[Context], StreamAccess]
    task_of: TaskOf
    tasks_every_s: float
    resources_every_s: float
    _open: Counter[UUID] = field(default_factory=Counter, init=False)
    """The number of open streams of each user."""

    async def listen(
        self, context: Context, params: mcp_types.SubscriptionsListenRequestParams
    ) -> mcp_types.SubscriptionsListenResult:
        """Report changes until the process stops, or the client disconnects, which cancels the request.

        Raises ``MCPError``, which ends the stream, for example when the token is no longer valid.
        """
        access = self.access_of(context)
        caller, clock = await access.check(), asyncio.get_running_loop().time
        with self._counted(caller.user_id):
            stream = await _opened(context, caller, params.notifications)
            # Before the acknowledgement, so that every later change is noticed.
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
            raise refused("busy", f"This user has {MAX_STREAMS} streams already: end one of them.")
        self._open[user_id] += 1
        try:
            yield
        finally:
            self._open[user_id] -= 1
            if not self._open[user_id]:
                del self._open[user_id]

    async def _tell_tasks(self, stream: _Stream, caller: Caller) -> None:
        """Report each task that has changed, as ``tasks/get`` would, and ended tasks for the last time."""
        if not stream.tasks:
            return
        known = await _known(caller, list(stream.tasks))
        for job_id, told in list(stream.tasks.items()):
            if (status := known.get(job_id)) is None:
                # Old jobs are deleted.
                del stream.tasks[job_id]
            elif (job := described(status)) != told:
                task = await self.task_of(stream.context, caller, str(job_id))
                await stream.send(TaskNotification(params={**task, "_meta": stream.meta}))
                stream.tasks[job_id] = job
                if task["status"] != WORKING:
                    del stream.tasks[job_id]

    async def _tell_resources(self, stream: _Stream, caller: Caller) -> None:
        """Report the addresses of the rows that have changed."""
        if not stream.resources:
            return
        try:
            digests = await self.calls.compare(caller, partial(_digests, stream.resources))
        except ClientError:
            # The device is away. The rows are compared when it is back.
            return
        for address, digest in digests.items():
            if stream.digests.get(address, digest) != digest:
                params = mcp_types.ResourceUpdatedNotificationParams(uri=address, _meta=stream.meta)
                await stream.send(mcp_types.ResourceUpdatedNotification(params=params))
        stream.digests = digests


async def _opened(context: Context, caller: Caller, wanted: mcp_types.SubscriptionFilter) -> _Stream:
    """A stream for the part of ``wanted`` that the token allows. Raises ``MCPError``."""
    tasks = await _tasks(context, caller, (wanted.model_extra or {}).get("taskIds") or [])
    found = {address: parse_address(address) for address in wanted.resource_subscriptions or ()}
    resources = {
        address: resource
        for address, resource in found.items()
        if resource is not None and not missing_scopes(caller.scopes, [resource[0].scope])
    }
    return _Stream(context=context, tasks=tasks, resources=dict(islice(resources.items(), MAX_RESOURCES)))


async def _tasks(context: Context, caller: Caller, task_ids: object) -> dict[UUID, Mapping[str, JsonValue]]:
    """The tasks with these ids that the caller may read, with an empty state. Raises ``MCPError``."""
    if not task_ids:
        return {}
    check_has_tasks(context)
    if not isinstance(task_ids, list):
        raise invalid("taskIds must be a list of ids.")
    wanted = [job_id for job_id in map(_job_id, task_ids) if job_id is not None]
    if not may_call(caller, GetJob.tool_name):
        return {}
    known = await _known(caller, wanted[:MAX_TASKS])
    return {job_id: {} for job_id, status in known.items() if may_call(caller, status.tool)}


async def _known(caller: Caller, job_ids: list[UUID]) -> Mapping[UUID, JobStatus]:
    """The status of these jobs as of now. Raises ``MCPError`` if the database cannot be reached."""
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
        # A row that is never shared counts as one that does not exist.
        return None
    return None if read is None else hashlib.sha256(read.text.encode("utf-8", "surrogatepass")).digest()


async def _pause(over: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await over.wait()
