"""Calls into the tables as the server sends them, checked, and what is the same about two of them. Pure."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeVar

from pydantic import JsonValue

from device.errors import CallRefused
from device.tables import Row, TableName, shown, valid_text

_Name = TypeVar("_Name", bound=StrEnum)


class Action(StrEnum):
    """What the device is asked to do."""

    SELECT = "select"
    GET = "get"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    VECTOR_UPSERT = "vector_upsert"
    VECTOR_SEARCH = "vector_search"
    PAGE_DETAILS = "page_details"
    UNDO = "undo"


SEARCH_LIMIT: Final = 10
"""How many texts a search by vector finds unless it says how many."""
WRITES: Final = frozenset({Action.INSERT, Action.UPDATE, Action.DELETE, Action.VECTOR_UPSERT, Action.UNDO})
_DEFAULT_AUTHOR: Final = "assistant"
"""The author of a call that names none."""
_ARGUMENTS: Final = ("action", "table", "data", "filters", "vector", "limit")


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One call. ``id`` names it for good; ``fingerprint`` is the same for calls that ask for the same."""

    id: str
    fingerprint: str
    action: Action
    data: Row
    filters: Row
    given_table: TableName | None
    given_vector: tuple[float, ...] | None
    given_limit: int | None
    counts: bool
    """Whether a select also says how many rows fit its filters."""
    request_id: str | None
    by: str
    """The agent, tool or program that makes it."""

    @property
    def table(self) -> TableName:
        """Raises ``CallRefused`` when the call names none."""
        if self.given_table is None:
            raise CallRefused(f"{self.action} needs a table.")
        return self.given_table

    @property
    def vector(self) -> tuple[float, ...]:
        """Raises ``CallRefused`` when the call brings none."""
        if self.given_vector is None:
            raise CallRefused(f"{self.action} needs a vector.")
        return self.given_vector

    @property
    def row_id(self) -> str:
        """The id in ``data``. Raises ``CallRefused`` if there is none."""
        return self.text("id")

    def text(self, name: str) -> str:
        """The text ``name`` in ``data``. Raises ``CallRefused`` if there is none."""
        if name not in self.data:
            raise CallRefused(f"{self.action} needs data.{name}.")
        return valid_text(self.data[name], f"data.{name}")

    def part(self, name: str) -> Row:
        """The object ``name`` in ``data``. Raises ``CallRefused`` if there is none."""
        value = self.data.get(name)
        if not isinstance(value, dict):
            raise CallRefused(f"{self.action} needs an object data.{name}, not {shown(value)}.")
        return value

    def limit(self, default: int) -> int:
        """The limit given with the call, else ``default``."""
        return default if self.given_limit is None else self.given_limit

    def flag(self, name: str) -> bool:
        """The flag ``name`` in ``data``; False when it is absent. Raises ``CallRefused`` for anything else."""
        return _flag(self.data.get(name, False), f"data.{name}")

    def optional_text(self, name: str) -> str | None:
        """The text ``name`` in ``data``; None when it is absent or null. Raises ``CallRefused`` for anything else."""
        value = self.data.get(name)
        return None if value is None else valid_text(value, f"data.{name}")


def read_call(frame: Mapping[str, JsonValue]) -> Call:
    """The call in a ``tool_call``, ``data_request`` or ``mutation``. Raises ``CallRefused`` if malformed."""
    return Call(
        id=valid_text(frame.get("id"), "id"),
        fingerprint=_fingerprint(frame),
        action=_named(Action, frame.get("action"), "action"),
        data=_object(frame, "data"),
        filters=_object(frame, "filters"),
        given_table=_named(TableName, frame["table"], "table") if "table" in frame else None,
        given_vector=_vector(frame["vector"]) if "vector" in frame else None,
        given_limit=_whole_number(frame["limit"], "limit") if "limit" in frame else None,
        counts=_flag(frame.get("count", False), "count"),
        request_id=_optional_text(frame, "request_id"),
        by=_optional_text(frame, "by") or _DEFAULT_AUTHOR,
    )


def _fingerprint(frame: Mapping[str, JsonValue]) -> str:
    arguments = {name: frame[name] for name in _ARGUMENTS if name in frame}
    canonical = json.dumps(arguments, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _named(names: type[_Name], value: JsonValue, what: str) -> _Name:
    for name in names:
        if value == name.value:
            return name
    raise CallRefused(f"There is no {what} {shown(value)}.")


def _object(frame: Mapping[str, JsonValue], name: str) -> Row:
    value = frame.get(name, {})
    if not isinstance(value, dict):
        raise CallRefused(f"{name} must be an object, not {shown(value)}.")
    return value


def _optional_text(frame: Mapping[str, JsonValue], name: str) -> str | None:
    value = frame.get(name)
    return None if value is None else valid_text(value, name)


def _vector(value: JsonValue) -> tuple[float, ...]:
    if not isinstance(value, list):
        raise CallRefused(f"vector must be a list of numbers, not {shown(value)}.")
    return tuple(_number(number) for number in value)


def _number(value: JsonValue) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise CallRefused(f"vector must hold numbers only, not {shown(value)}.")
    try:
        return float(value)
    except OverflowError:
        raise CallRefused(f"vector holds a number that is too large: {shown(value)}.") from None


def _flag(value: JsonValue, name: str) -> bool:
    if not isinstance(value, bool):
        raise CallRefused(f"{name} must be true or false, not {shown(value)}.")
    return value


def _whole_number(value: JsonValue, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 2**63:
        raise CallRefused(f"{name} must be a whole number, not {shown(value)}.")
    return value
