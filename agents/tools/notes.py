"""Tools for notes, including the search by words and by meaning."""

from collections import Counter
from collections.abc import Sequence

from agents.calls import CallAction, Row, Rows, Table
from agents.errors import ClientError, ClientRefused, ToolFailed
from agents.provenance import FOREIGN_COLUMN
from agents.tools import client
from agents.tools.arguments import CONTENT_WORDS
from agents.tools.client import DeleteTool, RowTool, execute_on_client, together
from agents.tools.routes import ABSENT, Route
from agents.tools.rows import LineContext, ToolResult, item, listed, note_line, text, with_excerpt
from agents.tools.spec import Agent, Risk
from memory.errors import EmbeddingFailed
from memory.index import Embedder
from memory.search.words import asked_words

_TITLE_CHARACTERS = 60
_EXCERPT_CHARACTERS = 400
_MAX_WORDS = 6
"""The number of words of a query that are searched for one by one."""


class NoteTool(RowTool, abstract=True):
    """A tool for notes."""

    agent = Agent.NOTES
    changes = Table.NOTES

    async def insert_note(self, title: str, content: str, project_id: str | None, embedder: Embedder) -> ToolResult:
        """Insert a note and make it searchable."""
        row = await client.insert(Table.NOTES, title=title, content=content, projectId=project_id)
        return await self.tell_row("Created", row) + await _make_searchable(row, embedder)


class ListNotes(NoteTool):
    """List notes by title, without their text."""

    risk = Risk.READ
    label = "Looking up notes"

    project_id: str | None = Route.prompt(default=None, names=Table.PROJECTS)

    async def execute(self) -> ToolResult:
        return await self.list_rows(projectId=self.project_id)


class GetNote(NoteTool):
    """Read a note with its text."""

    risk = Risk.READ
    label = "Reading a note"

    note_id: str = Route.prompt(names=Table.NOTES)

    async def execute(self) -> ToolResult:
        row = await client.get(Table.NOTES, self.note_id)
        said = f"{note_line(row, await self.lines([row]))}\n\n{text(row, 'content')}"
        return ToolResult(text=said, rows={Table.NOTES: Rows(rows=(row,))})


class CreateNote(NoteTool):
    """Create a note."""

    risk = Risk.WRITE
    label = "Writing a note"

    title: str = Route.prompt()
    content: str = Route.prompt("Markdown.")
    project_id: str | None = Route.prompt(default=None, names=Table.PROJECTS)
    embedder: Embedder = Route.context(init=False)

    async def execute(self) -> ToolResult:
        return await self.insert_note(self.title, self.content, self.project_id, self.embedder)


class UpdateNote(NoteTool):
    """Change a note: only what is given changes."""

    risk = Risk.WRITE
    overwrites = True
    label = "Changing a note"

    note_id: str = Route.prompt(names=Table.NOTES)
    title: str = Route.prompt(default=ABSENT)
    content: str = Route.prompt("The whole new text.", default=ABSENT, founded=CONTENT_WORDS, own_words=True)
    project_id: str | None = Route.prompt(default=ABSENT, names=Table.PROJECTS)
    embedder: Embedder = Route.context(init=False)

    async def execute(self) -> ToolResult:
        updates = self.columns("title", "content", "project_id")
        row = await client.update(Table.NOTES, self.note_id, updates)
        result = await self.tell_row("Updated", row)
        return result + await _make_searchable(row, self.embedder) if "content" in updates else result


class DeleteNote(DeleteTool, NoteTool):
    """Delete a note."""

    label = "Deleting a note"

    note_id: str = Route.prompt(names=Table.NOTES)


class SearchNotes(NoteTool):
    """Search notes by words and by meaning; gives passages."""

    risk = Risk.READ
    label = "Searching notes"

    query: str = Route.prompt("In the words a note would use.")
    project_id: str | None = Route.prompt(default=None, names=Table.PROJECTS)
    limit: int = Route.prompt("1 to 50.", default=10)
    embedder: Embedder = Route.context(init=False)
    language: str = Route.context(init=False)

    async def execute(self) -> ToolResult:
        limit = max(1, min(self.limit, 50))
        with_words, near = await together(self._with_words(limit), self._near(limit))
        hits = _best(with_words or (), near or ())
        if near is None and not hits:
            raise ToolFailed("Notes cannot be searched by meaning right now. list_notes and get_note still work.")
        titled = await together(*map(_titled, hits[:limit]))
        found = Rows(rows=tuple(hit for hit in titled if hit is not None))
        return listed(Table.NOTES, found, _hit_line, await self.lines([]), one="note")

    async def _with_words(self, limit: int) -> Sequence[Row] | None:
        """The notes with all words of the query, or else those with most of the words that say what it is about."""
        words = asked_words(self.query, self.language)[:_MAX_WORDS]
        if (found := await self._with(self.query, limit)) or len(self.query.split()) == 1:
            return found
        each = await together(*(self._with(word, limit) for word in words))
        rows = {text(row, "id"): row for found in each for row in found}
        counts = Counter(text(row, "id") for found in each for row in found)
        return [rows[row_id] for row_id, count in counts.most_common(limit) if 2 * count > len(words)]

    async def _with(self, words: str, limit: int) -> Sequence[Row]:
        filters = client.filled(search=words, projectId=self.project_id, orderBy="-updatedAt")
        return (await client.select(Table.NOTES, limit, **filters)).rows

    async def _near(self, limit: int) -> Sequence[Row] | None:
        """The nearest passages; None if notes cannot be searched by meaning."""
        filters = client.filled(projectId=self.project_id)
        try:
            [vector] = await self.embedder.embed([self.query], query=True)
            found = await execute_on_client(
                CallAction.VECTOR_SEARCH, Table.NOTES, filters=filters, vector=vector.tolist(), limit=limit
            )
        except (EmbeddingFailed, ClientRefused):
            return None
        return found.results


def _best(with_words: Sequence[Row], near: Sequence[Row]) -> tuple[Row, ...]:
    """The notes with all words, including those without a vector, followed by the other passages that are near."""
    scores = {text(hit, "id"): hit.get("score") for hit in near}
    hits: list[Row] = [{**row, "score": scores.get(text(row, "id"))} for row in with_words]
    known = {text(row, "id") for row in hits}
    return (*sorted(hits, key=_score, reverse=True), *(hit for hit in near if text(hit, "id") not in known))


async def _titled(hit: Row) -> Row | None:
    """``hit`` with its note's title, which the device does not send with a passage; None if the note is gone."""
    if "title" in hit:
        return hit
    try:
        row = (await client.find(Table.NOTES, text(hit, "id"))).row
    except ClientRefused:
        return {**hit, "title": _title_of(text(hit, "content"))}
    return None if row is None else {**hit, "title": text(row, "title"), FOREIGN_COLUMN: row.get(FOREIGN_COLUMN)}


def _score(hit: Row) -> float:
    score = hit.get("score")
    return score if isinstance(score, int | float) else -1.0


async def _make_searchable(row: Row, embedder: Embedder) -> str:
    """Store the note's vector on the device. Returns what to add to the confirmation if that fails."""
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


def _hit_line(row: Row, _context: LineContext) -> str:
    score = row.get("score")
    facts = [f"similarity {score:.2f}"] if isinstance(score, int | float) else []
    line = item(text(row, "title"), facts, text(row, "id"))
    return with_excerpt(line, text(row, "content").strip(), _EXCERPT_CHARACTERS)
