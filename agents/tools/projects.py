"""Tools for projects."""

from agents.calls import Rows, Table
from agents.tools import client
from agents.tools.arguments import AnyProjectStatus
from agents.tools.client import DeleteTool, RowTool
from agents.tools.routes import ABSENT, Route
from agents.tools.rows import ToolResult, project_line, text
from agents.tools.spec import DOMAINS, Agent, Risk


class _ProjectTool(RowTool, abstract=True):
    agent = Agent.PROJECTS
    changes = Table.PROJECTS


class ListProjects(_ProjectTool):
    """List projects."""

    # Every agent turns a project's name into its id.
    domains = DOMAINS
    risk = Risk.READ
    label = "Looking up projects"

    client_id: str | None = Route.prompt(default=None, names=Table.CLIENTS)
    include_archived: bool = Route.prompt(default=False)

    async def execute(self) -> ToolResult:
        return await self.list_rows(clientId=self.client_id, includeArchived=self.include_archived or None)


class ListAllProjects(_ProjectTool):
    """List all of the user's projects, the archived ones included."""

    # Agents have list_projects, which does that too.
    domains = ()
    risk = Risk.READ
    label = "Looking up all projects"

    async def execute(self) -> ToolResult:
        return await self.list_rows(includeArchived=True)


class GetProject(_ProjectTool):
    """Read a project and its summary."""

    risk = Risk.READ
    label = "Reading a project"

    project_id: str = Route.prompt(names=Table.PROJECTS)

    async def execute(self) -> ToolResult:
        row = await client.get(Table.PROJECTS, self.project_id)
        parts = [project_line(row, await self.lines([row])), text(row, "aiSummary")]
        return ToolResult(text="\n\n".join(filter(None, parts)), rows={Table.PROJECTS: Rows(rows=(row,))})


class CreateProject(_ProjectTool):
    """Create a project."""

    risk = Risk.WRITE
    label = "Creating a project"

    name: str = Route.prompt()
    client_id: str | None = Route.prompt(default=None, names=Table.CLIENTS)

    async def execute(self) -> ToolResult:
        return await self.insert_row(name=self.name, clientId=self.client_id)


class UpdateProject(_ProjectTool):
    """Change a project: only what is given changes; archived hides it from lists."""

    risk = Risk.WRITE
    overwrites = True
    label = "Changing a project"

    project_id: str = Route.prompt(names=Table.PROJECTS)
    name: str = Route.prompt(default=ABSENT)
    client_id: str | None = Route.prompt(default=ABSENT, names=Table.CLIENTS)
    status: AnyProjectStatus = Route.prompt(default=ABSENT)

    async def execute(self) -> ToolResult:
        return await self.update_row(self.project_id, self.columns("name", "client_id", "status"))


class DeleteProject(DeleteTool, _ProjectTool):
    """Delete a project."""

    label = "Deleting a project"

    project_id: str = Route.prompt(names=Table.PROJECTS)
