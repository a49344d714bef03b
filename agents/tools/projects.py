"""Tools for projects."""

from agents.calls import Rows, Table
from agents.tools import client
from agents.tools.client import DeleteTool, RowTool
from agents.tools.rows import ProjectStatus, ToolResult, project_line, text
from agents.tools.spec import ABSENT, DOMAINS, Agent, Risk, Route


class _ProjectTool(RowTool, abstract=True):
    agent = Agent.PROJECTS
    changes = Table.PROJECTS


class ListProjects(_ProjectTool):
    """List the user's projects, without archived ones unless asked for."""

    # Every agent turns a project's name into its id.
    domains = DOMAINS
    risk = Risk.READ
    label = "Looking up projects"

    client_id: str | None = Route.prompt("Only projects of this client.", default=None)
    include_archived: bool = Route.prompt("Whether to list archived projects too.", default=False)

    async def execute(self) -> ToolResult:
        return await self.list_rows(clientId=self.client_id, includeArchived=self.include_archived or None)


class ListAllProjects(_ProjectTool):
    """List all of the user's projects, the archived ones included."""

    risk = Risk.READ
    label = "Looking up all projects"

    async def execute(self) -> ToolResult:
        return await self.list_rows(includeArchived=True)


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
        return await self.insert_row(name=self.name, clientId=self.client_id)


class UpdateProject(_ProjectTool):
    """Change a project: only what is given changes, null clears."""

    risk = Risk.WRITE
    label = "Changing a project"

    project_id: str = Route.prompt("The project's id.")
    name: str = Route.prompt("A new name.", default=ABSENT)
    client_id: str | None = Route.prompt("The client it is for; null clears it.", default=ABSENT)
    status: ProjectStatus = Route.prompt("A new state; archived hides it from lists.", default=ABSENT)

    async def execute(self) -> ToolResult:
        return await self.update_row(self.project_id, self.columns("name", "client_id", "status"))


class DeleteProject(DeleteTool, _ProjectTool):
    """Delete a project for good."""

    label = "Deleting a project"

    project_id: str = Route.prompt("The project's id.")
