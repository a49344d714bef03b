"""How what was found is told: dated, within a budget, each thing once, and nothing that is no longer true unmarked.

Pure, but for the index that it is given.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from memory.drawn import content_words
from memory.fact_index import HeldFact
from memory.facts import Found
from memory.index_cache import CachedIndex, Changes
from memory.outdated import Outdated, marked, says, without_outdated
from memory.recalled import ItemKind, RecalledItem
from memory.search.ranking import Beside, Question
from memory.search.told import Told, encoded_length

FACTS: Final = 5
_BETWEEN_CHARS: Final = 4
"""Quotes, comma and space of an item."""
_MARK_CHARS: Final = 100
"""What says of something that it is no longer true, with the words that do."""
_MARKS_SHARE: Final = 10
"""At most this fraction of the budget is kept free for marks."""
_BY_WORDS: Final = ("words",)
_SAME: Final = 0.7
"""The share of a passage's words above which a fact says it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question, and what is known of its user.

    ``similar`` has the similarity (0 to 1) of facts by their meaning, where that is known. ``newest`` are the newest
    summaries; ``outdated`` says of these since when something in them is no longer true.
    """

    question: Question
    similar: Mapping[UUID, float]
    newest: Sequence[RecalledItem]
    outdated: Mapping[UUID, datetime]

    @property
    def zone(self) -> ZoneInfo | None:
        zone = self.question.now.tzinfo
        return zone if isinstance(zone, ZoneInfo) else None


def tell(cached: CachedIndex, changes: Changes, asked: Asked, budget: int) -> list[RecalledItem] | None:
    """Facts and passages from an index, within ``budget`` characters of JSON; None if it has to be built again.

    ``cached.facts`` is up to date. An index that is being built leaves out what has changed since that began; of this
    the newest summaries are told, since they may contradict a fact. Takes milliseconds: call it in a thread.
    """
    question = asked.question
    about = cached.facts.about(question.text, question.language, asked.similar, past=question.past, limit=FACTS)
    facts = within([_fact(fact, why, asked.zone) for fact, why in about], budget // 2)
    left_out = set[UUID]() if changes.complete else {row.id for row in changes.rows}
    # A fact that a passage says as well takes no room.
    beside = [Beside(stems=_words(item), chars=item_length(item)) for item in facts]
    outdated = cached.facts.outdated()
    marks = _MARK_CHARS * sum(map(len, outdated.values())) if question.past else 0
    room = budget - min(marks, budget // _MARKS_SHARE)
    told = cached.ask(changes, question, budget=room, beside=beside)
    if told is None:
        return None
    held = {fact.row.id: fact for fact, _ in about}
    facts = [item for item in facts if not _is_changed(held[item.id], told)]
    passages = [_passage(each, outdated.get(each.id, ()), asked) for each in told]
    found = _fitting(*_said_once(facts, [passage for passage in passages if passage.text]), budget)
    recent = _summaries(asked, budget - length(texts(found)), only=left_out - {each.id for each in told})
    return [*found, *reversed(recent)]


def tell_without_index(asked: Asked, near: Sequence[Found], budget: int) -> list[RecalledItem]:
    """The facts and summaries that are ``near`` in meaning, and the newest summaries."""
    included = {item.id for item in asked.newest}
    found = [_found(each, asked) for each in near if each.episode_id not in included]
    facts = within([item for item in found if item.text][:FACTS], budget // 2)
    return [*facts, *_summaries(asked, budget - length(texts(facts)), only=included)]


def _is_changed(fact: HeldFact, told: Sequence[Told]) -> bool:
    """Whether something said later seems to have changed it: the passage that says it is told with a note, or not."""
    return any(
        each.id == fact.row.said_in
        and any(says(text, Outdated(evidence=fact.evidence, since=change.since)) for text, change in each.changed)
        for each in told
    )


def _summaries(asked: Asked, budget: int, *, only: Collection[UUID]) -> list[RecalledItem]:
    """Of the newest summaries ``only`` these, newest first."""
    summaries = [_summary(item, asked.outdated.get(item.id), asked) for item in asked.newest if item.id in only]
    return within([item for item in summaries if item.text], budget)


def _said_once(
    facts: Sequence[RecalledItem], passages: Sequence[RecalledItem]
) -> tuple[list[RecalledItem], list[RecalledItem]]:
    """Of a fact and a passage that say the same, the one that says more."""
    words = {item.id: _words(item) for item in (*facts, *passages)} if facts else {}
    kept = [
        passage
        for passage in passages
        if not any(len(words[passage.id] & words[fact.id]) > _SAME * len(words[passage.id]) for fact in facts)
    ]
    new = [fact for fact in facts if not any(words[fact.id] <= words[passage.id] for passage in kept)]
    return new, kept


def _fitting(facts: Sequence[RecalledItem], passages: Sequence[RecalledItem], budget: int) -> list[RecalledItem]:
    """Both, without facts and older passages that do not fit into ``budget``.

    They may not: marks make texts longer, and a passage that was to say a fact as well may be left out since.
    """
    newest = within(passages[::-1], budget)
    return [*within(facts, budget - length(texts(newest))), *newest[::-1]]


def texts(items: Sequence[RecalledItem]) -> list[str]:
    return [item.text for item in items]


def length(told: Iterable[str]) -> int:
    """The characters of these texts as items of the JSON document."""
    return sum(encoded_length(text) + _BETWEEN_CHARS for text in told)


def item_length(item: RecalledItem) -> int:
    """As ``length``, of the text of one item."""
    return length([item.text])


def within(
    items: Sequence[RecalledItem], budget: int, chars: Callable[[RecalledItem], int] = item_length
) -> list[RecalledItem]:
    """The items that fit into ``budget`` characters of JSON, the first ones first; ``chars`` says what each takes."""
    kept: list[RecalledItem] = []
    for item in items:
        if (taken := chars(item)) <= budget:
            budget -= taken
            kept.append(item)
    return kept


def _words(item: RecalledItem) -> frozenset[str]:
    return frozenset(content_words(item.text.partition(": ")[2]))


def _fact(fact: HeldFact, why: tuple[str, ...], zone: ZoneInfo | None) -> RecalledItem:
    row, known = fact.row, fact.known
    statement = f"{known.statement} ({known.holds})" if known.holds else known.statement
    since = row.superseded_at
    is_past = not fact.is_current and since is not None
    date = f"until {since.astimezone(zone):%Y-%m-%d}" if is_past and since else f"{known.at.astimezone(zone):%Y-%m-%d}"
    return RecalledItem(
        id=row.id,
        kind=ItemKind.FACT,
        text=f"{date}: {statement}",
        why=why,
        said_at=known.at,
        said_in=row.said_in,
        entity_type=row.entity_type,
        entity_id=row.entity_id,
    )


def _found(found: Found, asked: Asked) -> RecalledItem:
    said_at = (found.created_at if found.said_in else found.updated_at).astimezone(asked.zone)
    item = RecalledItem(
        id=found.episode_id or found.id,
        kind=ItemKind.FACT if found.episode_id is None else ItemKind.EXCHANGE,
        text=f"{said_at:%Y-%m-%d}: {found.content}",
        why=("meaning",),
        said_at=said_at,
        said_in=found.said_in,
        entity_type=found.entity_type,
        entity_id=found.entity_id,
    )
    return _summary(item, found.outdated_at, asked)


def _summary(item: RecalledItem, outdated_at: datetime | None, asked: Asked) -> RecalledItem:
    """As it is, or if something in it is no longer true, without a text or marked."""
    if outdated_at is None:
        return item
    since = Outdated(evidence="", since=outdated_at.astimezone(asked.zone))
    return replace(item, text=marked(item.text, [since]) if asked.question.past else "")


def _passage(told: Told, outdated: Sequence[Outdated], asked: Asked) -> RecalledItem:
    text = told.text
    if outdated and asked.question.past:
        text = marked(text, [replace(each, since=each.since.astimezone(asked.zone)) for each in outdated])
    elif outdated:
        text = without_outdated(text, outdated)
    return RecalledItem(
        id=told.id, kind=ItemKind.EXCHANGE, text=text, why=told.why or _BY_WORDS, said_at=told.at, said_in=told.id
    )
