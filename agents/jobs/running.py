"""One run of a job: its tool on the user's device, then the answer, in the model's words."""

import json
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from agents.adapters.base import (
    AssistantMessage,
    Message,
    ModelAdapter,
    ModelParams,
    Purpose,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from agents.adapters.earlier import earlier
from agents.adapters.whole import whole_text
from agents.dialogues.rows import UserDialogues
from agents.errors import (
    AgentError,
    ClientAbsent,
    ClientRefused,
    ClientSilent,
    JobLost,
    JobUnreadable,
    ModelError,
    ToolError,
)
from agents.events import ToolCall
from agents.jobs.calls import Devices, JobCalls
from agents.jobs.notices import FAILED
from agents.jobs.records import ClaimedJob, JobStanding
from agents.jobs.steps import Steps
from agents.jobs.store import JobStore
from agents.kinds import RequestKind
from agents.permissions.approvals.previews import effect_of
from agents.permissions.approvals.questions import Origin
from agents.permissions.approvals.rows import as_shown
from agents.permissions.disclosures.ledger import Ledger
from agents.permissions.disclosures.models import LedgeredAdapter, LedgeredEmbedder
from agents.permissions.disclosures.records import Occasion
from agents.permissions.disclosures.store import DisclosureStore, Untold
from agents.permissions.sharing.counting import counting
from agents.permissions.sharing.store import MarkStore, Unmarked
from agents.permissions.sharing.withholding import Withholding
from agents.prompts.names import PromptName
from agents.prompts.system import moment, system_prompt
from agents.telemetry.turns import TurnOrigin, TurnOutcome, TurnSource
from agents.telemetry.watching import Observers, note_end, note_tool
from agents.tools.client import ClientExecutor, clear_client_executor, set_client_executor
from agents.tools.context import CallContext
from agents.tools.memory import Recollection
from agents.tools.runs import Run
from agents.tools.spec.tool import ToolSpec, registered_tools
from memory.embedders.base import Embedder

logger = logging.getLogger(__name__)

_ANSWER: Final = "answer"
_OUTCOME: Final = "outcome"
_CHANGED: Final = (
    "The row has changed since the user was shown what would happen to it, so nothing was changed. They may ask again."
)


class Outcome(StrEnum):
    """How a run ended."""

    ANSWERED = "answered"
    AWAY = "away"
    """The device is not there."""
    FAILED = "failed"
    """Trying again may help."""
    HOPELESS = "hopeless"
    """Trying again will not help."""
    LOST = "lost"
    """The job is not this run's any more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ran:
    """How a run ended; ``text`` is the answer, or why it failed, for the user."""

    outcome: Outcome
    text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobKit:
    """What every run works with. ``recollection`` is None where nothing is remembered; ``clock`` gives aware time.

    ``on_progress`` is told how far a job is. ``disclosures`` and ``marks`` are as in a turn's kit.
    """

    store: JobStore
    devices: Devices
    adapter: ModelAdapter
    embedder: Embedder
    recollection: Callable[[uuid.UUID], Recollection] | None
    on_progress: Callable[[JobStanding], Awaitable[None]]
    clock: Callable[[], datetime]
    observers: Observers = field(default_factory=Observers)
    disclosures: DisclosureStore = field(default_factory=Untold)
    marks: MarkStore = field(default_factory=Unmarked)


@dataclass(frozen=True, kw_only=True, slots=True)
class JobRun:
    """Runs ``job`` as ``owner``. Whatever it says or changes is written down first (``Steps``)."""

    kit: JobKit
    job: ClaimedJob
    owner: str

    async def run(self) -> Ran:
        """Never raises but for being cancelled."""
        standing = self.job.standing
        origin = TurnOrigin(
            user_id=standing.user_id,
            request_id=standing.request_id,
            kind=RequestKind.JOB,
            source=TurnSource.WORKER,
        )
        with self.kit.observers.watching(origin):
            ran = await self._ran()
            _note_end(ran.outcome)
            return ran

    async def _ran(self) -> Ran:
        try:
            return Ran(outcome=Outcome.ANSWERED, text=await self._answer())
        except ClientAbsent:
            return Ran(outcome=Outcome.AWAY)
        except ClientSilent as error:
            standing = self.job.standing
            if await self.kit.devices.connected(standing.user_id, standing.device_id):
                return Ran(outcome=Outcome.FAILED, text=str(error))
            return Ran(outcome=Outcome.AWAY)
        except JobLost:
            return Ran(outcome=Outcome.LOST)
        except JobUnreadable as error:
            return Ran(outcome=Outcome.HOPELESS, text=str(error))
        except ModelError as error:
            logger.warning("the model failed in job %s: %s", self.job.standing.id, error)
            return Ran(outcome=Outcome.FAILED if error.retryable else Outcome.HOPELESS, text=str(error))
        except Exception:  # the boundary of a job: the user is told, the log knows why
            incident = uuid.uuid4().hex[:12]
            logger.exception("job %s failed unexpectedly (incident %s)", self.job.standing.id, incident)
            return Ran(outcome=Outcome.FAILED, text=f"Something went wrong on the server (incident {incident}).")

    async def _answer(self) -> str:
        kit, standing = self.kit, self.job.standing
        steps = Steps(store=kit.store, job_id=standing.id, owner=self.owner, clock=kit.clock)
        await steps.read()
        work = JobWork(kit=kit, job=self.job, owner=self.owner, steps=steps, ledger=self._ledger())
        outcome = steps.written(_OUTCOME)
        if outcome is None:
            outcome = await self._noted_outcome(work, steps)
            # Before it is a step: a second run that goes on from there has no rows to find in it.
            await work.ledger.telling(kit.adapter.name, [outcome])
            outcome = await steps.write(_OUTCOME, outcome)
        return await work.ask(_ANSWER, self._conversation(outcome))

    def _ledger(self) -> Ledger:
        standing = self.job.standing
        origin = Origin(user_id=standing.user_id, request_id=standing.request_id, device_id=standing.device_id)
        return Ledger(Occasion(origin=origin, source=RequestKind.JOB, job_id=standing.id), self.kit.disclosures)

    async def _noted_outcome(self, work: "JobWork", steps: Steps) -> str:
        tool, arguments, started = self.job.standing.tool, json.dumps(dict(self.job.arguments)), time.perf_counter()
        try:
            outcome = await self._outcome(work, steps)
        except AgentError as error:
            took_s = time.perf_counter() - started
            note_tool(tool, ok=False, took_s=took_s, arguments=arguments, result=str(error))
            raise
        took_s, ok = time.perf_counter() - started, not outcome.startswith(FAILED)
        note_tool(tool, ok=ok, took_s=took_s, arguments=arguments, result=outcome)
        return outcome

    async def _outcome(self, work: "JobWork", steps: Steps) -> str:
        """What the tool gives, or says of its failure."""
        standing = self.job.standing
        tool = registered_tools().get(standing.tool)
        if tool is None:
            return f"There is no tool named {standing.tool} any more, so nothing was done."
        async with self.kit.devices.client(standing.user_id, standing.device_id, standing.id) as client:
            calls = JobCalls(job_id=standing.id, client=client, steps=steps)
            run = Run(Withholding(calls, self.kit.marks, standing.user_id))
            work.ledger.follow(run)
            token = set_client_executor(run)
            try:
                spec = tool.from_arguments(json.dumps(dict(self.job.arguments)), self._context(work))
                # Not by way of the run: the user was shown rows that a model may not be.
                if steps.empty and not await self._as_shown(spec, calls):
                    return _CHANGED
                with counting() as withheld:
                    return withheld.told(await spec.execute())
            except (ToolError, ClientRefused) as error:
                return f"{FAILED}{error}"
            finally:
                clear_client_executor(token)

    async def _as_shown(self, spec: ToolSpec, client: ClientExecutor) -> bool:
        """Whether the tool would still do what the user was shown; so it is where nothing was to be shown."""
        shown = self.job.asked.shown
        if shown is None:
            return True
        effect = await effect_of(spec, client)
        return effect is not None and as_shown(effect.preview) == shown

    def _context(self, work: "JobWork") -> CallContext:
        asked, standing = self.job.asked, self.job.standing
        return CallContext(
            user_id=standing.user_id,
            timezone=asked.timezone,
            language=asked.language,
            now=lambda: self.kit.clock().astimezone(asked.timezone),
            embedder=LedgeredEmbedder(embedder=self.kit.embedder, ledger=work.ledger),
            memory=None if self.kit.recollection is None else self.kit.recollection(standing.user_id),
            session_id=standing.session_id or None,
            scope=asked.scope,
            work=work,
            dialogues=UserDialogues(user_id=standing.user_id),
        )

    def _conversation(self, outcome: str) -> list[Message]:
        """What the turn's model would have read, up to the tool's outcome."""
        asked, standing = self.job.asked, self.job.standing
        now = self.kit.clock().astimezone(asked.timezone)
        variables = {"now": moment(now), "timezone": asked.timezone.key}
        call = ToolCall(id=str(standing.id), name=standing.tool, arguments=json.dumps(dict(self.job.arguments)))
        return [
            SystemMessage(text=system_prompt(PromptName.JOB_SYSTEM, variables, language=asked.language)),
            *earlier(asked.history),
            UserMessage(text=asked.message),
            AssistantMessage(text="", tool_calls=(call,)),
            ToolMessage(call_id=call.id, text=outcome),
        ]


@dataclass(frozen=True, kw_only=True, slots=True)
class JobWork:
    """The ``Work`` of one run."""

    kit: JobKit
    job: ClaimedJob
    owner: str
    steps: Steps
    ledger: Ledger

    async def ask(self, step: str, messages: Sequence[Message]) -> str:
        return await self.once(step, lambda: self._said(messages))

    async def once(self, step: str, words: Callable[[], Awaitable[str]]) -> str:
        name = f"said {step}"
        known = self.steps.written(name)
        return known if known is not None else await self.steps.write(name, await words())

    async def progress(self, fraction: float, label: str) -> None:
        standing = self.job.standing
        if not await self.kit.store.progress(standing.id, self.owner, fraction=fraction, label=label):
            raise JobLost
        await self.kit.on_progress(replace(standing, fraction=fraction, label=label))

    async def _said(self, messages: Sequence[Message]) -> str:
        asked = self.job.asked
        now = self.kit.clock().astimezone(asked.timezone)
        params = ModelParams(purpose=Purpose.ANSWER, language=asked.language, now=now)
        adapter = LedgeredAdapter(adapter=self.kit.adapter, ledger=self.ledger)
        return await whole_text(adapter, messages, params)


def _note_end(outcome: Outcome) -> None:
    match outcome:
        case Outcome.ANSWERED:
            note_end(TurnOutcome.DONE)
        case Outcome.LOST:
            note_end(TurnOutcome.CANCELLED)
        case _:
            note_end(TurnOutcome.ERROR, outcome)
