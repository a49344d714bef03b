"""Changes of never-shared rows: unknown to the model, and a question when the user's own words name them."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from channels.db import database_sync_to_async

from accounts.models import User
from agents.calls import Table
from agents.engine.executor import ToolExecutor
from agents.engine.roster import ROSTER, SIDEBAR, AgentName
from agents.engine.rounds import ToolOutcome
from agents.permissions.approvals.boundaries import leaves_viewed_project
from agents.permissions.approvals.consent import TurnConsent
from agents.permissions.approvals.judging import Judge
from agents.permissions.approvals.policies import replace_policies
from agents.permissions.approvals.refusals import Refusal
from agents.permissions.approvals.repository import Answer
from agents.permissions.approvals.service import ApprovalService, Asker, NoAsker
from agents.permissions.models import Decision
from agents.permissions.sharing import Marks
from agents.permissions.withholding import SharingFilter
from agents.scopes import AnyScope, ListScope, NoteScope, PopupScope, PopupScopeType, ProjectCounts, ProjectScope
from agents.tools.client import RecordingClient, using_client
from agents.tools.context import CallContext
from agents.tools.spec import Risk
from tests.agents.disclosing import KeptMarks
from tests.agents.permissions.approvals.test_consent import REQUEST, Prompt
from tests.agents.scripts import call
from tests.agents.tables import InMemoryClient

pytestmark = pytest.mark.django_db(transaction=True)
YES = Answer(approved=True)
SECRET_PAGE = ProjectScope(
    page="project",
    entityType="project",
    entityId="p-secret",
    entityName="The secret plan",
    counts=ProjectCounts(tasks=1, notes=1, milestones=0),
)
RENAME = call("update_task", '{"task_id": "t-ring", "title": "New"}')
DELETE = call("delete_task", '{"task_id": "t-ring"}')
UNKNOWN = "There is no task with the id {}. Look the right id up first."


@dataclass
class Desk:
    """A user at a device with a marked project and a shared one."""

    context: CallContext
    client: InMemoryClient
    approvals: ApprovalService = field(default_factory=ApprovalService)
    marks: Marks = field(default_factory=lambda: Marks(projects=frozenset({"p-secret"})))

    def asker(self, *answers: Answer) -> Prompt:
        return Prompt(self.approvals, self.context.user_id, *answers)

    async def dispatch(
        self, wanted: Any, asker: Asker, *, said: str = "", scope: AnyScope | None = None
    ) -> ToolOutcome:
        sharing = SharingFilter(self.client, KeptMarks(self.marks), self.context.user_id)
        beside = isinstance(scope, ProjectScope | ListScope | NoteScope)
        gate = TurnConsent(
            approvals=self.approvals,
            asker=asker,
            judge=Judge(sharing=sharing, said=said),
            request_id=REQUEST,
            reasons=[leaves_viewed_project] if beside else [],
        )
        tools = SIDEBAR.tools if beside else ROSTER[AgentName.GENERAL_AGENT].tools
        with using_client(RecordingClient(sharing)):
            return await ToolExecutor(tools, replace(self.context, scope=scope), gate=gate).dispatch(wanted)

    def task(self, row_id: str = "t-ring") -> dict[str, Any] | None:
        return next((row for row in self.client.rows[Table.TASKS] if row["id"] == row_id), None)


@pytest.fixture
def desk(context: CallContext, client: InMemoryClient, alice: User) -> Desk:
    client.rows[Table.PROJECTS] = [{"id": "p-secret", "name": "Plan B"}, {"id": "p-open", "name": "Website"}]
    client.rows[Table.TASKS] = [
        {"id": "t-ring", "title": "Buy the Ring", "projectId": "p-secret", "description": "Opal"},
        {"id": "t-copy", "title": "Write copy", "projectId": "p-open"},
    ]
    return Desk(replace(context, user_id=alice.id), client)


@pytest.mark.parametrize(
    "said",
    ["", "Rename a task", "Buy the rings", "t-ring-2", "xt-ring", "The ring"],
)
@pytest.mark.parametrize("wanted", [RENAME, DELETE])
async def test_hidden_row_that_user_does_not_name_is_unknown(desk: Desk, wanted: Any, said: str) -> None:
    asker = desk.asker()
    before = desk.task()

    told = await desk.dispatch(wanted, asker, said=said)

    assert told.text == UNKNOWN.format("t-ring")
    nowhere = replace(wanted, arguments=wanted.arguments.replace("t-ring", "t-none"))
    assert (await desk.dispatch(nowhere, asker, said=said)).text == UNKNOWN.format("t-none")
    assert (asker.shown, desk.task()) == ([], before)


@pytest.mark.parametrize("said", ["Rename t-ring, please", "Please change “buy  the\nring”.", "Buy the Ring"])
async def test_hidden_row_that_user_names_is_changed_after_approval(desk: Desk, said: str) -> None:
    asker = desk.asker(YES)

    told = await desk.dispatch(RENAME, asker, said=said)

    assert told.text == 'Updated the task "New" [id t-ring].'
    [question] = asker.shown
    assert question.preview is not None
    assert question.preview.before == {
        "id": "t-ring", "title": "Buy the Ring", "projectId": "p-secret", "description": "Opal",
    }  # fmt: skip
    assert question.summary.endswith("It concerns something that you never share with the assistant.")
    assert (desk.task() or {})["title"] == "New"


async def test_question_is_in_users_language(desk: Desk) -> None:
    asker = desk.asker(YES)
    desk.context = replace(desk.context, language="it")
    await desk.dispatch(RENAME, asker, said="t-ring")
    [question] = asker.shown
    assert question.summary.endswith("Riguarda qualcosa che non condividi mai con l'assistente.")


async def test_refused_change_of_hidden_row_reveals_nothing(desk: Desk) -> None:
    told = await desk.dispatch(RENAME, desk.asker(Answer(approved=False)), said="Rename Buy the ring")
    assert told.text.startswith(Refusal.REFUSED)
    assert "ing" not in told.text.removeprefix(Refusal.REFUSED).replace("again", "")
    assert (desk.task() or {})["title"] == "Buy the Ring"


async def test_policy_does_not_replace_question_about_hidden_row(desk: Desk) -> None:
    replace_all = dict.fromkeys(Risk, Decision.AUTO)

    await database_sync_to_async(replace_policies)(desk.context.user_id, risks=replace_all, tools={})
    asker = desk.asker(YES)

    assert (await desk.dispatch(DELETE, asker, said="Delete t-ring")).ok
    assert (len(asker.shown), desk.task()) == (1, None)


async def test_row_does_not_leave_marked_project_unasked(desk: Desk) -> None:
    asker = desk.asker(YES)
    out = call("update_task", '{"task_id": "t-ring", "project_id": null}')
    over = call("update_task", '{"task_id": "t-ring", "project_id": "p-open"}')

    assert not (await desk.dispatch(out, asker)).ok
    assert not (await desk.dispatch(over, asker)).ok
    assert (desk.task() or {})["projectId"] == "p-secret"

    assert (await desk.dispatch(out, asker, said="Take t-ring out of it")).text == 'Updated the task "" [id t-ring].'
    assert (desk.task() or {})["projectId"] is None


async def test_row_moves_into_marked_project_that_user_names(desk: Desk) -> None:
    into = call("update_task", '{"task_id": "t-copy", "project_id": "p-secret"}')
    asker = desk.asker(YES)

    assert (await desk.dispatch(into, asker)).text == "There is no such project. Look the right id up first."
    told = await desk.dispatch(into, asker, said="Move it to plan b")

    assert (told.text, len(asker.shown)) == ('Updated the task "" [id t-copy].', 1)
    assert (desk.task("t-copy") or {})["projectId"] == "p-secret"


async def test_each_marked_row_of_change_must_be_named(desk: Desk) -> None:
    desk.client.rows[Table.PROJECTS].append({"id": "p-vault", "name": "Vault"})
    desk.marks = Marks(projects=frozenset({"p-secret", "p-vault"}))
    over = call("update_task", '{"task_id": "t-ring", "project_id": "p-vault"}')
    asker = desk.asker(YES)

    assert not (await desk.dispatch(over, asker, said="Move t-ring")).ok
    assert (await desk.dispatch(over, asker, said="Move t-ring to the vault")).ok
    assert len(asker.shown) == 1


@pytest.mark.parametrize(
    "scope",
    [
        PopupScope(type=PopupScopeType.TASK, id="t-ring"),
        PopupScope(type=PopupScopeType.NOTE, id="t-ring"),
        PopupScope(type=PopupScopeType.TASKS),
    ],
)
async def test_row_in_popup_counts_as_named(desk: Desk, scope: PopupScope) -> None:
    asker = desk.asker(YES)
    told = await desk.dispatch(RENAME, asker, scope=scope)
    assert told.ok is (scope.type is PopupScopeType.TASK)
    assert len(asker.shown) == told.ok


async def test_insert_on_page_of_marked_project_asks(desk: Desk) -> None:
    asker = desk.asker(YES)
    told = await desk.dispatch(call("create_task", '{"title": "Fresh"}'), asker, scope=SECRET_PAGE)

    assert told.text.startswith('Created the task "Fresh" (todo, medium priority) [id new-1]')
    assert (len(asker.shown), (desk.task("new-1") or {})["projectId"]) == (1, "p-secret")


async def test_client_without_asker_changes_no_hidden_row_and_reveals_no_page(desk: Desk) -> None:
    asker = NoAsker()
    beyond = call("update_task", '{"task_id": "t-copy", "title": "New"}')

    assert (await desk.dispatch(RENAME, asker, said="Rename t-ring")).text == UNKNOWN.format("t-ring")
    told = await desk.dispatch(beyond, asker, scope=SECRET_PAGE)
    assert told.text.startswith(Refusal.CANNOT_ASK)
    assert "secret" not in told.text
    deleted = await desk.dispatch(DELETE, asker, said="Delete t-ring")
    unknown = await desk.dispatch(replace(DELETE, arguments='{"task_id": "t-none"}'), asker)
    assert deleted.text == unknown.text


async def test_comment_on_hidden_task_requires_its_name(desk: Desk) -> None:
    comment = call("add_task_comment", '{"task_id": "t-ring", "content": "Opal?"}')
    asker = desk.asker(YES)

    assert (await desk.dispatch(comment, asker)).text == "There is no such task. Look the right id up first."
    told = await desk.dispatch(comment, asker, said="Comment on t-ring: Opal?")
    assert told.text == 'Added the comment "Opal?" (by Me) [id new-1].'


async def test_row_of_marked_table_is_changed_only_if_named(desk: Desk) -> None:
    desk.marks = Marks(tables=frozenset({Table.TASKS}))
    asker = desk.asker(YES)

    refused = await desk.dispatch(RENAME, asker)
    assert refused.text.startswith("The user never shares their tasks, so this was not changed.")
    unknown = await desk.dispatch(call("update_task", '{"task_id": "t-none", "title": "New"}'), asker, said="t-none")
    assert unknown.text == refused.text
    assert (await desk.dispatch(RENAME, asker, said="t-ring")).text == 'Updated the task "New" [id t-ring].'


async def test_hidden_row_stays_unknown_to_reads_even_if_named(desk: Desk) -> None:
    told = await desk.dispatch(call("get_project", '{"project_id": "p-secret"}'), desk.asker(), said="Plan B p-secret")
    assert told.text == "There is no project with the id p-secret. Look the right id up first."
