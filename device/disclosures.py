"""What the server sent to models, and what it never may: read and decided over REST."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from device.addresses import ServerAddress
from device.rest import asked, milliseconds

SHOWN: Final = 40
"""How many disclosures are read, the newest."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Disclosed:
    """Rows of one table that went to one model in one request. ``at`` is in milliseconds since 1970.

    ``row_ids`` is empty when the server cannot read which rows they were.
    """

    request_id: str
    source: str
    model: str
    left_server: bool
    table: str
    count: int
    row_ids: tuple[str, ...] = ()
    at: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Sharing:
    """The tables, and the ids of the projects, that are never shared with a model."""

    tables: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()


async def read_disclosures(server: ServerAddress, token: str) -> list[Disclosed]:
    """The latest disclosures, the newest first. Raises as ``device.rest.asked``."""
    page = await asked(server, "GET", f"disclosures?limit={SHOWN}", token=token)
    results = page.get("results") if isinstance(page, dict) else None
    return [_disclosed(row) for row in results if isinstance(row, dict)] if isinstance(results, list) else []


async def read_sharing(server: ServerAddress, token: str) -> Sharing:
    """What is never shared. Raises as ``device.rest.asked``."""
    return _sharing(await asked(server, "GET", "sharing", token=token))


async def change_sharing(server: ServerAddress, token: str, sharing: Sharing) -> Sharing:
    """Never share this and nothing else from now on; gives what then holds. Raises as ``device.rest.asked``."""
    body: dict[str, JsonValue] = {"tables": list(sharing.tables), "projects": list(sharing.projects)}
    return _sharing(await asked(server, "PUT", "sharing", token=token, body=body))


def _disclosed(row: Mapping[str, JsonValue]) -> Disclosed:
    count = row.get("row_count")
    return Disclosed(
        request_id=str(row.get("request_id")),
        source=str(row.get("source")),
        model=str(row.get("model")),
        left_server=row.get("left_server") is not False,
        table=str(row.get("table")),
        count=count if isinstance(count, int) else 0,
        row_ids=_texts(row.get("rows")),
        at=milliseconds(row.get("at")),
    )


def _sharing(answer: JsonValue) -> Sharing:
    said = answer if isinstance(answer, dict) else {}
    return Sharing(tables=_texts(said.get("tables")), projects=_texts(said.get("projects")))


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
