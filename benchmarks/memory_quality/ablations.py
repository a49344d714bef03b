"""The search alone over LoCoMo and BEAM with single signals switched off: no server, no facts, no vectors. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from datetime import timedelta
from typing import Final
from uuid import UUID

from benchmarks.memory_quality.conversations import Conversation, content_words, is_recalled
from memory.exchange import Exchange
from memory.search.exchanges import IndexedExchange
from memory.search.index import ExchangeIndex
from memory.search.question import Question
from memory.search.ranking import recalled
from memory.search.weights import WEIGHTS, Weights

_NO_SIGNALS: Final = ("vector", "before", "floor", "least")
"""The prefixes of the names of thresholds, and of weights that have no effect here."""
_OFF: Final = {"long_answer": 1.0}
"""The neutral values of weights for which it is not 0."""


def ablations() -> Iterator[tuple[str, Weights]]:
    """For each signal, its name and the weights with it switched off."""
    for each in fields(Weights):
        if not each.name.startswith(_NO_SIGNALS):
            yield each.name, replace(WEIGHTS, **{each.name: _OFF.get(each.name, 0.0)})


def indexed(conversation: Conversation) -> ExchangeIndex:
    """The index of a conversation's exchanges, shortened as the server stores them."""
    index = ExchangeIndex()
    for number, turn in enumerate(conversation.turns):
        stored = Exchange.from_text(Exchange(message=turn.message, response=turn.response).as_text())
        index.add(
            IndexedExchange(
                id=UUID(int=number),
                at=turn.at,
                session_id=turn.session,
                message=stored.message,
                response=stored.response,
            )
        )
    return index


def evidence_recalled(conversation: Conversation, index: ExchangeIndex, weights: Weights) -> list[Sequence[bool]]:
    """For each question, whether each piece of its evidence is recalled on the day after the conversation."""
    now = conversation.turns[-1].at + timedelta(days=1)
    return [
        [is_recalled(evidence, items) for evidence in asked.evidence]
        for asked in conversation.questions
        for items in [
            [content_words(each.text) for each in recalled(index, Question(text=asked.text, now=now), weights)]
        ]
    ]
