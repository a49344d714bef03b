"""What a queued tool has at hand besides the user's device: the model, and a way to say how far it is."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from agents.adapters.base import Message


class Work(Protocol):
    """The work on one job. A second run of the job, after a crash, replays the first as far as that had come."""

    async def ask(self, step: str, messages: Sequence[Message]) -> str:
        """What the model answers to ``messages``, asked once, without tools, with the user's language and time.

        ``step`` names the question within its job. Asked again under the same name, also after a crash and whatever
        ``messages`` are then, it gives the same words: they are written down before anything is done with them. So
        what is done with them must follow from the words and the tool's arguments alone. Raises ``ModelError``.
        """

    async def once(self, step: str, words: Callable[[], Awaitable[str]]) -> str:
        """As ``ask``, of what ``words`` gives; raises what that raises, and then nothing is written down."""

    async def progress(self, fraction: float, label: str) -> None:
        """``fraction`` (0 to 1) is done and ``label``, which holds nothing of the user's, says what comes now."""
