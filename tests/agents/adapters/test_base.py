from agents.adapters.base import MAX_EARLIER, AssistantMessage, SystemMessage, UserMessage, earlier, latest
from agents.jobs.records import Said


def test_each_message_is_its_speakers() -> None:
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


def test_of_a_long_conversation_the_end_is_read() -> None:
    said = [Said(role="user", content=str(number)) for number in range(MAX_EARLIER + 5)]

    assert latest(said) == said[5:]
    assert earlier(said) == [UserMessage(text=str(number)) for number in range(5, MAX_EARLIER + 5)]
    assert latest(said[:3]) == said[:3]
