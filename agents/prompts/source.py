"""Where prompts are looked after outside of this installation, as a port."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceText:
    """A text, and its version there."""

    text: str
    version: int


class PromptSource(Protocol):
    """A service that keeps prompts by name. Every call blocks, for some seconds at most.

    All raise ``PromptSourceAway`` when the service cannot be asked now, and ``PromptUnusable`` when it can, but what it
    says of this prompt is of no use.
    """

    def fetch(self, name: str) -> SourceText | None:
        """The text with the label; None when there is none."""

    def names(self) -> frozenset[str]:
        """The names of all prompts, with whatever label."""

    def create(self, name: str, text: str, *, label: str) -> None:
        """Make a prompt that is not there, with this label."""

    def close(self) -> None:
        """Give back what it holds. Nothing is asked after that."""
