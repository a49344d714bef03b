"""What the journal holds, as values: entries, the changes of rows in them, and their text. Pure."""

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from pydantic import JsonValue

from device.tables import Row, TableName

Answer: TypeAlias = dict[str, JsonValue]
"""What an answer frame has beside ``type`` and ``id``: the one field that says what came of the call."""
Value: TypeAlias = str | int | float | bytes | None

USER: Final = "user"
"""Who makes the changes by hand."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredVector:
    """The vector of a note, the text that it was made from, and the note's project."""

    project_id: str | None
    content: str
    vector: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class RowChange:
    """A row before and after a change; None where there is none.

    ``vector`` is the one that a note had before its text changed or went.
    """

    table: TableName
    id: str
    before: Row | None
    after: Row | None
    vector: StoredVector | None = None

    @property
    def is_about_text(self) -> bool:
        """Whether a note's text changes, comes or goes, so that its vector does, too."""
        return self.table is TableName.NOTES and _content(self.before) != _content(self.after)


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """What was changed at once: by a call of the server, or by hand.

    ``at`` is in milliseconds since 1970. ``changes`` is None if they are not kept any more. ``undoes`` are the ids of
    the entries that this one undoes, and ``undone_by`` is the id of the one that undoes this one.
    """

    id: str
    request_id: str | None
    by: str
    at: int
    changes: tuple[RowChange, ...] | None
    undoes: tuple[str, ...] = ()
    undone_by: str | None = None

    @classmethod
    def of(cls, stored: Mapping[str, Value]) -> "Entry":
        """The entry in a row of the table ``_journal``."""
        changes, undoes = stored["changes"], stored["undoes"]
        return cls(
            id=cast("str", stored["id"]),
            request_id=cast("str | None", stored["requestId"]),
            by=cast("str", stored["actor"]),
            at=cast("int", stored["at"]),
            changes=None if changes is None else read_changes(cast("str", changes)),
            undoes=() if undoes is None else tuple(json.loads(cast("str", undoes))),
            undone_by=cast("str | None", stored["undoneBy"]),
        )


def written_changes(changes: Iterable[RowChange]) -> str:
    """``changes`` as JSON; ``read_changes`` reads it. Other clients write the same."""
    return json.dumps([_written(change) for change in changes], ensure_ascii=False, separators=(",", ":"))


def read_changes(text: str) -> tuple[RowChange, ...]:
    """The changes in a text of ``written_changes``."""
    return tuple(_read(change) for change in json.loads(text))


def _written(change: RowChange) -> Mapping[str, object]:
    written = {"table": change.table, "id": change.id, "before": change.before, "after": change.after}
    vector = change.vector
    if vector is None:
        return written
    encoded = base64.b64encode(vector.vector).decode()
    return {**written, "vector": {"projectId": vector.project_id, "content": vector.content, "vector": encoded}}


def _read(written: Mapping[str, JsonValue]) -> RowChange:
    vector = cast("Mapping[str, str] | None", written.get("vector"))
    return RowChange(
        table=TableName(cast("str", written["table"])),
        id=cast("str", written["id"]),
        before=cast("Row | None", written["before"]),
        after=cast("Row | None", written["after"]),
        vector=None
        if vector is None
        else StoredVector(
            project_id=vector["projectId"], content=vector["content"], vector=base64.b64decode(vector["vector"])
        ),
    )


def _content(row: Row | None) -> JsonValue:
    return None if row is None else row["content"]


def written_ids(ids: Sequence[str]) -> str | None:
    """``ids`` as JSON; None if there are none."""
    return json.dumps(list(ids)) if ids else None
