"""Tools for checkpoints, the dated milestones of a project."""

from agents.calls import Table
from agents.tools.arguments import APPROVAL_WORDS, AS_SAID
from agents.tools.client import DeleteTool, RowTool
from agents.tools.routes import ABSENT, Route
from agents.tools.rows import Flag, ToolResult
from agents.tools.spec import Agent, Risk


class _CheckpointTool(RowTool, abstract=True):
    agent = Agent.CHECKPOINTS
    changes = Table.CHECKPOINTS


class ListCheckpoints(_CheckpointTool):
    """List the checkpoints of a project, or of all, earliest first."""

    risk = Risk.READ
    label = "Looking up checkpoints"

    project_id: str | None = Route.prompt(default=None, names=Table.PROJECTS)

    async def execute(self) -> ToolResult:
        return await self.list_rows(projectId=self.project_id, orderBy="date")


class CreateCheckpoint(_CheckpointTool):
    """Create a checkpoint in a project."""

    risk = Risk.WRITE
    label = "Creating a checkpoint"

    project_id: str = Route.prompt(names=Table.PROJECTS)
    title: str = Route.prompt("What is reached then.")
    date: str = Route.prompt(AS_SAID, is_date=True)
    is_ai_suggested: Flag = Route.prompt(default=0, told=False)
    is_approved: Flag = Route.prompt(default=1, told=False)

    async def execute(self) -> ToolResult:
        return await self.insert_row(
            projectId=self.project_id,
            title=self.title,
            date=self.moment(self.date),
            isAiSuggested=self.is_ai_suggested,
            isApproved=self.is_approved,
        )


class UpdateCheckpoint(_CheckpointTool):
    """Change a checkpoint: only what is given changes."""

    risk = Risk.WRITE
    overwrites = True
    label = "Changing a checkpoint"

    checkpoint_id: str = Route.prompt(names=Table.CHECKPOINTS)
    project_id: str = Route.prompt(default=ABSENT, names=Table.PROJECTS)
    title: str = Route.prompt(default=ABSENT)
    date: str = Route.prompt(AS_SAID, default=ABSENT, is_date=True)
    is_ai_suggested: Flag = Route.prompt(default=ABSENT, told=False, founded=APPROVAL_WORDS)
    is_approved: Flag = Route.prompt("1: the user accepted it.", default=ABSENT, founded=APPROVAL_WORDS)

    async def execute(self) -> ToolResult:
        updates = self.columns("project_id", "title", "date", "is_ai_suggested", "is_approved")
        if "date" in updates:
            updates["date"] = self.moment(self.date)
        return await self.update_row(self.checkpoint_id, updates)


class DeleteCheckpoint(DeleteTool, _CheckpointTool):
    """Delete a checkpoint."""

    label = "Deleting a checkpoint"

    checkpoint_id: str = Route.prompt(names=Table.CHECKPOINTS)
