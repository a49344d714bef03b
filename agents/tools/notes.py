"""Tools for notes, and the search in them by meaning."""

from zoneinfo import ZoneInfo

from agents.calls import CallAction, Row, Rows, Table
from agents.errors import ClientError, ToolFailed
from agents.tools import client
from agents.tools.client import DeleteTool, RowTool, execute_on_client
from agents.tools.rows import ToolResult, item, listed, note_line, tell_row, text, with_excerpt
from agents.tools.spec import ABSENT, Agent, Risk, Route
from memory.errors import EmbeddingFailed
from memory.index import Embedder

_TITLE_CHARACTERS = 60
_EXCERPT_CHARACTERS = 400


class _NoteTool(RowTool, abstract=True):
    agent = Agent.NOTES
    changes = Table.NOTES


class ListNotes(_NoteTool):
    """List the user's notes by title, without their text."""

    risk = Risk.READ
    label = "Looking up notes"

    project_id: str | None = Route.prompt("Only notes of this project.", default=None)

    async def execute(self) -> ToolResult:
        return await self.list_rows(projectId=self.project_id)


class GetNote(_NoteTool):
    """Read one note with its text."""

    risk = Risk.READ
    label = "Reading a note"

    note_id: str = Route.prompt("The note's id.")

    async def execute(self) -> ToolResult:
        row = await client.get(Table.NOTES, self.note_id)
        said = f"{note_line(row, self.timezone)}\n\n{text(row, 'content')}"
        return ToolResult(text=said, rows={Table.NOTES: Rows(rows=(row,))})


class CreateNote(_NoteTool):
    """Create a note."""

    risk = Risk.WRITE
    label = "Writing a note"

    title: str = Route.prompt("The note's title.")
    content: str = Route.prompt("The note's text, in markdown.")
    project_id: str | None = Route.prompt("The project it belongs to.", default=None)
    embedder: Embedder = Route.context(init=False)

    async def execute(self) -> ToolResult:
        return await insert_note(
            title=self.title,
            content=self.content,
            project_id=self.project_id,
            timezone=self.timezone,
            embedder=self.embedder,
        )


class UpdateNote(_NoteTool):
    """Change a note: only what is given changes."""

    risk = Risk.WRITE
    label = "Changing a note"

    note_id: str = Route.prompt("The note's id.")
    title: str = Route.prompt("A new title.", default=ABSENT)
    content: str = Route.prompt("The whole new text, in markdown.", default=ABSENT)
    project_id: str | None = Route.prompt("The project it moves to; null takes it out of its project.", default=ABSENT)
    embedder: Embedder = Route.context(init=False)

    async def execute(self) -> ToolResult:
        updates = self.columns("title", "content", "project_id")
        row = await client.update(Table.NOTES, self.note_id, updates)
        result = tell_row("Updated", Table.NOTES, row, self.timezone)
        return result + await _make_searchable(row, self.embedder) if "content" in updates else result


class DeleteNote(DeleteTool, _NoteTool):
    """Delete a note for good."""

    label = "Deleting a note"

    note_id: str = Route.prompt("The note's id.")


class SearchNotes(_NoteTool):
    """Search the user's notes by meaning and get the nearest passages."""

    risk = Risk.READ
    label = "Searching notes"

    query: str = Route.prompt("What to look for, in the words a note would use.")
    project_id: str | None = Route.prompt("Only notes of this project.", default=None)
    limit: int = Route.prompt("How many at most, 1 to 50.", default=10)
    embedder: Embedder = Route.context(init=False)

    async def execute(self) -> ToolResult:
        try:
            [vector] = await self.embedder.embed([self.query])
        except EmbeddingFailed:
            raise ToolFailed(
                "Notes cannot be searched by meaning right now. list_notes and get_note still work."
            ) from None
        answer = await execute_on_client(
            CallAction.VECTOR_SEARCH,
            Table.NOTES,
            filters=client.filled(projectId=self.project_id),
            vector=vector.tolist(),
            limit=max(1, min(self.limit, 50)),
        )
        # The device gives no titles with the passages it finds.
        hits = [{**row, "title": _title_of(text(row, "content"))} for row in answer.results]
        return listed(Table.NOTES, hits, _hit_line, self.timezone, one="note", omitted=answer.omitted)


async def insert_note(
    *, title: str, content: str, project_id: str | None, timezone: ZoneInfo, embedder: Embedder
) -> ToolResult:
    """Insert a note and make it searchable."""
    row = await client.insert(Table.NOTES, title=title, content=content, projectId=project_id)
    return tell_row("Created", Table.NOTES, row, timezone) + await _make_searchable(row, embedder)


async def _make_searchable(row: Row, embedder: Embedder) -> str:
    """Store the note's vector beside it; what to add to the confirmation if that fails."""
    content = text(row, "content")
    data = {"id": text(row, "id"), "projectId": row.get("projectId"), "content": content}
    try:
        [vector] = await embedder.embed([content])
        await execute_on_client(CallAction.VECTOR_UPSERT, Table.NOTES, data, vector=vector.tolist())
    except (EmbeddingFailed, ClientError):
        # The note is saved; if the tool failed, the model would write it a second time.
        return " It could not be made searchable by meaning; changing its text will try again."
    return ""


def _title_of(passage: str) -> str:
    first_line = passage.strip().partition("\n")[0].lstrip("# ").strip()
    return first_line[:_TITLE_CHARACTERS] or "Untitled"


def _hit_line(row: Row, _timezone: ZoneInfo) -> str:
    score = row.get("score")
    facts = [f"similarity {score:.2f}"] if isinstance(score, int | float) else []
    line = item(text(row, "title"), facts, text(row, "id"))
    return with_excerpt(line, text(row, "content").strip(), _EXCERPT_CHARACTERS)
