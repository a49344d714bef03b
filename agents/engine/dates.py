"""Dates in calls: on the days that the user has named, and in the order that they want. Models confuse both. Pure."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final

from agents.engine.sentences import unquoted
from agents.errors import ModelRetry
from agents.titles import plain
from agents.tools.arguments import days_said
from agents.tools.client import RowTool
from agents.tools.spec import Risk, ToolSpec

_ON_A_DAY: Final = re.compile(r"\A(?!.*\b(?:by|until|till|up to|through|fino)\b).*\b(?:due|scad\w+)\b", re.DOTALL)
_DUE_THEN: Final = (
    "The user asks for what is due on that day, not for everything until then. Call this again with that day as "
    "due_from and as due_to."
)
_DATES: Final = ("dueDate", "createdAt")
_EARLIEST_FIRST: Final = re.compile(
    r"\b(?:earliest|soonest|oldest|nearest)(?: ones?| due)? first\b"
    r"|\bprima (?:le|i|quell[ei]) piu (?:vicin|vecchi)[ei]*\b"
)
_LATEST_FIRST: Final = re.compile(
    r"\b(?:latest|newest|farthest|furthest)(?: ones?| due)? first\b"
    r"|\bprima (?:le|i|quell[ei]) piu (?:lontan|recent|nuov)[ei]*\b"
)
_TIME_OF_DAY: Final = re.compile(r"(?<!\d)(?P<hour>\d{1,2}):(?P<minute>\d\d)")


class CallDates:
    """The dates in the arguments of ``tool``, compared with the days in the user's ``message``.

    ``read`` are the results for the answer so far: a date in them may be meant as well.
    """

    def __init__(self, tool: RowTool, *, message: str, read: Sequence[str]) -> None:
        self._tool = tool
        self._message = message
        self._named = days_said(plain(unquoted(message)), tool.today)
        """The days in the message, by its words."""
        given = ((name, _day_of(tool, said)) for name, said in _dates_in(tool).items())
        self._given = {name: day for name, day in given if day is not None}
        """The days of the arguments, by parameter. One that cannot be parsed is missing; the tool itself reports it."""
        self._agrees = not set(self._named.values()).isdisjoint(self._given.values())
        self._is_wrong = bool(self._named and self._given) and not self._agrees and not self._is_in(read)

    @classmethod
    def of(cls, tool: ToolSpec, *, message: str, read: Sequence[str]) -> "CallDates | None":
        """The dates of ``tool``; None if it has none."""
        return cls(tool, message=message, read=read) if isinstance(tool, RowTool) and _dates_in(tool) else None

    def _is_in(self, read: Sequence[str]) -> bool:
        return any(day.isoformat() in text for day in self._given.values() for text in read)

    @property
    def corrected(self) -> Mapping[str, str]:
        """The wrong dates, by parameter, moved to the only day in the message; empty if there are several, or none.

        The time of day stays. Changes are not moved into the past.
        """
        if not self._is_wrong or len(set(self._named.values())) != 1:
            return {}
        [day] = set(self._named.values())
        is_between = min(self._given.values()) < day < max(self._given.values())
        if is_between or (self._tool.risk is not Risk.READ and day < self._tool.today):
            return {}
        return {name: _moved(str(self._tool.arguments[name]), day) for name in self._given}

    @property
    def fault(self) -> str:
        """How the dates differ from the days in the message, for the model; empty if they do not."""
        if self._agrees:
            return _DUE_THEN if self._given.keys() == {"due_to"} and _ON_A_DAY.search(plain(self._message)) else ""
        if not self._is_wrong:
            return ""
        name, day = next(iter(self._given.items()))
        words = " or ".join(f"“{word}” is {each:%A} {each.isoformat()}" for word, each in self._named.items())
        return (
            f"{name} is wrong: you gave {day:%A} {day.isoformat()}, but the user has said when. {words}. "
            f"Call this again with the user's own word for {name}."
        )


def order_said(order: str, message: str) -> str:
    """``order``, such as ``-dueDate``, in the direction that the user's ``message`` names, if it is of dates."""
    asked = plain(message)
    if order.removeprefix("-") not in _DATES:
        return order
    if _EARLIEST_FIRST.search(asked):
        return order.removeprefix("-")
    return f"-{order.removeprefix('-')}" if _LATEST_FIRST.search(asked) else order


def _dates_in(tool: ToolSpec) -> Mapping[str, str]:
    """The arguments of ``tool`` that are dates, as the model gave them."""
    return {name: str(value) for name, value in tool.arguments.items() if value and tool.routes[name].is_date}


def _day_of(tool: RowTool, said: str) -> date | None:
    try:
        return datetime.fromtimestamp(tool.moment(said) / 1000, tool.timezone).date()
    except ModelRetry:
        return None


def _moved(said: str, day: date) -> str:
    """The date ``said`` by a model, moved to ``day`` at the same time of day."""
    time = _TIME_OF_DAY.search(said)
    return f"{day.isoformat()}T{int(time['hour']):02}:{time['minute']}" if time else day.isoformat()
