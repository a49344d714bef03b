"""The texts in force, in memory: what turns read, without IO and without waiting.

A book holds a page for each prompt that has another text than the built-in one. The pages are replaced as a whole, so
whoever reads sees the texts of one moment.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from agents.prompts.names import PromptName


class Origin(StrEnum):
    """Where a text comes from; the first that has one is in force."""

    OVERRIDE = "override"
    LANGFUSE = "langfuse"
    BUILTIN = "builtin"


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """The text of a prompt, the version of it at its origin, and since when it stands there."""

    text: str
    origin: Origin
    version: int
    since: datetime


Pages = Mapping[PromptName, Page]
_NONE: Final[Pages] = MappingProxyType({})


class PromptBook:
    """The pages of each origin, and those in force."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._overrides = self._langfuse = self._in_force = _NONE
        self.langfuse_asked_at: datetime | None = None
        """When Langfuse was last asked for all prompts."""
        self.langfuse_problems: tuple[str, ...] = ()
        """What was wrong then, a sentence each."""

    def find(self, name: PromptName) -> Page | None:
        """The page in force; None where the built-in text is."""
        return self._in_force.get(name)

    @property
    def langfuse(self) -> Pages:
        """What Langfuse has, whether or not it is in force."""
        return self._langfuse

    def put_overrides(self, pages: Pages) -> None:
        """From now on these are the overrides, and no others."""
        with self._lock:
            self._overrides = MappingProxyType(dict(pages))
            self._open()

    def put_langfuse(self, pages: Pages, problems: tuple[str, ...] = ()) -> None:
        """From now on these are Langfuse's texts, and no others; and this was wrong when they were asked for."""
        with self._lock:
            self._langfuse = MappingProxyType(dict(pages))
            self.langfuse_asked_at, self.langfuse_problems = datetime.now(UTC), problems
            self._open()

    def clear(self) -> None:
        """Only built-in texts, as at the start."""
        with self._lock:
            self._overrides = self._langfuse = self._in_force = _NONE
            self.langfuse_asked_at, self.langfuse_problems = None, ()

    def _open(self) -> None:
        self._in_force = MappingProxyType({**self._langfuse, **self._overrides})


IN_FORCE: Final = PromptBook()
"""This process's book."""
