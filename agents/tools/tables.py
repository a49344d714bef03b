"""What the tools of every table share: calling the client and saying what became of it."""

from typing import NoReturn

from pydantic import JsonValue

from agents.calls import CallAction, ClientAnswer, Row, Table
from agents.errors import ModelRetry
from agents.tools.client import execute_on_client

SELECT_LIMIT = 500


def filled(**values: JsonValue) -> dict[str, JsonValue]:
    """The values that are there: None and empty text, which models send for "not given", are left out."""
    return {name: value for name, value in values.items() if value not in (None, "")}


async def select(table: Table, **filters: JsonValue) -> ClientAnswer:
    """The rows of ``table`` where ``filters``, absent ones left out; at most ``SELECT_LIMIT``."""
    return await execute_on_client(CallAction.SELECT, table, filters=filled(**filters), limit=SELECT_LIMIT)


async def insert(table: Table, **columns: JsonValue) -> Row:
    """Insert a row without its absent columns; gives it back as the client made it."""
    answer = await execute_on_client(CallAction.INSERT, table, filled(**columns))
    return answer.row or {}


async def update(table: Table, row_id: str, updates: dict[str, JsonValue], *, one: str) -> Row:
    """Change a row's columns (None clears). Raises ``ModelRetry`` when nothing is given or there is no such row."""
    if not updates:
        raise ModelRetry(f"Nothing was given that should change. Say which column of the {one} gets which value.")
    answer = await execute_on_client(CallAction.UPDATE, table, {"id": row_id, "updates": updates})
    return _found(answer.row, row_id, one=one)


async def get(table: Table, row_id: str, *, one: str) -> Row:
    """One row by id. Raises ``ModelRetry`` when there is none."""
    answer = await execute_on_client(CallAction.GET, table, {"id": row_id})
    return _found(answer.row, row_id, one=one)


async def delete(table: Table, row_id: str, *, one: str) -> str:
    """Delete a row and say so. Raises ``ModelRetry`` when there is none."""
    answer = await execute_on_client(CallAction.DELETE, table, {"id": row_id})
    if not answer.deleted:
        _missing(row_id, one=one)
    return f"Deleted the {one} [id {row_id}]."


def _found(row: Row | None, row_id: str, *, one: str) -> Row:
    if row is None:
        _missing(row_id, one=one)
    return row


def _missing(row_id: str, *, one: str) -> NoReturn:
    raise ModelRetry(f"There is no {one} with the id {row_id}. Look the right id up first.")
