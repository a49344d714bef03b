"""One run of a job: it runs the tool on the user's device, then has the model write the answer."""

import json
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Final

from accounts.database import in_database
from accounts.errors import AccountGone, EncryptionError
from agents.adapters.base import (
    AssistantMessage,
    Message,
    ModelParams,
    ToolMessage,
    UserMessage,
    earlier,
    prose,
    whole_text,
)
from agents.engine.run import AgentRun, DeviceRun, Requester, RunDependencies, running
from agents.errors import (
    AgentError,
    ClientAbsent,
    ClientRefused,
    ClientSilent,
    JobLost,
    JobUnreadable,
    ModelError,
    ToolError,
    ToolFailed,
    Unrecorded,
)
from agents.events import ToolCall
from agents.jobs import service
from agents.jobs.journal import Devices, JobCalls, Steps
from agents.jobs.records import ClaimedJob, JobStatus
from agents.permissions.approvals.previews import effect_of, first_change
from agents.permissions.approvals.refusals import refuse_if_denied
from agents.permissions.approvals.repository import as_shown
from agents.permissions.disclosures import rows_of_job
from agents.permissions.models import Decision
from agents.permissions.withholding import SharingFilter
from agents.prompts.names import PromptName
from agents.prompts.rendering import moment, system_message
from agents.provenance import Provenance
from agents.requests import RequestKind
from agents.telemetry.turns import TurnOutcome, TurnSource, note_end, note_tool
from agents.tools.client import ClientExecutor
from agents.tools.long import FAILED
from agents.tools.rows import ToolResult
from agents.tools.spec import ToolSpec, registered_tools

logger = logging.getLogger(__name__)

_MAX_ANSWER_CHARACTERS: Final = 20_000
_OUTCOME: Final = "outcome"
_FOREIGN: Final = "foreign"
_CHANGED: Final = (
    "The row has changed since the user was shown what would happen to it, so nothing was changed. They may ask again."
)
_DENIED: Final = (
    "The user's settings do not allow this any more, so it goes no further. What was changed before stays: tell the "
    "user to check."
)


class Outcome(StrEnum):
    """How a run ended."""

    ANSWERED = "answered"
    AWAY = "away"
    """The device is not connected."""
    FAILED = "failed"
    """Trying again may help."""
    HOPELESS = "hopeless"
    """Trying again will not help."""
    LOST = "lost"
    """This run no longer holds the job."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunResult:
    """How a run ended. ``text`` is the answer or the reason of the failure, for the user."""

    outcome: Outcome
    text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobDependencies:
    """What a process provides to its job runs. ``on_progress`` is called with a job's progress, ``on_start`` with the
    seconds that it was queued. ``mark_foreign`` is called before an answer that may repeat foreign text is stored.
    """

    run: RunDependencies
    devices: Devices
    on_progress: Callable[[JobStatus], Awaitable[None]]
    mark_foreign: Callable[[JobStatus, str], Awaitable[None]]
    on_start: Callable[[float], None] = lambda _s: None


async def run_job(dependencies: JobDependencies, job: ClaimedJob, owner: str) -> RunResult:
    """Run ``job`` as ``owner``. Raises only ``CancelledError``.

    What the model writes and what the run changes are recorded as steps in the job's journal (``Steps``).
    """
    status, asked = job.status, job.asked
    requester = Requester(
        user_id=status.user_id,
        timezone=asked.timezone,
        language=asked.language,
        device_id=status.device_id,
        source=TurnSource.WORKER,
        program=job.program,
    )
    steps = Steps(job_id=status.id, owner=owner, clock=dependencies.run.clock)
    offered = {model.name for model in dependencies.run.models.offered}
    with running(
        dependencies.run,
        requester,
        request_id=status.request_id,
        kind=RequestKind.JOB,
        job_id=status.id,
        session_id=status.session_id,
        # A restarted server may offer other models.
        model=asked.model if asked.model in offered else None,
    ) as run:
        ran = await JobWork(dependencies=dependencies, job=job, steps=steps, run=run).result()
        match ran.outcome:
            case Outcome.ANSWERED:
                note_end(TurnOutcome.DONE)
            case Outcome.LOST:
                note_end(TurnOutcome.CANCELLED)
            case _:
                note_end(TurnOutcome.ERROR, ran.outcome)
        return ran


@dataclass(frozen=True, kw_only=True, slots=True)
class JobWork:
    """The ``Work`` of one run. ``device`` is set while its tool runs."""

    dependencies: JobDependencies
    job: ClaimedJob
    steps: Steps
    run: AgentRun
    device: DeviceRun | None = None

    async def ask(self, step: str, messages: Sequence[Message]) -> str:
        params = ModelParams(language=self.job.asked.language, now=self.run.now())

        async def words() -> str:
            for message in messages:
                await self.note_foreign(message.text)
            return await whole_text(self.run.adapter, messages, params)

        return await self.once(step, words)

    async def once(self, step: str, words: Callable[[], Awaitable[str]]) -> str:
        name = f"said {step}"
        known = self.steps.written(name)
        return known if known is not None else await self.steps.write(name, await words())

    async def progress(self, fraction: float, label: str) -> None:
        status = self.job.status
        if not await in_database(service.progress, status.id, self.steps.owner, fraction=fraction, label=label):
            raise JobLost
        await self.dependencies.on_progress(replace(status, fraction=fraction, label=label))

    async def result(self) -> RunResult:
        """Run the job. Raises only ``CancelledError``."""
        status = self.job.status
        try:
            return RunResult(outcome=Outcome.ANSWERED, text=await self._answer())
        except ClientAbsent:
            return RunResult(outcome=Outcome.AWAY)
        except ClientSilent as error:
            if await self.dependencies.devices.connected(status.user_id, status.device_id):
                return RunResult(outcome=Outcome.FAILED, text=str(error))
            return RunResult(outcome=Outcome.AWAY)
        except JobLost:
            return RunResult(outcome=Outcome.LOST)
        except JobUnreadable as error:
            return RunResult(outcome=Outcome.HOPELESS, text=str(error))
        except ModelError as error:
            logger.warning("the model failed in job %s: %s", status.id, error)
            return RunResult(outcome=Outcome.FAILED if error.retryable else Outcome.HOPELESS, text=str(error))
        except Exception:  # the boundary of a job: the user gets an incident's number, and the reason is logged
            incident = uuid.uuid4().hex[:12]
            logger.exception("job %s failed unexpectedly (incident %s)", status.id, incident)
            return RunResult(outcome=Outcome.FAILED, text=f"Something went wrong on the server (incident {incident}).")

    async def _answer(self) -> str:
        await self.steps.read()
        call = ToolCall(
            id=str(self.job.status.id), name=self.job.status.tool, arguments=json.dumps(dict(self.job.arguments))
        )
        outcome = self.steps.written(_OUTCOME)
        if outcome is None:
            outcome = await self._noted_outcome(call)
            # Before it is recorded: a later run reads the step, and cannot find the rows in it.
            await self.run.ledger.record_texts(self.run.adapter.name, [outcome])
            outcome = await self.steps.write(_OUTCOME, outcome)
        else:
            await self._recall_rows()
        asked = self.job.asked
        variables = {"now": moment(self.run.now()), "timezone": asked.timezone.key}
        # What the turn's model would have read, up to the tool's result.
        conversation = [
            system_message(PromptName.JOB_SYSTEM, variables, language=asked.language),
            *earlier(asked.history),
            UserMessage(text=asked.message),
            AssistantMessage(text="", tool_calls=(call,)),
            ToolMessage(call_id=call.id, text=outcome),
        ]
        # The user does not see the model's reasoning, nor what it wrote as JSON.
        answer = prose(await self.ask("answer", conversation), _MAX_ANSWER_CHARACTERS) or outcome
        if asked.foreign or self.steps.written(_FOREIGN) is not None:
            await self.dependencies.mark_foreign(self.job.status, answer)
        return answer

    async def _recall_rows(self) -> None:
        """Add the rows that an earlier run sent to the ledger: another model may answer now. Raises ``Unrecorded``."""
        status = self.job.status
        try:
            rows = await in_database(rows_of_job, status.user_id, status.id)
        except (AccountGone, EncryptionError):
            raise Unrecorded from None
        self.run.ledger.add_rows((table, row_id) for table, ids in rows.items() for row_id in ids)

    async def note_foreign(self, told: str, *, foreign: bool = False) -> None:
        """Record for all runs of the job that a model reads foreign text: ``told`` if it is ``foreign`` or names a row
        that is.
        """
        foreign = foreign or (self.device is not None and self.device.results.tells_foreign(told))
        if foreign and self.steps.written(_FOREIGN) is None:
            await self.steps.write(_FOREIGN, "")

    async def _noted_outcome(self, call: ToolCall) -> str:
        started = time.perf_counter()

        def note(result: str, *, ok: bool) -> None:
            took_s = time.perf_counter() - started
            note_tool(call.name, ok=ok, took_s=took_s, arguments=call.arguments, result=result)

        try:
            outcome = await self._outcome(call)
        except AgentError as error:
            note(str(error), ok=False)
            raise
        note(outcome, ok=not outcome.startswith(FAILED))
        return outcome

    async def _outcome(self, call: ToolCall) -> str:
        """The tool's result, or the text of its failure."""
        status = self.job.status
        tool = registered_tools().get(call.name)
        if tool is None:
            return f"There is no tool named {call.name} any more, so nothing was done."
        async with self.dependencies.devices.client(status.user_id, status.device_id, status.id) as client:
            calls = JobCalls(client=client, steps=self.steps)
            device = self.run.on(calls, by=self.job.program or call.name)
            work = replace(self, device=device)
            context = self.run.context(session_id=status.session_id or None, scope=self.job.asked.scope, work=work)
            with device.active():
                try:
                    await self._refuse_if_denied(tool)
                    spec = tool.from_arguments(call.arguments, context)
                    await self._allow_shown(spec, device.sharing)
                    calls.before_change = partial(self._check_shown, spec, calls)
                    result = await spec.execute()
                except (ToolError, ClientRefused) as error:
                    result = ToolResult(text=f"{FAILED}{error}")
                finally:
                    # Before the outcome is recorded, because a later run that reads it deletes nothing.
                    await device.forget_deleted()
            await work.note_foreign(result.text, foreign=result.provenance is Provenance.FOREIGN)
            return result.text

    async def _refuse_if_denied(self, tool: type[ToolSpec]) -> None:
        """Raise ``ToolFailed`` if the user has denied the tool since it was called."""
        policies = await self.run.dependencies.approvals.policies(self.job.status.user_id)
        decision = policies.decision(tool.tool_name, tool.risk)
        if decision is Decision.DENY and self.steps.has_changes:
            raise ToolFailed(_DENIED)
        refuse_if_denied(decision)

    async def _allow_shown(self, spec: ToolSpec, sharing: SharingFilter) -> None:
        """Allow the change that the user was shown, if any, also on a row that is not shared."""
        if self.job.asked.shown is None:
            return
        # Past the sharing filter, because the user was shown rows that a model may not see.
        change = await first_change(spec, sharing.device)
        if change is not None and await sharing.hidden_in(change):
            sharing.allow(change)

    async def _check_shown(self, spec: ToolSpec, device: ClientExecutor) -> None:
        """Raise ``ToolFailed`` if the tool would no longer do what the user was shown."""
        shown = self.job.asked.shown
        if shown is None:
            return
        effect = await effect_of(spec, device)
        if effect is None or as_shown(effect.preview) != shown:
            raise ToolFailed(_CHANGED)
