"""Tools that take minutes: they read much, have the model write, and run as jobs of their own.

A job may be run a second time after a crash. What a tool changes follows from its arguments and from the words of
``Work.ask`` alone, which are the same the second time, so that it makes the same changes in the same order.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from agents.adapters.base import AssistantMessage, Message, SystemMessage, UserMessage
from agents.calls import Table
from agents.errors import ClientRefused, ModelRetry, ToolFailed
from agents.prompts.names import PromptName
from agents.prompts.system import moment, system_prompt
from agents.tools import tables
from agents.tools.model_words import prose
from agents.tools.overviews import (
    ProjectSection,
    Wanted,
    counted_as,
    message_of,
    project_overview,
    week_sections,
)
from agents.tools.plans import MAX_CHECKPOINTS, MAX_TASKS, Kind, Plan, Suggestion, quoted, read_plan
from agents.tools.rows import checkpoint_line, project_line, task_line
from agents.tools.spec.route import Route
from agents.tools.spec.tool import Agent, Execution, Risk, ToolSpec
from agents.tools.work import Work

MAX_SUMMARY_CHARACTERS: Final = 4_000
MAX_REVIEW_CHARACTERS: Final = 8_000
_MOST_GOAL: Final = 2_000
_MOST_REMARKS: Final = 10
_LONGEST_REFUSAL: Final = 200


class _LongTool(ToolSpec, abstract=True):
    execution = Execution.QUEUED

    timezone: ZoneInfo = Route.context(init=False)
    language: str = Route.context(init=False)
    now: Callable[[], datetime] = Route.context(init=False)
    work: Work | None = Route.context(init=False)

    def _at_work(self) -> Work:
        if self.work is None:
            raise ToolFailed("This takes too long for an answer, and nothing here runs it beside one.")
        return self.work

    def _today(self) -> date:
        return self._local_now().date()

    def _messages(
        self, prompt: PromptName, message: str, variables: Mapping[str, str] | None = None
    ) -> tuple[Message, ...]:
        now = self._local_now()
        filled = {"now": moment(now), "timezone": self.timezone.key, **(variables or {})}
        system = system_prompt(prompt, filled, language=self.language)
        return SystemMessage(text=system), UserMessage(text=message)

    def _local_now(self) -> datetime:
        return self.now().astimezone(self.timezone)


class SummarizeProject(_LongTool):
    """Write a summary of a project from its tasks, checkpoints and notes, and keep it with the project.

    It takes the place of the summary that the project has.
    """

    agent = Agent.PROJECTS
    risk = Risk.WRITE
    label = "Summarising a project"

    project_id: str = Route.prompt("The project's id.")

    async def execute(self) -> str:
        work, day = self._at_work(), self._today()
        await work.progress(0.0, "Reading the project")
        overview = await project_overview(self.project_id, day, self.timezone)
        await work.progress(0.2, "Writing the summary")
        message = message_of(Wanted.SUMMARY, day, overview.sections)
        words = await work.ask("summary", self._messages(PromptName.PROJECT_SUMMARY_SYSTEM, message))
        summary = prose(words, MAX_SUMMARY_CHARACTERS)
        if not summary:
            raise ToolFailed("The model wrote no summary, so the project keeps the one it has.")
        await work.progress(0.9, "Keeping the summary")
        row = await tables.update(Table.PROJECTS, self.project_id, {"aiSummary": summary}, one="project")
        return f"Wrote the summary of the project {project_line(row)} ({overview.counts}):\n\n{summary}"


class PlanProject(_LongTool):
    """Suggest tasks and checkpoints with which a project reaches a goal, for the user to accept or reject."""

    agent = Agent.PROJECTS
    risk = Risk.WRITE
    label = "Planning a project"

    project_id: str = Route.prompt("The project's id.")
    goal: str = Route.prompt("What is to be reached, in the user's words, with the date if they gave one.")

    async def execute(self) -> str:
        work, day, goal = self._at_work(), self._today(), self.goal.strip()[:_MOST_GOAL]
        if not goal:
            raise ModelRetry("The goal is empty: say what the project is to reach.")
        await work.progress(0.0, "Reading the project")
        overview = await project_overview(self.project_id, day, self.timezone)
        await work.progress(0.2, "Making the plan")
        message = message_of(Wanted.PLAN, day, {ProjectSection.GOAL: goal, **overview.sections})
        bounds = {"max_tasks": str(MAX_TASKS), "max_checkpoints": str(MAX_CHECKPOINTS)}
        plan = await self._asked(work, self._messages(PromptName.PROJECT_PLAN_SYSTEM, message, bounds))
        lines, refused = await self._added(work, plan.suggestions)
        remarks = _bounded([*refused, *plan.remarks])
        if not lines:
            raise ToolFailed("\n".join(["Nothing was suggested that could be added.", *remarks]))
        done = f"Added to the project {project_line(overview.row)}, as suggestions that the user has not accepted yet:"
        return "\n".join([done, *lines, *(["Left out of the plan:", *remarks] if remarks else [])])

    async def _asked(self, work: Work, messages: Sequence[Message]) -> Plan:
        """The model's plan; where its words hold none, it is asked once more."""
        words = await work.ask("plan", messages)
        plan = read_plan(words, self.timezone)
        if plan.suggestions:
            return plan
        await work.progress(0.4, "Making the plan again")
        retry = (*messages, AssistantMessage(text=words[:_MOST_GOAL]), UserMessage(text=_NOT_A_PLAN))
        return read_plan(await work.ask("plan again", retry), self.timezone)

    async def _added(self, work: Work, suggestions: Sequence[Suggestion]) -> tuple[list[str], list[str]]:
        """What was added, a line each, and what the device refused."""
        lines, refused = [], []
        for number, suggestion in enumerate(suggestions):
            await work.progress(0.6 + 0.4 * number / len(suggestions), "Adding the suggestions")
            try:
                lines.append(f"- {await self._add(suggestion)}")
            except ClientRefused as error:
                why = str(error)[:_LONGEST_REFUSAL]
                refused.append(f"The {suggestion.kind} {quoted(suggestion.title)}: the user's device refused it: {why}")
        return lines, refused

    async def _add(self, suggestion: Suggestion) -> str:
        if suggestion.kind is Kind.CHECKPOINT:
            row = await tables.insert(
                Table.CHECKPOINTS,
                projectId=self.project_id,
                title=suggestion.title,
                date=suggestion.date,
                isAiSuggested=1,
                isApproved=0,
            )
            return f"{Kind.CHECKPOINT} {checkpoint_line(row, self.timezone)}"
        row = await tables.insert(
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
        return f"{Kind.TASK} {task_line(row, self.timezone)}"


class WeeklyReview(_LongTool):
    """Review the user's week: what was done in the last seven days, what is overdue, what the next seven days hold."""

    agent = Agent.ALL
    risk = Risk.READ
    label = "Reviewing the week"

    async def execute(self) -> str:
        work, day = self._at_work(), self._today()
        await work.progress(0.0, "Reading tasks and checkpoints")
        sections = await week_sections(day, self.timezone)
        await work.progress(0.3, "Writing the review")
        message = message_of(Wanted.REVIEW, day, sections)
        words = await work.ask("review", self._messages(PromptName.WEEKLY_REVIEW_SYSTEM, message))
        review = prose(words, MAX_REVIEW_CHARACTERS)
        if not review:
            raise ToolFailed("The model wrote no review.")
        return f"The review of the week:\n\n{review}"


LONG_TOOLS: Final[Sequence[type[ToolSpec]]] = (SummarizeProject, PlanProject, WeeklyReview)
"""The tools that run as jobs."""

_NOT_A_PLAN: Final = (
    "No task and no checkpoint could be read in this. Answer again, with the JSON object only and dates as 2026-11-24."
)


def _bounded(remarks: Sequence[str]) -> list[str]:
    left = len(remarks) - _MOST_REMARKS
    return [*remarks[:_MOST_REMARKS], *([f"{counted_as(left, 'more remark')} like these."] if left > 0 else [])]
