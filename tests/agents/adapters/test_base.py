from itertools import pairwise

from agents.adapters.base import MAX_EARLIER, AssistantMessage, SystemMessage, UserMessage, earlier, latest
from agents.jobs.records import Said


def test_each_message_has_role_of_its_speaker() -> None:
    said = (
        Said(role="user", content="Roses, please"),
        Said(role="assistant", content="How many?"),
        Said(role="system", content="Two beds"),
    )
    assert earlier(said) == [
        UserMessage(text="Roses, please"),
        AssistantMessage(text="How many?"),
        SystemMessage(text="Two beds"),
    ]


def test_only_end_of_long_conversation_is_read() -> None:
    said = [Said(role="user", content=str(number)) for number in range(MAX_EARLIER + 5)]

    assert latest(said) == said[10:]
    assert earlier(said) == [UserMessage(text=str(number)) for number in range(10, MAX_EARLIER + 5)]


def test_beginning_of_growing_conversation_rarely_changes() -> None:
    said = [Said(role="user", content=str(number)) for number in range(MAX_EARLIER + 30)]
    read = [earlier(said[:length]) for length in range(len(said) + 1)]

    grown = [longer[: len(shorter)] == shorter for shorter, longer in pairwise(read)]
    assert grown.count(False) == 3
    assert max(map(len, read)) == MAX_EARLIER
    assert latest(said[:3]) == said[:3]
