"""Reasons to ask besides the policies, and how a failing device affects a question."""

import asyncio
from dataclasses import dataclass, field, replace
from uuid import UUID

import pytest
from channels.db import database_sync_to_async

from accounts.models import User
from agents.calls import CallAction, ClientAnswer, ClientCall, Table
from agents.engine.executor import ToolExecutor
from agents.engine.roster import ROSTER, AgentName
from agents.engine.rounds import ToolOutcome
from agents.errors import ClientAbsent, ClientRefused, ClientSilent
from agents.events import ToolCall
from agents.permissions.approvals import repository
from agents.permissions.approvals.boundaries import ReasonToAsk
from agents.permissions.approvals.consent import TurnConsent
from agents.permissions.approvals.judging import Judge
from agents.permissions.approvals.policies import replace_policies
from agents.permissions.approvals.refusals import Refusal, refusal_in
from agents.permissions.approvals.repository import Answer, ApprovalStatus, Question
from agents.permissions.approvals.service import (
    ApprovalService,
    AskedLater,
    Asker,
    NoAsker,
    Reach,
)
from agents.permissions.models import Approval, ApprovalState, Decision
from agents.permissions.sharing import NoMarks
from agents.permissions.withholding import SharingFilter
from agents.tools.client import OnLate, RecordingClient
from agents.tools.context import CallContext
from agents.tools.spec import ToolSpec
from agents.tools.tasks import CreateTask
from tests.agents.scripts import call
from tests.agents.tables import InMemoryClient

pytestmark = pytest.mark.django_db(transaction=True)
REQUEST = "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70"
CREATE = call("create_task", '{"title": "Buy milk"}')
DELETE = call("delete_task", '{"task_id": "t1"}')


class Prompt:
    """An ``Asker`` that answers at once, each time with the next of ``answers``."""

    device_id = "laptop"

    def __init__(self, approval_service: ApprovalService, user_id: UUID, *answers: Answer) -> None:
        self._manager = approval_service
        self._user_id = user_id
        self._answers = list(answers)
        self._answering: list[asyncio.Task[object]] = []
        self.shown: list[Question] = []

    def reach(self) -> Reach:
        return Reach.ASKS

    def show(self, question: Question) -> None:
        self.shown.append(question)
        answering = self._manager.answer(self._user_id, question.id, self._answers.pop(0))
        self._answering.append(asyncio.ensure_future(answering))


async def foreign(tool: ToolSpec, context: CallContext) -> str | None:
    return "It lies outside of the page's project." if isinstance(tool, CreateTask) else None


async def never(tool: ToolSpec, context: CallContext) -> str | None:
    return None


@pytest.fixture
def approval_service() -> ApprovalService:
    return ApprovalService()


@pytest.fixture
def mine(context: CallContext, alice: User) -> CallContext:
    return replace(context, user_id=alice.id)


@pytest.fixture
def client(client: InMemoryClient) -> InMemoryClient:
    client.rows[Table.TASKS] = [{"id": "t1", "title": "Water the roses"}]
    return client


async def dispatch(
    wanted: ToolCall,
    context: CallContext,
    run: RecordingClient,
    client: InMemoryClient,
    asker: Asker,
    approval_service: ApprovalService,
    *reasons: ReasonToAsk,
    request_id: str = REQUEST,
) -> ToolOutcome:
    sharing = SharingFilter(client, NoMarks(), context.user_id)
    judge = Judge(sharing=sharing)
    gate = TurnConsent(approvals=approval_service, asker=asker, judge=judge, request_id=request_id, reasons=reasons)
    return await ToolExecutor(ROSTER[AgentName.GENERAL_AGENT].tools, context, gate=gate).dispatch(wanted)


async def test_reason_requires_question_despite_policy(
    mine: CallContext, run: RecordingClient, client: InMemoryClient, approval_service: ApprovalService
) -> None:
    asker = Prompt(approval_service, mine.user_id, Answer(approved=True))
    outcome = await dispatch(CREATE, mine, run, client, asker, approval_service, never, foreign)

    assert outcome.ok
    [question] = asker.shown
    assert question.summary == "Add the task “Buy milk”. It lies outside of the page's project."
    assert [change.action for change in run.changes] == [CallAction.INSERT]


async def test_allowed_call_runs_without_question_if_no_reason_applies(
    mine: CallContext, run: RecordingClient, client: InMemoryClient, approval_service: ApprovalService
) -> None:
    asker = Prompt(approval_service, mine.user_id)

    assert (await dispatch(CREATE, mine, run, client, asker, approval_service, never)).ok
    assert asker.shown == []


async def test_remembered_answer_does_not_override_reason(
    mine: CallContext, run: RecordingClient, client: InMemoryClient, approval_service: ApprovalService
) -> None:
    yes = Answer(approved=True, remember=True)
    asker = Prompt(approval_service, mine.user_id, yes, yes)
    for _ in range(2):
        assert (await dispatch(CREATE, mine, run, client, asker, approval_service, foreign)).ok

    assert len(asker.shown) == 2


async def test_denial_overrides_reason_to_ask(
    mine: CallContext, run: RecordingClient, client: InMemoryClient, approval_service: ApprovalService
) -> None:
    await database_sync_to_async(replace_policies)(mine.user_id, risks={}, tools={"create_task": Decision.DENY})
    asker = Prompt(approval_service, mine.user_id)
    outcome = await dispatch(CREATE, mine, run, client, asker, approval_service, foreign)

    assert (outcome.ok, asker.shown, client.calls) == (False, [], [])


async def test_row_read_for_preview_is_not_recorded_as_tool_result(
    mine: CallContext, run: RecordingClient, client: InMemoryClient, approval_service: ApprovalService
) -> None:
    await dispatch(
        DELETE, mine, run, client, Prompt(approval_service, mine.user_id, Answer(approved=False)), approval_service
    )

    assert [call.action for call in client.calls] == [CallAction.GET]
    assert (run.tool_results, run.rows(Table.TASKS)) == ([], [])


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (ClientAbsent(), "The user's device is not connected, so nothing was read or changed. Tell the user."),
        (
            ClientSilent(),
            (
                "The user's device did not answer in time, so the user could not be asked and nothing was changed. "
                "Tell the user."
            ),
        ),
        (ClientRefused("locked"), "The user's device refused: locked"),
    ],
)
async def test_unreadable_row_fails_call_without_question(
    mine: CallContext,
    run: RecordingClient,
    client: InMemoryClient,
    approval_service: ApprovalService,
    failure: Exception,
    said: str,
) -> None:
    client.fail_with = failure
    outcome = await dispatch(DELETE, mine, run, client, Prompt(approval_service, mine.user_id), approval_service)

    assert (outcome.text, outcome.ok) == (said, False)
    assert await database_sync_to_async(Approval.objects.count)() == 0


@pytest.mark.parametrize("asker", [NoAsker(), AskedLater()])
async def test_call_is_refused_if_asker_cannot_wait_for_approval(
    mine: CallContext, run: RecordingClient, client: InMemoryClient, approval_service: ApprovalService, asker: Asker
) -> None:
    outcome = await dispatch(DELETE, mine, run, client, asker, approval_service)

    assert (outcome.ok, outcome.text.startswith("This needs the user's approval")) == (False, True)
    assert client.rows[Table.TASKS] != []
    questions = await database_sync_to_async(Approval.objects.count)()
    assert questions == (1 if asker.reach() is Reach.LATER else 0)


async def test_repeated_call_uses_approval_given_meanwhile(
    mine: CallContext, run: RecordingClient, client: InMemoryClient, approval_service: ApprovalService
) -> None:
    await dispatch(DELETE, mine, run, client, AskedLater(), approval_service)
    pending = await database_sync_to_async(Approval.objects.get)()
    await approval_service.answer(mine.user_id, pending.id, Answer(approved=True))

    assert (
        await dispatch(DELETE, mine, run, client, AskedLater(), approval_service)
    ).text == "Deleted the task [id t1]."


@dataclass(kw_only=True)
class PolledService(ApprovalService):
    """Sets ``often`` once a turn has recorded three times that it waits, counted from ``listen``."""

    polls: int = 0
    often: asyncio.Event = field(default_factory=asyncio.Event)

    def listen(self) -> None:
        self.polls = 0
        self.often.clear()

    async def status(self, question: Question, *, waiting: bool) -> ApprovalStatus:
        status = await super().status(question, waiting=waiting)
        self.polls += waiting
        if self.polls >= 3:
            self.often.set()
        return status


class SlowToReadAgain(InMemoryClient):
    """Answers the second call only after the turn has polled often."""

    approval_service: PolledService

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        if len(self.calls) == 1:
            self.approval_service.listen()
            await self.approval_service.often.wait()
        return await super().execute(call, on_late=on_late)


async def test_turn_counts_as_waiting_while_device_rereads_row(mine: CallContext, run: RecordingClient) -> None:
    approval_service = PolledService(poll_s=0.01)
    client = SlowToReadAgain(rows={**InMemoryClient().rows, Table.TASKS: [{"id": "t1", "title": "Water the roses"}]})
    client.approval_service = approval_service
    async with asyncio.timeout(10):
        outcome = await dispatch(
            DELETE, mine, run, client, Prompt(approval_service, mine.user_id, Answer(approved=True)), approval_service
        )
    row = await Approval.objects.aget()

    assert outcome.text == "Deleted the task [id t1]."
    assert row.taken_at is not None
    assert row.answered_at is not None
    assert row.waited_at is not None
    assert row.taken_at >= row.waited_at > row.answered_at


@dataclass(kw_only=True)
class CancellingService(ApprovalService):
    """Cancels the turn before a step."""

    step: str

    async def status(self, question: Question, *, waiting: bool) -> ApprovalStatus:
        self._cut_at("status")
        return await super().status(question, waiting=waiting)

    async def take(self, question: Question) -> bool:
        self._cut_at("take")
        return await super().take(question)

    def _cut_at(self, step: str) -> None:
        if step == self.step:
            raise asyncio.CancelledError


@pytest.mark.parametrize("step", ["status", "take"])
async def test_cancelled_turn_cancels_its_approval(
    mine: CallContext, run: RecordingClient, client: InMemoryClient, step: str
) -> None:
    approval_service = CancellingService(step=step)
    with pytest.raises(asyncio.CancelledError):
        await dispatch(
            DELETE, mine, run, client, Prompt(approval_service, mine.user_id, Answer(approved=True)), approval_service
        )

    assert [row.state async for row in Approval.objects.all()] == [ApprovalState.CANCELLED]


async def test_program_is_told_when_too_many_questions_are_open(
    mine: CallContext,
    run: RecordingClient,
    client: InMemoryClient,
    approval_service: ApprovalService,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repository, "MAX_OF_PROGRAMS", 1)
    client.rows[Table.TASKS].append({"id": "t2", "title": "Buy milk"})
    program = replace(mine, program="mcp: notes")
    told = [
        await dispatch(
            call("delete_task", f'{{"task_id": "{task}"}}'), program, run, client, AskedLater(), approval_service
        )
        for task in ("t1", "t2", "t1")
    ]

    assert [refusal_in(each.text) for each in told] == [Refusal.PENDING, None, Refusal.PENDING]
    assert (told[1].ok, "answer those first" in told[1].text) == (False, True)
    assert len(client.rows[Table.TASKS]) == 2


async def test_cancelled_program_call_keeps_question_of_earlier_call(
    mine: CallContext, run: RecordingClient, client: InMemoryClient, approval_service: ApprovalService
) -> None:
    program = replace(mine, program="mcp: notes")
    await dispatch(DELETE, program, run, client, AskedLater(), approval_service, request_id="earlier")
    with pytest.raises(asyncio.CancelledError):
        await dispatch(DELETE, program, run, client, AskedLater(), CancellingService(step="status"))

    rows = [(row.request_id, row.state) async for row in Approval.objects.all()]
    assert rows == [("earlier", ApprovalState.PENDING)]


async def test_default_policies_apply_without_gate(
    context: CallContext, run: RecordingClient, client: InMemoryClient
) -> None:
    tools = ToolExecutor(ROSTER[AgentName.GENERAL_AGENT].tools, context)

    assert (await tools.dispatch(CREATE)).ok
    assert not (await tools.dispatch(DELETE)).ok


@pytest.mark.parametrize("refusal", Refusal)
def test_refusal_is_recognized_by_its_unique_beginning(refusal: Refusal) -> None:
    assert refusal_in(f"{refusal} Tell the user.") is refusal
    assert [other for other in Refusal if refusal.startswith(other)] == [refusal]


@pytest.mark.parametrize("text", ["", "Deleted the task [id t1].", f"He said: {Refusal.REFUSED}"])
def test_other_text_is_not_recognized_as_refusal(text: str) -> None:
    assert refusal_in(text) is None
