"""A tool call over MCP: it is validated, approved and run as in a turn, on the device that its user used last."""

import json
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import JsonValue

from accounts.auth.personal_tokens import personal_token
from accounts.auth.token_scopes import missing_scopes
from accounts.database import in_database
from accounts.errors import AccountGone, EncryptionError
from accounts.statements import Statements
from accounts.timezones import zone_named
from agents.adapters.reading import mended
from agents.calls import CallAction, ClientAnswer, ClientCall, NamedRows
from agents.engine.run import AgentRun, Requester, RunDependencies, running
from agents.errors import ClientAbsent, ClientError, Unrecorded
from agents.events import ToolCall
from agents.jobs.dispatch import JobStarter
from agents.jobs.records import Asked, NewJob
from agents.mcp.exposure import exposed_tool, scopes_needed
from agents.mcp.resources import Told
from agents.mcp.structured import parts_in, told_rows
from agents.mcp.under_way import CallUnderWay, Report, ReportingClient, current_call, described, report_nothing
from agents.permissions.approvals.repository import Preview, as_shown
from agents.permissions.approvals.service import AskedLater
from agents.permissions.disclosures import rows_of_job
from agents.permissions.rules import RULES_OF_OWNER, RuleCache, RulesBefore, rules_in
from agents.requests import RequestKind, RequestOrigin
from agents.telemetry.turns import Observers, TurnOutcome, TurnSource, note_end, note_tool
from agents.tools.client import ClientExecutor, OnLate
from agents.tools.context import CallContext
from agents.tools.long import begun_notice
from agents.tools.spec import Risk, ToolSpec

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """The user of a token. The time zone and language are those of the account, because no device sends any."""

    user_id: UUID
    timezone: ZoneInfo
    language: str
    staff: bool
    scopes: frozenset[str]
    """What the token may do (``accounts/auth/token_scopes.py``)."""
    rules: RulesBefore | None = field(default=None, repr=False, compare=False)
    """The user's decisions, which were read with the token."""
    resource: str = ""
    """The address that the token is for; empty for a token that the user has made, which is for all of them."""


async def caller_with(token: str, statements: Statements, rules: RuleCache) -> Caller:
    """The caller, with the user's rules as of now, for ``rules``. One statement reads both.

    Raises ``accounts.errors.InvalidCredentials``, or one of ``KEY_ERRORS``, because no tool works without the key.
    """
    moment = rules.moment()
    known, found = await personal_token(token, statements, of_owner=RULES_OF_OWNER)
    user = known.user
    before = RulesBefore(rules=rules_in(user.id, found), moment=moment)
    # Decrypts the key, which is then cached for the call.
    _ = before.rules.vault
    return Caller(
        user_id=user.id,
        timezone=zone_named(user.timezone),
        language=user.language,
        staff=user.is_staff,
        scopes=frozenset(known.scopes),
        rules=before,
        resource=known.resource or "",
    )


class NoClient:
    """The ``ClientExecutor`` for a user without a connected device. Tools that run on the server still work."""

    def supports(self, action: CallAction) -> bool:  # noqa: ARG002
        return False

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:  # noqa: ARG002
        raise ClientAbsent


@dataclass(frozen=True, kw_only=True, slots=True)
class ReachedDevice:
    """The device of one call. Its id is empty if none is connected."""

    client: ClientExecutor = field(default_factory=NoClient)
    device_id: str = ""


class Devices(Protocol):
    """The way to devices, which may be connected to any process."""

    def reached(self, user_id: UUID, request_id: str) -> AbstractAsyncContextManager[ReachedDevice]:
        """The device that the user used last, until the block ends."""


UNNAMED: Final = "mcp"
"""The name in the ledger of a program that gives no plain name of its own."""
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/()-]{0,63}")
_LIBRARY: Final = re.compile(r"(mozilla|python|node|undici|axios|go-http|okhttp|curl|java|ktor|reqwest)", re.IGNORECASE)
"""User agents that name a library or a browser instead of a program."""
_MESSAGE: Final = "Run {tool}, and tell me what came of it."
"""The user's message of a job, for the model that writes the answer."""
UNTOLD: Final = (
    "What was read could not be written down in the ledger of disclosures, so it is not told. Try again later."
)
_UNTOLD: Final = {
    True: UNTOLD,
    False: (
        "What came of it could not be written down in the ledger of disclosures, so it is not told. The change may "
        "have happened. Do not repeat it; tell the user to check."
    ),
}
"""By whether the tool only reads."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CallResult:
    """The result of a call for the client. ``ok`` is whether the tool did what it was asked to do.

    ``request_id`` names the call in the log, the ledger, approvals, jobs and turn records.
    """

    request_id: str
    text: str
    ok: bool
    structured: Mapping[str, JsonValue] | None = None
    """The rows or the job in ``text``, as values."""
    rows: NamedRows = field(default_factory=dict)
    """The rows in ``text``, with the columns that it shows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class McpCalls:
    """Runs tools for callers. Without ``jobs``, queued tools do not run."""

    dependencies: RunDependencies
    devices: Devices
    jobs: JobStarter | None = None

    async def call(
        self,
        caller: Caller,
        tool: type[ToolSpec],
        arguments: Mapping[str, JsonValue] | None,
        *,
        client: str = UNNAMED,
        report: Report = report_nothing,
    ) -> CallResult:
        """Call ``tool`` for ``client`` (its name in the ledger). A failure of the tool is a result, too."""
        under_way = CallUnderWay(reporter=report, may_read=partial(may_call, caller))
        async with self._running(self.dependencies, caller, client) as (run, reached):
            token = current_call.set(under_way)
            try:
                return await self._told(run, reached, tool, json.dumps(arguments or {}), under_way)
            finally:
                current_call.reset(token)

    async def read(
        self, caller: Caller, method: str, work: Callable[[AgentRun], Awaitable[Told[T]]], *, client: str = UNNAMED
    ) -> T:
        """What ``work`` reads on the device for a request of ``client`` with this ``method``.

        The ledger records it before this returns. Raises what ``work`` raises, and ``Unrecorded``.
        """
        async with self._running(self.dependencies, caller, client) as (run, reached):
            began, text, ok = time.monotonic(), "", False
            try:
                with run.on(reached.client).active():
                    result = await work(run)
                await run.ledger.record_texts(client, [result.text])
                text, ok = result.text, True
            except (MCPError, ClientError):
                note_end(TurnOutcome.DONE)
                raise
            except Unrecorded:
                note_end(TurnOutcome.ERROR, "unrecorded")
                raise
            except Exception:
                note_end(TurnOutcome.ERROR, "internal_error")
                raise
            finally:
                note_tool(method, ok=ok, took_s=time.monotonic() - began, arguments="", result=text)
            note_end(TurnOutcome.DONE)
            return result.value

    async def compare(self, caller: Caller, work: Callable[[AgentRun], Awaitable[T]]) -> T:
        """What ``work`` finds on the device.

        It shows the program no rows, so there is neither a turn record nor an entry in the ledger. Raises what ``work``
        raises.
        """
        unobserved = replace(self.dependencies, observers=Observers())
        async with self._running(unobserved, caller, UNNAMED) as (run, reached):
            with run.on(reached.client).active():
                return await work(run)

    @asynccontextmanager
    async def _running(
        self, dependencies: RunDependencies, caller: Caller, client: str
    ) -> AsyncIterator[tuple[AgentRun, ReachedDevice]]:
        # Each call is a request of its own, so that its questions and jobs are not those of another call.
        request_id = str(uuid.uuid4())
        async with self.devices.reached(caller.user_id, request_id) as reached:
            requester = Requester(
                user_id=caller.user_id,
                timezone=caller.timezone,
                language=caller.language,
                # No one waits for an answer here. The result says that the question is open, and names its id.
                asker=AskedLater(),
                device_id=reached.device_id,
                source=TurnSource.MCP,
                program=client,
                rules=caller.rules,
            )
            with running(dependencies, requester, request_id=request_id, kind=RequestKind.MCP) as run:
                yield run, reached

    async def _told(
        self, run: AgentRun, reached: ReachedDevice, tool: type[ToolSpec], arguments: str, under_way: CallUnderWay
    ) -> CallResult:
        client = run.requester.program
        start_job = None if self.jobs is None else partial(_start, self.jobs, origin=run.origin)
        try:
            await under_way.report(0, None, tool.label)
            device = run.on(ReportingClient(client=reached.client, call=under_way, label=tool.label), by=client)
            executor = device.executor([tool], run.context(), start_job=start_job)
            with device.active():
                call = ToolCall(id=run.request_id, name=tool.tool_name, arguments=arguments)
                outcome = await executor.dispatch(call)
            await device.forget_deleted()
            await run.ledger.record_texts(client, [outcome.text])
            if under_way.job_id is not None:
                await self._pass_on(run, under_way.job_id)
        except Unrecorded:
            note_end(TurnOutcome.ERROR, "unrecorded")
            return CallResult(request_id=run.request_id, text=_UNTOLD[tool.risk is Risk.READ], ok=False)
        except Exception:
            note_end(TurnOutcome.ERROR, "internal_error")
            raise
        # Even if the tool failed, as in a turn.
        note_end(TurnOutcome.DONE)
        text, rows = mended(outcome.text), told_rows(outcome.rows, outcome.text)
        job: JsonValue = None if under_way.job is None else dict(under_way.job)
        structured = parts_in(rows, run.requester.timezone) if job is None else _mended({"job": job})
        return CallResult(request_id=run.request_id, text=text, ok=outcome.ok, structured=structured, rows=rows)

    async def _pass_on(self, run: AgentRun, job_id: UUID) -> None:
        """Record the rows from which a job's answer was written. Raises ``Unrecorded``."""
        try:
            rows = await in_database(rows_of_job, run.requester.user_id, job_id)
        except (AccountGone, EncryptionError):
            raise Unrecorded from None
        await run.ledger.record_rows(run.requester.program, rows)


def ledger_name(context: ServerRequestContext[Any, Any]) -> str:
    """The name of the program that makes a request, for the ledger and the device's journal: ``mcp: claude-code``.

    The program chooses the part after ``mcp:``, so it cannot pass for a model. Names that are too long or have unusual
    characters are left out. Programs of the older revisions do not name themselves with a call, so their user agent is
    used. The user's name for the token is not, because it is the user's text.
    """
    said = context.session.client_params
    name = _user_agent(context) if said is None else said.client_info.name
    return f"{UNNAMED}: {name}" if _PLAIN_NAME.fullmatch(name) else UNNAMED


def _user_agent(context: ServerRequestContext[Any, Any]) -> str:
    agent = "" if context.request is None else context.request.headers.get("user-agent", "")
    name: str = agent.partition("/")[0]
    return "" if _LIBRARY.match(name) else name


def may_call(caller: Caller, name: str) -> bool:
    """Whether the caller's token allows the tool with this name."""
    tool = exposed_tool(name, staff=caller.staff)
    return tool is not None and not missing_scopes(caller.scopes, scopes_needed(tool))


def _mended(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """``value`` without lone surrogates, which UTF-8 cannot encode."""
    made: dict[str, JsonValue] = json.loads(mended(json.dumps(value, ensure_ascii=False)))
    return made


async def _start(
    jobs: JobStarter, tool: ToolSpec, context: CallContext, shown: Preview | None, *, origin: RequestOrigin
) -> str:
    asked = Asked(
        message=_MESSAGE.format(tool=tool.tool_name),
        language=context.language,
        timezone=context.timezone,
        shown=as_shown(shown),
        # The arguments are the program's words.
        foreign=True,
    )
    new = NewJob(tool=tool.tool_name, label=tool.label, arguments=tool.arguments, asked=asked)
    job = await jobs.start(origin, new)
    current_call.get().job = described(job)
    return f"{begun_notice()} It is job {job.id}."
