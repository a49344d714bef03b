"""How the findings of a recall are written: dated, within a budget, without repetition, and marked if no longer true.

No I/O, except for the index that it is given.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from memory.fact_index import HeldFact
from memory.facts import Found
from memory.index_cache import CachedIndex, Changes
from memory.outdated import Outdated, marked, says, without_outdated
from memory.recalled import ItemKind, RecalledItem
from memory.search.choosing import Beside
from memory.search.question import Question
from memory.search.told import Told, encoded_length
from memory.search.words import folded, language_of, stems_of, words_of

FACTS: Final = 5
_BETWEEN_CHARS: Final = 4
"""The number of characters around each item in the JSON document: the quotes, the comma and the space."""
_BY_WORDS: Final = ("words",)
_SAME: Final = 0.7
"""A fact with more than this share of a passage's words says the same as the passage."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question, and what is known about its user.

    ``similar`` has the similarities (0 to 1) of facts by their meaning that are known. ``newest`` are the newest
    summaries, and ``outdated`` says since when something in them is no longer true.
    """

    question: Question
    similar: Mapping[UUID, float]
    newest: Sequence[RecalledItem]
    outdated: Mapping[UUID, datetime]

    @property
    def zone(self) -> ZoneInfo | None:
        zone = self.question.now.tzinfo
        return zone if isinstance(zone, ZoneInfo) else None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Answer:
    """The answer of an index: ``passages`` of the exchanges ``ids``, and those of ``all_facts`` that no passage says.

    ``marks`` is how many characters of the passages are marks.
    """

    all_facts: Sequence[RecalledItem]
    facts: Sequence[RecalledItem]
    passages: Sequence[RecalledItem]
    ids: Collection[UUID]
    marks: int


def tell(cached: CachedIndex, changes: Changes, asked: Asked, budget: int) -> list[RecalledItem] | None:
    """Facts and passages from an index, within ``budget`` characters of JSON; None if the index must be rebuilt.

    ``cached.facts`` must be up to date. An index that is being built leaves out what has changed since the build began;
    the newest summaries of that are included, because they may contradict a fact. Takes milliseconds, so call it in a
    thread.
    """
    question = asked.question
    about = cached.facts.about(question, asked.similar, limit=FACTS)
    held = {fact.row.id: fact for fact, _ in about}
    facts = within([_fact(fact, why, asked.zone) for fact, why in about], budget // 2)
    # A fact that a passage also says will be left out, and takes no room.
    beside = [Beside(text=item.undated, chars=items_length(item)) for item in facts]
    outdated = cached.facts.outdated()

    def answer_in(room: int) -> _Answer | None:
        told = cached.ask(changes, question, budget=room, beside=beside)
        if told is None:
            return None
        if told or question.seems_of_own_life:
            return _answer(told, facts, held, outdated, asked)
        # If no exchange is relevant to the question, a word in common with a fact from one is a coincidence.
        kept = [fact for fact in facts if fact.why != _BY_WORDS or not held[fact.id].is_as_said]
        return _answer(told, kept, held, outdated, asked)

    answer = answer_in(budget)
    if answer is not None and answer.marks and items_length(*answer.facts, *answer.passages) > budget:
        # The marks are known only now. Choosing again with less room keeps what fits the question best; leaving out
        # the oldest passages would not.
        answer = answer_in(max(budget - answer.marks, budget // 2))
    if answer is None:
        return None
    left_out = set[UUID]() if changes.complete else {row.id for row in changes.rows}
    found = _fitting(answer, budget, question.language)
    recent = _summaries(asked, budget - items_length(*found), only=left_out.difference(answer.ids))
    return [*found, *reversed(recent)]


def tell_exchanges(cached: CachedIndex, changes: Changes, asked: Asked, budget: int) -> list[RecalledItem] | None:
    """As ``tell``, but only passages, including those that facts also say."""
    told = cached.ask(changes, asked.question, budget=budget)
    outdated = cached.facts.outdated()
    return None if told is None else [_passage(each, outdated.get(each.id, ()), asked) for each in told]


def _answer(
    told: Sequence[Told],
    facts: Sequence[RecalledItem],
    held: Mapping[UUID, HeldFact],
    outdated: Mapping[UUID, Sequence[Outdated]],
    asked: Asked,
) -> _Answer:
    unchanged = [item for item in facts if not _is_changed(held[item.id], told)]
    passages = [_passage(each, outdated.get(each.id, ()), asked) for each in told]
    new, kept = _said_once(unchanged, [passage for passage in passages if passage.text], asked.question.language)
    unmarked = {each.id: each.text for each in told}
    noted = [each for each in kept if each.text != unmarked[each.id]]
    marks = items_length(*noted) - length(unmarked[each.id] for each in noted)
    return _Answer(all_facts=unchanged, facts=new, passages=kept, ids=unmarked.keys(), marks=max(marks, 0))


def tell_without_index(asked: Asked, near: Sequence[Found], budget: int) -> list[RecalledItem]:
    """The facts and summaries that are ``near`` in meaning, and the newest summaries."""
    included = {item.id for item in asked.newest}
    found = [_found(each, asked) for each in near if each.episode_id not in included]
    facts = within([item for item in found if item.text][:FACTS], budget // 2)
    return [*facts, *_summaries(asked, budget - items_length(*facts), only=included)]


def _is_changed(fact: HeldFact, told: Sequence[Told]) -> bool:
    """Whether something said later seems to have changed the fact, which is then left to the passage that says it."""
    return any(
        each.id == fact.row.said_in
        and any(says(text, Outdated(evidence=fact.evidence, since=change.since)) for text, change in each.changed)
        for each in told
    )


def _summaries(asked: Asked, budget: int, *, only: Collection[UUID]) -> list[RecalledItem]:
    """Those of the newest summaries whose ids are in ``only``, newest first."""
    summaries = [_summary(item, asked.outdated.get(item.id), asked) for item in asked.newest if item.id in only]
    return within([item for item in summaries if item.text], budget)


def _said_once(
    facts: Sequence[RecalledItem], passages: Sequence[RecalledItem], spoken: str
) -> tuple[list[RecalledItem], list[RecalledItem]]:
    """Keep only the more complete one of a fact and a passage that say the same. ``spoken`` is the user's language."""
    if not facts:
        return [], list(passages)
    kept: list[RecalledItem] = []
    said: set[UUID] = set()
    # A fact may be too short to detect its language, so it is compared in the language of each passage.
    facts_by_language: dict[str, dict[UUID, frozenset[str]]] = {}
    for passage in passages:
        words = words_of(passage.undated)
        language = language_of(words, spoken)
        stems = frozenset(stems_of(words, language))
        if language not in facts_by_language:
            facts_by_language[language] = {
                fact.id: frozenset(stems_of(words_of(fact.undated), language)) for fact in facts
            }
        of_facts = facts_by_language[language]
        if not any(len(stems & each) > _SAME * len(stems) for each in of_facts.values()):
            kept.append(passage)
            said.update(fact.id for fact in facts if _says_fact(passage, stems, fact, of_facts[fact.id]))
    return [fact for fact in facts if fact.id not in said], kept


def _says_fact(passage: RecalledItem, stems: frozenset[str], fact: RecalledItem, of_fact: frozenset[str]) -> bool:
    """Whether a passage with these ``stems`` says a fact with the stems ``of_fact``."""
    # Without stop words “My name is Will” has only one word, which is not enough to tell.
    return of_fact <= stems if len(of_fact) > 1 else folded(fact.undated).rstrip(" .!") in folded(passage.text)


def _fitting(answer: _Answer, budget: int, spoken: str) -> list[RecalledItem]:
    """The facts and passages of ``answer``, without the oldest passages that do not fit into ``budget`` beside the
    facts, which take half of it at most.

    Not all may fit, because marks make texts longer, and because a fact is included again if the passage that also says
    it is left out.
    """
    facts, passages = answer.facts, answer.passages
    while items_length(*facts, *passages) > budget:
        newest = within(passages[::-1], budget - items_length(*facts))
        # A fact is included again if the only passage that says it is left out now.
        facts, passages = _said_once(answer.all_facts, newest[::-1], spoken)
    return [*facts, *passages]


def length(told: Iterable[str]) -> int:
    """The number of characters of these texts in the JSON document."""
    return sum(encoded_length(text) + _BETWEEN_CHARS for text in told)


def items_length(*items: RecalledItem) -> int:
    """As ``length``, of the texts of ``items``."""
    return length(item.text for item in items)


def within(
    items: Sequence[RecalledItem], budget: int, chars: Callable[[RecalledItem], int] = items_length
) -> list[RecalledItem]:
    """The items that fit into ``budget`` characters of JSON, preferring earlier ones; ``chars`` is the size of each."""
    kept: list[RecalledItem] = []
    for item in items:
        if (taken := chars(item)) <= budget:
            budget -= taken
            kept.append(item)
    return kept


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
    """``item`` unchanged, or if something in it is no longer true, marked (for a question about the past) or empty."""
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
