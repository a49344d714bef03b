"""What of a conversation the assistant answers: the last message of the person, and what tools said since."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from agents.adapters.base import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """The person's last message and the texts of the tool rounds after it, in the order of their calls.

    ``called`` are the names of the tools, round by round as the texts are.
    """

    message: str
    rounds: tuple[tuple[str, ...], ...]
    called: tuple[tuple[str, ...], ...]


def last_turn(messages: Sequence[Message]) -> Turn:
    """The turn that is to be answered; without a message of the person, an empty one."""
    asked = [number for number, message in enumerate(messages) if isinstance(message, UserMessage)]
    if not asked:
        return Turn(message="", rounds=(), called=())
    question = messages[asked[-1]]
    since = messages[asked[-1] + 1 :]
    texts = {message.call_id: message.text for message in since if isinstance(message, ToolMessage)}
    rounds = [message.tool_calls for message in since if isinstance(message, AssistantMessage) and message.tool_calls]
    return Turn(
        message=question.text if isinstance(question, UserMessage) else "",
        rounds=tuple(tuple(texts.get(call.id, "") for call in calls) for calls in rounds),
        called=tuple(tuple(call.name for call in calls) for calls in rounds),
    )


def words_of(message: Message) -> str:
    """All that a model reads of ``message``."""
    match message:
        case SystemMessage() | UserMessage() | ToolMessage():
            return message.text
        case AssistantMessage():
            return " ".join([message.text, *(f"{call.name} {call.arguments}" for call in message.tool_calls)])
        case _:
            assert_never(message)
