"""Tools that take minutes, and run as jobs: they read many rows, and have the model write something.

A job may run again after a crash. A tool's changes depend only on its arguments and on the answers of ``Work.ask``,
which are the same in the second run. So it makes the same changes in the same order.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from agents.adapters.base import AssistantMessage, Message, Purpose, UserMessage, prose
from agents.calls import Rows, Table
from agents.errors import ClientRefused, ModelRetry, ToolFailed
from agents.prompts.names import PromptName
from agents.prompts.rendering import moment, system_message
from agents.tools import client
from agents.tools.context import Work
from agents.tools.overviews import ProjectSection, counted_as, project_overview, request_for, week_sections
from agents.tools.plans import MAX_CHECKPOINTS, MAX_TASKS, Kind, Plan, Suggestion, quoted, read_plan
from agents.tools.routes import Route
from agents.tools.rows import LineContext, Title, ToolResult, checkpoint_line, project_line, task_line
from agents.tools.spec import Agent, Execution, Risk, Target, ToolSpec

HAS_BEGUN: Final = "This takes longer than an answer: it has begun and goes on by itself"
"""The beginning of the tool's result in the turn that called it."""
FAILED: Final = "It did not work. "
"""The beginning of the result of a job whose tool has failed."""
MAX_SUMMARY_CHARACTERS: Final = 4_000
MAX_REVIEW_CHARACTERS: Final = 8_000
_MAX_GOAL: Final = 2_000
_MAX_REMARKS: Final = 10
_MAX_REFUSAL_CHARS: Final = 200


def begun_notice() -> str:
    """The tool's result for the model in the turn that called it."""
    return (
        f"{HAS_BEGUN}, and the user is told when it is done. Nothing of it is known yet. Tell the user in a sentence "
        "that it has begun, and do not call it again."
    )


class _LongTool(ToolSpec, abstract=True):
    execution = Execution.QUEUED

    timezone: ZoneInfo = Route.context(init=False)
    language: str = Route.context(init=False)
    now: Callable[[], datetime] = Route.context(init=False)
    work: Work | None = Route.context(init=False)

    @property
    def _lines(self) -> LineContext:
        return LineContext(timezone=self.timezone)

    def _at_work(self) -> tuple[Work, date]:
        """The job's work, and the user's day. Raises ``ToolFailed`` outside a job."""
        if self.work is None:
            raise ToolFailed("This takes too long for an answer, and jobs are not available here.")
        return self.work, self.now().astimezone(self.timezone).date()

    def _messages(
        self, purpose: Purpose, day: date, sections: Mapping[Title, ToolResult], **variables: str
    ) -> tuple[Message, ...]:
        now = moment(self.now().astimezone(self.timezone))
        filled = {"now": now, "timezone": self.timezone.key, **variables}
        system = system_message(PromptName[f"{purpose.name}_SYSTEM"], filled, language=self.language)
        return system, request_for(purpose, day, sections)


class SummarizeProject(_LongTool):
    """Write a project's summary from all that it contains, and keep it.

    It takes the place of the summary that the project has.
    """

    agent = Agent.PROJECTS
    risk = Risk.WRITE
    overwrites = True
    further_scopes = ("projects:read", "tasks:read", "checkpoints:read", "notes:read")
    label = "Summarising a project"

    project_id: str = Route.prompt(names=Table.PROJECTS)

    @property
    def target(self) -> Target:
        return Target(table=Table.PROJECTS, row_id=self.project_id, replaces=("aiSummary",))

    async def execute(self) -> ToolResult:
        work, day = self._at_work()
        await work.progress(0.0, "Reading the project")
        overview = await project_overview(self.project_id, day, self.timezone)
        await work.progress(0.2, "Writing the summary")
        words = await work.ask("summary", self._messages(Purpose.PROJECT_SUMMARY, day, overview.sections))
        summary = prose(words, MAX_SUMMARY_CHARACTERS)
        if not summary:
            raise ToolFailed("The model wrote no summary, so the project keeps the one it has.")
        await work.progress(0.9, "Keeping the summary")
        row = await client.update(Table.PROJECTS, self.project_id, {"aiSummary": summary})
        said = f"Wrote the summary of the project {project_line(row, self._lines)} ({overview.counts}):"
        return ToolResult(text=f"{said}\n\n{summary}")


class PlanProject(_LongTool):
    """Suggest tasks and checkpoints with which a project reaches a goal."""

    agent = Agent.PROJECTS
    risk = Risk.WRITE
    further_scopes = (
        *("projects:read", "tasks:read", "checkpoints:read", "notes:read"),
        *("tasks:write", "checkpoints:write"),
    )
    label = "Planning a project"

    project_id: str = Route.prompt(names=Table.PROJECTS)
    goal: str = Route.prompt("In the user's words, with the date if they gave one.")

    @property
    def target(self) -> Target:
        return Target(table=Table.PROJECTS, row_id=self.project_id)

    async def execute(self) -> ToolResult:
        (work, day), goal = self._at_work(), self.goal.strip()[:_MAX_GOAL]
        if not goal:
            raise ModelRetry("The goal is empty: say what the project is to reach.")
        await work.progress(0.0, "Reading the project")
        overview = await project_overview(self.project_id, day, self.timezone)
        await work.progress(0.2, "Making the plan")
        told_goal = ToolResult(text=goal, rows={ProjectSection.GOAL: Rows(rows=({"goal": goal},))})
        sections = {ProjectSection.GOAL: told_goal, **overview.sections}
        bounds = {"max_tasks": str(MAX_TASKS), "max_checkpoints": str(MAX_CHECKPOINTS)}
        plan = await self._asked(work, self._messages(Purpose.PROJECT_PLAN, day, sections, **bounds))
        lines, refused = await self._added(work, plan.suggestions)
        remarks = [*refused, *plan.remarks]
        if (left := len(remarks) - _MAX_REMARKS) > 0:
            remarks[_MAX_REMARKS:] = [f"{counted_as(left, 'more remark')} like these."]
        if not lines:
            raise ToolFailed("\n".join(["Nothing was suggested that could be added.", *remarks]))
        project = project_line(overview.row, self._lines)
        done = f"Added to the project {project}, as suggestions that the user has not accepted yet:"
        return ToolResult(text="\n".join([done, *lines, *(["Left out of the plan:", *remarks] if remarks else [])]))

    async def _asked(self, work: Work, messages: Sequence[Message]) -> Plan:
        """The model's plan. If its answer contains none, it is asked once more."""
        words = await work.ask("plan", messages)
        plan = read_plan(words, self.timezone)
        if plan.suggestions:
            return plan
        await work.progress(0.4, "Making the plan again")
        retry = (*messages, AssistantMessage(text=words[:_MAX_GOAL]), UserMessage(text=_NOT_A_PLAN))
        return read_plan(await work.ask("plan again", retry), self.timezone)

    async def _added(self, work: Work, suggestions: Sequence[Suggestion]) -> tuple[list[str], list[str]]:
        """A line for each row that was added, and one for each that the device refused."""
        lines, refused = [], []
        for number, suggestion in enumerate(suggestions):
            await work.progress(0.6 + 0.4 * number / len(suggestions), "Adding the suggestions")
            try:
                lines.append(f"- {await self._add(suggestion)}")
            except ClientRefused as error:
                why = str(error)[:_MAX_REFUSAL_CHARS]
                refused.append(f"The {suggestion.kind} {quoted(suggestion.title)}: the user's device refused it: {why}")
        return lines, refused

    async def _add(self, suggestion: Suggestion) -> str:
        if suggestion.kind is Kind.CHECKPOINT:
            row = await client.insert(
                Table.CHECKPOINTS,
                projectId=self.project_id,
                title=suggestion.title,
                date=suggestion.date,
                isAiSuggested=1,
                isApproved=0,
            )
            return f"{Kind.CHECKPOINT} {checkpoint_line(row, self._lines)}"
        row = await client.insert(
            Table.TASKS,
            projectId=self.project_id,
            title=suggestion.title,
            description=suggestion.description,
            status="todo",
            priority=suggestion.priority,
            dueDate=suggestion.date,
            isAiSuggested=1,
            isApproved=0,
        )
        return f"{Kind.TASK} {task_line(row, self._lines)}"


class WeeklyReview(_LongTool):
    """Review the user's week: the seven days before and after today."""

    agent = Agent.ALL
    domains = (Agent.TASKS,)
    group = Agent.TASKS
    risk = Risk.READ
    further_scopes = ("checkpoints:read", "projects:read")
    label = "Reviewing the week"

    async def execute(self) -> ToolResult:
        work, day = self._at_work()
        await work.progress(0.0, "Reading tasks and checkpoints")
        sections = await week_sections(day, self.timezone)
        await work.progress(0.3, "Writing the review")
        words = await work.ask("review", self._messages(Purpose.WEEKLY_REVIEW, day, sections))
        review = prose(words, MAX_REVIEW_CHARACTERS)
        if not review:
            raise ToolFailed("The model wrote no review.")
        return ToolResult(text=f"The review of the week:\n\n{review}")


_NOT_A_PLAN: Final = (
    "No task and no checkpoint could be read in this. Answer again, with the JSON object only and dates as 2026-11-24."
)
