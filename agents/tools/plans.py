"""Reading a plan that a model wrote, leniently: the tasks and checkpoints in any JSON in the text. Pure.

The plan does not depend on the time or on the device's rows, so the same text always gives the same plan.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from agents.adapters.base import json_values, spoken
from agents.errors import ModelRetry
from agents.tools.rows import Priority, to_ms

MAX_TASKS: Final = 20
MAX_CHECKPOINTS: Final = 10
_MAX_TITLE_CHARS: Final = 200
_MAX_DESCRIPTION_CHARS: Final = 2_000
_MAX_QUOTE_CHARS: Final = 40
_MAX_DEPTH: Final = 6


class Kind(StrEnum):
    """What a plan suggests."""

    TASK = "task"
    CHECKPOINT = "checkpoint"


_MAX_ROWS: Final[Mapping[Kind, int]] = {Kind.TASK: MAX_TASKS, Kind.CHECKPOINT: MAX_CHECKPOINTS}

# The names that models use, in our languages. Keys are compared without separators and case.
_KIND: Final = re.compile(r"(task|todo|attivit)|(checkpoint|milestone|traguard)", re.IGNORECASE)
_SEPARATORS: Final = re.compile(r"[\s_-]")
_NAMED: Final = re.compile(r'"[^"\n]{1,40}"\s*:')
_LIST: Final = re.compile(r'"([^"\n]{1,40})"\s*:\s*(?:\[|$)')
_TITLES: Final = ("title", "name", "task", "checkpoint", "milestone")
_DESCRIPTIONS: Final = ("description", "details")
_DUE: Final = ("duedate", "due", "deadline")
_DATES: Final[Mapping[Kind, tuple[str, ...]]] = {Kind.TASK: (*_DUE, "date"), Kind.CHECKPOINT: ("date", *_DUE)}
_PRIORITIES: Final[Mapping[str, Priority]] = {"high": "high", "medium": "medium", "low": "low"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Suggestion:
    """A task or a checkpoint to add. ``date`` (ms) is a task's due date, which is optional."""

    kind: Kind
    title: str
    date: int | None = None
    description: str = ""
    priority: Priority = "medium"


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """The suggestions, tasks first, and remarks: sentences about the parts of the answer that are left out."""

    suggestions: tuple[Suggestion, ...] = ()
    remarks: tuple[str, ...] = ()


def read_plan(words: str, timezone: ZoneInfo) -> Plan:
    """The plan in ``words``: at most ``MAX_TASKS`` and ``MAX_CHECKPOINTS``, each title once. Does not raise."""
    remarks: list[str] = []
    found: dict[tuple[Kind, str], Suggestion] = {}
    repeated = 0
    text = spoken(words)
    for kind, fields in _raw_in(text):
        suggestion = _suggestion(kind, fields, timezone, remarks)
        if suggestion is not None:
            key = (suggestion.kind, suggestion.title.casefold())
            repeated += key in found
            found.setdefault(key, suggestion)
    kept: list[Suggestion] = []
    counts = [f"{repeated} with the title of another one."] if repeated else []
    if found and any(_NAMED.search(between) for between, _ in json_values(text)):
        counts.append("What was in the broken part of the model's JSON.")
    for kind in Kind:
        of_kind = [suggestion for suggestion in found.values() if suggestion.kind is kind]
        kept += of_kind[: _MAX_ROWS[kind]]
        if len(of_kind) > _MAX_ROWS[kind]:
            counts.append(f"{len(of_kind) - _MAX_ROWS[kind]} more {kind}s: a plan has at most {_MAX_ROWS[kind]}.")
    return Plan(suggestions=tuple(kept), remarks=(*counts, *remarks))


def quoted(value: JsonValue, longest: int = _MAX_TITLE_CHARS) -> str:
    """``value`` as JSON, cut to ``longest`` characters."""
    said = json.dumps(value, ensure_ascii=False)
    return said if len(said) <= longest else f"{said[:longest]}…"


_Raw: TypeAlias = tuple[Kind, Mapping[str, JsonValue]]
"""A task or a checkpoint as the model wrote it: its fields."""


def _raw_in(text: str) -> Iterator[_Raw]:
    kind: Kind | None = None
    for before, value in json_values(text):
        # JSON that is cut off is read in parts. The text before a part has the name of the list that it was in.
        named = [part_kind for match in _LIST.finditer(before) if (part_kind := _kind_in(match[1]))]
        kind = named[-1] if named else kind
        yield from _raw_of(value, kind)


def _raw_of(value: JsonValue, kind: Kind | None, depth: int = 0) -> Iterator[_Raw]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        fields = {_SEPARATORS.sub("", name).casefold(): part for name, part in value.items()}
        yield from _raw_of_object(fields, kind, depth)
    elif isinstance(value, list):
        for part in value:
            if isinstance(part, dict | list):
                yield from _raw_of(part, kind, depth + 1)
            elif kind is not None:
                yield kind, {"title": part}


def _raw_of_object(fields: Mapping[str, JsonValue], kind: Kind | None, depth: int) -> Iterator[_Raw]:
    """The object itself, if it is a task or a checkpoint, and those inside it."""
    parts = {name: part for name, part in fields.items() if isinstance(part, dict | list)}
    kinds: dict[str, Kind | None] = {name: part_kind for name in parts if (part_kind := _kind_in(name))}
    if _said(fields, _TITLES) and (kind is not None or not kinds):
        yield _kind_of(fields, kind), fields
    elif parts:
        kinds = {name: kinds.get(name, kind) for name in parts}
    elif kind is not None and fields:
        yield kind, fields
    for name, part_kind in kinds.items():
        yield from _raw_of(parts[name], part_kind, depth + 1)


def _suggestion(
    kind: Kind, fields: Mapping[str, JsonValue], timezone: ZoneInfo, remarks: list[str]
) -> Suggestion | None:
    """The suggestion in ``fields``; None if it cannot be added. Problems are added to ``remarks``."""
    title = " ".join(_said(fields, _TITLES).split())[:_MAX_TITLE_CHARS].strip()
    if not title:
        remarks.append(f"A {kind} without a title.")
        return None
    written = _given(fields, _DATES[kind])
    date = _milliseconds(written, timezone)
    if date is None and written is not None:
        which = "The due date of the task" if kind is Kind.TASK else "The checkpoint"
        remarks.append(f"{which} {quoted(title)}: {quoted(written, _MAX_QUOTE_CHARS)} is not a date.")
    if date is None and kind is Kind.CHECKPOINT:
        if written is None:
            remarks.append(f"The checkpoint {quoted(title)}: it has no date.")
        return None
    return Suggestion(
        kind=kind,
        title=title,
        date=date,
        description=_said(fields, _DESCRIPTIONS)[:_MAX_DESCRIPTION_CHARS].strip(),
        priority=_PRIORITIES.get(_said(fields, ("priority",)).casefold(), "medium"),
    )


def _milliseconds(value: JsonValue, timezone: ZoneInfo) -> int | None:
    if not isinstance(value, str):
        return None
    try:
        moment = to_ms(value, timezone)
    except ModelRetry:
        return None
    return moment if moment > 0 else None


def _said(fields: Mapping[str, JsonValue], names: Sequence[str]) -> str:
    """The first text in the named fields, or an empty one."""
    texts = (value for name in names if isinstance(value := fields.get(name), str))
    # JSON may contain escaped lone surrogates.
    return next((text for value in texts if (text := value.encode("utf-8", "ignore").decode().strip())), "")


def _given(fields: Mapping[str, JsonValue], names: Sequence[str]) -> JsonValue:
    """The first value in the named fields that is not empty."""
    return next((value for name in names if (value := fields.get(name)) not in (None, "", [], {})), None)


def _kind_of(fields: Mapping[str, JsonValue], kind: Kind | None) -> Kind:
    """The kind, by its own type, or else by the name of its list, or else by its fields."""
    said = _kind_in(_said(fields, ("type", "kind"))) or kind
    if said is not None:
        return said
    dated = "date" in fields and _given(fields, _DUE) is None
    return Kind.CHECKPOINT if dated or "milestone" in fields or "checkpoint" in fields else Kind.TASK


def _kind_in(name: str) -> Kind | None:
    found = _KIND.search(name)
    if found is None:
        return None
    return Kind.TASK if found[1] else Kind.CHECKPOINT
