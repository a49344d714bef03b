"""Tools for projects."""

from agents.calls import ClientAnswer, Table
from agents.tools import tables
from agents.tools.rows import ProjectStatus, project_line, text
from agents.tools.spec.route import ABSENT, Route
from agents.tools.spec.tool import Agent, Risk, ToolSpec
from agents.tools.wording import listing


class _ProjectTool(ToolSpec, abstract=True):
    agent = Agent.PROJECTS
    changes = Table.PROJECTS


class ListProjects(_ProjectTool):
    """List the user's projects, without archived ones unless asked for."""

    risk = Risk.READ
    label = "Looking up projects"

    client_id: str | None = Route.prompt("Only projects of this client.", default=None)
    include_archived: bool = Route.prompt("Whether to list archived projects too.", default=False)

    async def execute(self) -> str:
        answer = await tables.select(
            Table.PROJECTS, clientId=self.client_id, includeArchived=self.include_archived or None
        )
        return _told(answer)


class ListAllProjects(_ProjectTool):
    """List all of the user's projects, the archived ones included."""

    risk = Risk.READ
    label = "Looking up all projects"

    async def execute(self) -> str:
        return _told(await tables.select(Table.PROJECTS, includeArchived=True))


class GetProject(_ProjectTool):
    """Read one project, with its summary if it has one."""

    risk = Risk.READ
    label = "Reading a project"

    project_id: str = Route.prompt("The project's id.")

    async def execute(self) -> str:
        row = await tables.get(Table.PROJECTS, self.project_id, one="project")
        summary = text(row, "aiSummary")
        return f"{project_line(row)}\n\n{summary}" if summary else project_line(row)


class CreateProject(_ProjectTool):
    """Create a project."""

    risk = Risk.WRITE
    label = "Creating a project"

    name: str = Route.prompt("The project's name.")
    client_id: str | None = Route.prompt("The client it is for.", default=None)

    async def execute(self) -> str:
        row = await tables.insert(Table.PROJECTS, name=self.name, clientId=self.client_id)
        return f"Created the project {project_line(row)}."


class UpdateProject(_ProjectTool):
    """Change a project: only what is given changes, null clears."""

    risk = Risk.WRITE
    label = "Changing a project"

    project_id: str = Route.prompt("The project's id.")
    name: str = Route.prompt("A new name.", default=ABSENT)
    client_id: str | None = Route.prompt("The client it is for; null clears it.", default=ABSENT)
    status: ProjectStatus = Route.prompt("A new state; archived hides it from lists.", default=ABSENT)

    async def execute(self) -> str:
        columns = {"name": "name", "client_id": "clientId", "status": "status"}
        updates = {columns[name]: value for name, value in self.given(*columns).items()}
        row = await tables.update(Table.PROJECTS, self.project_id, updates, one="project")
        return f"Updated the project {project_line(row)}."


class DeleteProject(_ProjectTool):
    """Delete a project for good."""

    risk = Risk.DESTRUCTIVE
    label = "Deleting a project"

    project_id: str = Route.prompt("The project's id.")

    async def execute(self) -> str:
        return await tables.delete(Table.PROJECTS, self.project_id, one="project")


def _told(answer: ClientAnswer) -> str:
    lines = [project_line(row) for row in answer.rows]
    return listing(lines, one="project", many="projects", omitted=answer.omitted)
