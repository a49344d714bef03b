"""Tools for projects."""

from zoneinfo import ZoneInfo

from agents.calls import Rows, Table
from agents.tools import client
from agents.tools.rows import ProjectStatus, ToolResult, list_rows, project_line, tell_row, text
from agents.tools.spec import ABSENT, DOMAINS, Agent, Risk, Route, ToolSpec


class _ProjectTool(ToolSpec, abstract=True):
    agent = Agent.PROJECTS
    changes = Table.PROJECTS

    timezone: ZoneInfo = Route.context(init=False)


class ListProjects(_ProjectTool):
    """List the user's projects, without archived ones unless asked for."""

    # Every agent turns a project's name into its id.
    domains = DOMAINS
    risk = Risk.READ
    label = "Looking up projects"

    client_id: str | None = Route.prompt("Only projects of this client.", default=None)
    include_archived: bool = Route.prompt("Whether to list archived projects too.", default=False)

    async def execute(self) -> ToolResult:
        answer = await client.select(
            Table.PROJECTS, clientId=self.client_id, includeArchived=self.include_archived or None
        )
        return list_rows(Table.PROJECTS, answer, self.timezone)


class ListAllProjects(_ProjectTool):
    """List all of the user's projects, the archived ones included."""

    risk = Risk.READ
    label = "Looking up all projects"

    async def execute(self) -> ToolResult:
        answer = await client.select(Table.PROJECTS, includeArchived=True)
        return list_rows(Table.PROJECTS, answer, self.timezone)


class GetProject(_ProjectTool):
    """Read one project, with its summary if it has one."""

    risk = Risk.READ
    label = "Reading a project"

    project_id: str = Route.prompt("The project's id.")

    async def execute(self) -> ToolResult:
        row = await client.get(Table.PROJECTS, self.project_id)
        parts = [project_line(row, self.timezone), text(row, "aiSummary")]
        return ToolResult(text="\n\n".join(filter(None, parts)), rows={Table.PROJECTS: Rows(rows=(row,))})


class CreateProject(_ProjectTool):
    """Create a project."""

    risk = Risk.WRITE
    label = "Creating a project"

    name: str = Route.prompt("The project's name.")
    client_id: str | None = Route.prompt("The client it is for.", default=None)

    async def execute(self) -> ToolResult:
        row = await client.insert(Table.PROJECTS, name=self.name, clientId=self.client_id)
        return tell_row("Created", Table.PROJECTS, row, self.timezone)


class UpdateProject(_ProjectTool):
    """Change a project: only what is given changes, null clears."""

    risk = Risk.WRITE
    label = "Changing a project"

    project_id: str = Route.prompt("The project's id.")
    name: str = Route.prompt("A new name.", default=ABSENT)
    client_id: str | None = Route.prompt("The client it is for; null clears it.", default=ABSENT)
    status: ProjectStatus = Route.prompt("A new state; archived hides it from lists.", default=ABSENT)

    async def execute(self) -> ToolResult:
        row = await client.update(Table.PROJECTS, self.project_id, self.columns("name", "client_id", "status"))
        return tell_row("Updated", Table.PROJECTS, row, self.timezone)


class DeleteProject(_ProjectTool):
    """Delete a project for good."""

    risk = Risk.DESTRUCTIVE
    label = "Deleting a project"

    project_id: str = Route.prompt("The project's id.")

    async def execute(self) -> ToolResult:
        return await client.delete(Table.PROJECTS, self.project_id)
