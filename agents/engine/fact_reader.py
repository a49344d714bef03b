"""Extracts facts from an exchange with one request to the small model. Unusable parts of its answer are ignored."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from pydantic import JsonValue

from agents.adapters.base import (
    AssistantMessage,
    ModelAdapter,
    ModelParams,
    ModelSize,
    UserMessage,
    json_values,
    shortened,
    spoken,
    whole_text,
)
from agents.errors import ModelUnavailable
from agents.permissions.approvals.naming import repeats
from agents.permissions.approvals.speech_acts import statements
from agents.prompts.names import PromptName
from agents.prompts.rendering import system_message
from agents.titles import words_of
from memory.drawn import DrawnFact, KnownFact, Relation, is_borne_out
from memory.exchange import Exchange, TouchedRow
from memory.plain_facts import states_something
from memory.search.words import sentences_of
from memory.speech import own_words

READING_TIMEOUT_S: Final = 240.0
"""As ``SUMMARY_TIMEOUT_S``."""
MAX_FACTS: Final = 8
MAX_STATEMENT_CHARS: Final = 300
MAX_APPLIES_TO_CHARS: Final = 120
_MAX_SUBJECT_CHARS: Final = 60
_MIN_WORDS: Final = 3
"""Fewer are in many a sentence."""
_MAX_READ: Final = 6000
"""How much of the message, and of the answer, the model reads, in characters."""
_MAX_TOKENS: Final = 800
_RELATIONS: Final = {relation.value: relation for relation in (Relation.SAME, Relation.PRECISE, Relation.CONTRADICTS)}


def _shown(message: str, response: str, *, rows: Sequence[str] = (), known: Sequence[str] = ()) -> str:
    """An exchange as the model reads it."""
    # The user's words come last: behind a list of known facts, a small model finds nothing in them.
    told = {
        "known": [f"{number}. {statement}" for number, statement in enumerate(known, 1)],
        "rows": [f"{number}. {title}" for number, title in enumerate(rows, 1)],
        "assistant": response,
        "user": message,
    }
    return json.dumps(told, ensure_ascii=False)


# Without examples, a model of 1.5 billion parameters finds no facts. It copies the last one, which has no ``known``.
_EXAMPLES: Final = (
    UserMessage(
        text=_shown(
            "Ho cambiato palestra, adesso nuoto a Lingotto.",
            "Va bene.",
            known=["Marta è vegana", "Nuoto in via Filadelfia"],
        )
    ),
    AssistantMessage(
        text=json.dumps(
            [
                {
                    "statement": "Adesso nuoto a Lingotto",
                    "quote": "adesso nuoto a Lingotto",
                    "subject": "nuoto",
                    "known": 2,
                    "relation": "contradicts",
                }
            ]
        )
    ),
    UserMessage(
        text=_shown(
            "Rename the second one, please, and what is due on Friday?",
            "Renamed. Nothing is due on Friday.",
            known=["I swim on Mondays"],
        )
    ),
    AssistantMessage(text="[]"),
    UserMessage(
        text=_shown(
            "Thanks! Ada can't eat nuts, by the way. Which tasks are due?",
            "Two tasks are due.",
            known=["I live in Turin"],
        )
    ),
    AssistantMessage(
        text=json.dumps(
            [
                {
                    "statement": "Ada can't eat nuts",
                    "quote": "Ada can't eat nuts",
                    "subject": "Ada",
                    "applies_to": "cook, bake, restaurant, snack, party",
                }
            ]
        )
    ),
)


class ModelFactReader:
    """The memory's ``FactReader``, with the small model. An answer without JSON is not an error: it has no facts."""

    def __init__(self, adapter: ModelAdapter, *, timeout_s: float = READING_TIMEOUT_S) -> None:
        self._adapter = adapter
        self._timeout_s = timeout_s

    async def read(self, exchange: Exchange, known: Sequence[KnownFact]) -> Sequence[DrawnFact]:
        """At most ``MAX_FACTS`` facts. Raises ``ModelError``, also if the model takes too long."""
        told = _shown(
            exchange.message[:_MAX_READ],
            exchange.response[:_MAX_READ],
            rows=[row.title for row in exchange.touched],
            known=[fact.statement for fact in known],
        )
        system = system_message(PromptName.FACTS_SYSTEM, {}, language=exchange.language)
        conversation = (system, *_EXAMPLES, UserMessage(text=told))
        params = ModelParams(size=ModelSize.SMALL, language=exchange.language, max_tokens=_MAX_TOKENS)
        try:
            async with asyncio.timeout(self._timeout_s):
                written = await whole_text(self._adapter, conversation, params)
        except TimeoutError:
            raise ModelUnavailable("The model took too long to extract facts.") from None
        message = own_words(exchange.message)
        facts = (_fact(found, message, exchange, known) for found in _objects(spoken(written)))
        return [fact for fact in facts if fact is not None][:MAX_FACTS]


def _objects(text: str) -> Iterator[dict[str, JsonValue]]:
    """The JSON objects in ``text``, also in arrays, fences or between words; of broken JSON, the complete ones."""
    for _, value in json_values(text):
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                nested = each.get("facts")
                yield from (one for one in (nested if isinstance(nested, list) else [each]) if isinstance(one, dict))


def _fact(
    found: dict[str, JsonValue], message: str, exchange: Exchange, known: Sequence[KnownFact]
) -> DrawnFact | None:
    """The fact in ``found``; None without a statement, or if the quote is not in ``message``, the user's own words.

    The user is not asked about facts. So if the statement is not in the user's words, their own sentence replaces it.
    """
    statement = _text(found, "statement")
    quote = _quoted(_text(found, "quote"), message)
    if not statement or not quote:
        return None
    holds = _text(found, "holds")[:_MAX_SUBJECT_CHARS]
    relation = _RELATIONS.get(_text(found, "relation"))
    told = "\n".join(statements(message))
    sentence = _sentence_of(quote, message)
    concerned = None if relation is None else _known(found, known, relation, sentence, exchange.response)
    # Small models write down commands, too. Those may change what is known: “Make it noon.”
    if concerned is None and not states_something(quote):
        return None
    return DrawnFact(
        statement=shortened(statement if repeats(statement, told) else sentence, MAX_STATEMENT_CHARS),
        evidence=quote[:MAX_STATEMENT_CHARS],
        subject=_text(found, "subject")[:_MAX_SUBJECT_CHARS],
        holds=holds if repeats(holds, told) else "",
        applies_to=shortened(_listed(found, "applies_to"), MAX_APPLIES_TO_CHARS),
        row=_row(found, exchange.touched),
        known=concerned,
        relation=None if concerned is None else relation,
    )


def _quoted(quote: str, message: str) -> str:
    """``quote``, if ``message`` has it, or the only sentence with all its words, which small models put in order anew.

    Else it is empty.
    """
    if _plain(quote) in _plain(message):
        return quote
    words = set(words_of(quote).split())
    found = [each for each in sentences_of(message) if words <= set(words_of(each).split())]
    return found[0] if len(found) == 1 and len(words) >= _MIN_WORDS else ""


def _sentence_of(quote: str, message: str) -> str:
    """The complete sentences of ``message`` that contain ``quote``: a part of a sentence may say something else."""
    parts = [_plain(part) for part in sentences_of(quote)]
    return " ".join(each for each in sentences_of(message) if any(part in _plain(each) for part in parts))


def _row(found: dict[str, JsonValue], rows: Sequence[TouchedRow]) -> TouchedRow | None:
    place = _place(found, "row", len(rows))
    return None if place is None else rows[place]


def _known(
    found: dict[str, JsonValue], known: Sequence[KnownFact], relation: Relation, said: str, answer: str
) -> UUID | None:
    """The known fact that it concerns, if the words confirm that: small models name any fact, which would be lost."""
    place = _place(found, "known", len(known))
    return known[place].id if place is not None and is_borne_out(known[place], relation, said, answer) else None


def _place(found: dict[str, JsonValue], name: str, count: int) -> int | None:
    """A number from 1 to ``count`` as an index from 0; models also write it as a string. None for anything else."""
    said = str(found.get(name)).strip().rstrip(".")
    return int(said) - 1 if said.isascii() and said.isdigit() and 1 <= int(said[:6]) <= count else None


def _text(found: dict[str, JsonValue], name: str) -> str:
    return _as_text(found.get(name))


def _listed(found: dict[str, JsonValue], name: str) -> str:
    """As ``_text``, also for a list of strings, which models write."""
    value = found.get(name)
    return ", ".join(filter(None, map(_as_text, value if isinstance(value, list) else [value])))


def _as_text(value: JsonValue) -> str:
    # JSON may contain escaped lone surrogates.
    return " ".join(value.encode("utf-8", "ignore").decode().split()) if isinstance(value, str) else ""


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!\"'“”")
