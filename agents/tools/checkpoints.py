"""Tools for checkpoints, the dated milestones of a project."""

from zoneinfo import ZoneInfo

from agents.calls import Table
from agents.tools import tables
from agents.tools.dates import to_ms
from agents.tools.rows import Flag, checkpoint_line
from agents.tools.spec.route import ABSENT, Route
from agents.tools.spec.tool import Agent, Risk, ToolSpec
from agents.tools.wording import listing

_DATE = "Its date in the user's time zone, as 2026-11-24 or 2026-11-24T18:00."


class _CheckpointTool(ToolSpec, abstract=True):
    agent = Agent.CHECKPOINTS
    changes = Table.CHECKPOINTS

    timezone: ZoneInfo = Route.context(init=False)


class ListCheckpoints(_CheckpointTool):
    """List the checkpoints of a project, earliest first."""

    risk = Risk.READ
    label = "Looking up checkpoints"

    project_id: str = Route.prompt("The project's id.")

    async def execute(self) -> str:
        answer = await tables.select(Table.CHECKPOINTS, projectId=self.project_id, orderBy="date")
        lines = [checkpoint_line(row, self.timezone) for row in answer.rows]
        return listing(lines, one="checkpoint", many="checkpoints", omitted=answer.omitted)


class CreateCheckpoint(_CheckpointTool):
    """Create a checkpoint in a project."""

    risk = Risk.WRITE
    label = "Creating a checkpoint"

    project_id: str = Route.prompt("The project it belongs to.")
    title: str = Route.prompt("What is reached then.")
    date: str = Route.prompt(_DATE)
    is_ai_suggested: Flag = Route.prompt("1 when it is your own suggestion.", default=0)
    is_approved: Flag = Route.prompt("0 while the user has not accepted a suggestion.", default=1)

    async def execute(self) -> str:
        row = await tables.insert(
            Table.CHECKPOINTS,
            projectId=self.project_id,
            title=self.title,
            date=to_ms(self.date, self.timezone),
            isAiSuggested=self.is_ai_suggested,
            isApproved=self.is_approved,
        )
        return f"Created the checkpoint {checkpoint_line(row, self.timezone)}."


class UpdateCheckpoint(_CheckpointTool):
    """Change a checkpoint: only what is given changes."""

    risk = Risk.WRITE
    label = "Changing a checkpoint"

    checkpoint_id: str = Route.prompt("The checkpoint's id.")
    project_id: str = Route.prompt("The project it moves to.", default=ABSENT)
    title: str = Route.prompt("A new title.", default=ABSENT)
    date: str = Route.prompt(_DATE, default=ABSENT)
    is_ai_suggested: Flag = Route.prompt("1 when it is your own suggestion.", default=ABSENT)
    is_approved: Flag = Route.prompt("1 when the user accepted the suggestion.", default=ABSENT)

    async def execute(self) -> str:
        columns = {
            "project_id": "projectId",
            "title": "title",
            "date": "date",
            "is_ai_suggested": "isAiSuggested",
            "is_approved": "isApproved",
        }
        updates = {columns[name]: value for name, value in self.given(*columns).items()}
        if "date" in updates:
            updates["date"] = to_ms(self.date, self.timezone)
        row = await tables.update(Table.CHECKPOINTS, self.checkpoint_id, updates, one="checkpoint")
        return f"Updated the checkpoint {checkpoint_line(row, self.timezone)}."


class DeleteCheckpoint(_CheckpointTool):
    """Delete a checkpoint for good."""

    risk = Risk.DESTRUCTIVE
    label = "Deleting a checkpoint"

    checkpoint_id: str = Route.prompt("The checkpoint's id.")

    async def execute(self) -> str:
        return await tables.delete(Table.CHECKPOINTS, self.checkpoint_id, one="checkpoint")
