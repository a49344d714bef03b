"""What the search alone tells for the questions of a conversation, without server, facts and vectors. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from datetime import timedelta
from typing import Final
from uuid import UUID

from benchmarks.memory_quality.conversations import Conversation, content_words, told
from memory.exchange import Exchange
from memory.search.exchanges import Said
from memory.search.index import ExchangeIndex
from memory.search.question import Question
from memory.search.ranking import recalled
from memory.search.weights import WEIGHTS, Weights

_NO_SIGNALS: Final = ("vector", "before", "floor", "least")
"""How the names of weights without effect here begin, and of thresholds."""
_OFF: Final = {"long_answer": 1.0}
"""What a weight is when it changes nothing, where that is not 0."""


def weights_without_one() -> Iterator[tuple[str, Weights]]:
    """For each signal its name, and the weights with it switched off."""
    for each in fields(Weights):
        if not each.name.startswith(_NO_SIGNALS):
            yield each.name, replace(WEIGHTS, **{each.name: _OFF.get(each.name, 0.0)})


def indexed(conversation: Conversation) -> ExchangeIndex:
    """The exchanges as they are recorded."""
    index = ExchangeIndex()
    for number, turn in enumerate(conversation.turns):
        # As it is stored, long sides are cut.
        kept = Exchange.from_text(Exchange(message=turn.message, response=turn.response).as_text())
        index.add(
            Said(
                id=UUID(int=number),
                at=turn.at,
                session_id=turn.session,
                message=kept.message,
                response=kept.response,
            )
        )
    return index


def found(conversation: Conversation, index: ExchangeIndex, weights: Weights) -> list[Sequence[bool]]:
    """For each question whether each piece of its evidence is told, the day after the conversation."""
    now = conversation.turns[-1].at + timedelta(days=1)
    return [
        [told(evidence, items) for evidence in asked.evidence]
        for asked in conversation.questions
        for items in [
            [content_words(each.text) for each in recalled(index, Question(text=asked.text, now=now), weights)]
        ]
    ]
