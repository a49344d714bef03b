"""The facts of a user in memory: up to date after any turn, and bounded."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from accounts.keys.vault import Vault, open_vault
from accounts.models import User
from memory import fact_index
from memory.drawn import DrawnFact, Relation
from memory.fact_index import MAX_FACTS, FactChanges, FactIndex, StoredFact
from memory.models import MemoryAssociative
from memory.search.follow_ups import Earlier
from memory.search.question import Question

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 24, tzinfo=UTC)


def stored(vault: Vault, statement: str, *, slot: str = "", by: UUID | None = None, number: int = 0) -> StoredFact:
    row = MemoryAssociative(id=UUID(int=number) if number else uuid4())
    details = DrawnFact(statement=statement, slot=slot, subject=slot).details()
    return StoredFact(
        id=row.id,
        said_at=NOW,
        content=vault.seal(row, "content_encrypted", statement),
        details=vault.seal(row, "details_encrypted", details),
        evidence="",
        said_in=UUID(int=99),
        superseded_by=by,
        superseded_as="" if by is None else Relation.SAME,
        superseded_at=None if by is None else NOW,
        corrected_at=None,
        entity_type="",
        entity_id="",
    )


def changes(
    vault: Vault,
    latest: int,
    rows: Sequence[StoredFact],
    *,
    forgotten: Sequence[UUID] = (),
    kept: Sequence[UUID] | None = None,
) -> FactChanges:
    return FactChanges(
        latest=latest,
        rows=rows,
        forgotten=frozenset(each.int for each in forgotten),
        kept=None if kept is None else frozenset(each.int for each in kept),
        vault=vault,
    )


def told(index: FactIndex, question: str, *before: str) -> list[str]:
    conversation = [Earlier(text, is_answer=number % 2 == 1) for number, text in enumerate(before)]
    asked = Question(text=question, now=NOW, before=conversation)
    return [fact.known.statement for fact, _ in index.about(asked, {}, limit=5)]


@pytest.mark.parametrize("logged", [False, True])
def test_what_an_earlier_statement_has_read_brings_nothing_back(alice: User, logged: bool) -> None:
    vault, index = open_vault(alice.id), FactIndex()
    cat = stored(vault, "The cat is called Minou.")
    index.apply(changes(vault, 5, [cat]))
    index.apply(changes(vault, 6, [], forgotten=[cat.id]) if logged else changes(vault, 6, [], kept=[]))
    index.apply(changes(vault, 5, [cat]))
    assert (told(index, "my cat"), index.revision, index.size) == ([], 6, 0)


def test_only_the_latest_facts_are_held(alice: User) -> None:
    vault, index = open_vault(alice.id), FactIndex()
    index.apply(changes(vault, 1, [stored(vault, f"Shop {number} is closed.") for number in range(MAX_FACTS - 1)]))
    size = index.size
    index.apply(changes(vault, 2, [stored(vault, "The cat is called Minou."), stored(vault, "The dog is called Rex.")]))
    assert (told(index, "my cat"), told(index, "my dog")) == (["The cat is called Minou."], ["The dog is called Rex."])
    assert (told(index, "shop 0"), told(index, "shop 1")) == ([], ["Shop 1 is closed."])
    assert index.size < size + 2 * size / MAX_FACTS


def test_a_long_fact_counts_with_its_words(alice: User) -> None:
    vault, index = open_vault(alice.id), FactIndex()
    index.apply(changes(vault, 1, [stored(vault, " ".join(f"word{number}" for number in range(500)))]))
    assert index.size > 500 * 90


def test_questions_about_a_slot_find_it_by_other_words_in_both_languages(alice: User) -> None:
    vault, index = open_vault(alice.id), FactIndex()
    index.apply(changes(vault, 1, [stored(vault, "I moved to Milan", slot="home"), stored(vault, "I like tea")]))
    for question in ("Where do I live?", "Dove abito?", "In which city is my home?"):
        assert told(index, question) == ["I moved to Milan"]
    assert told(index, "Write a poem like Dante about the sea") == []
    assert told(index, "") == []


def test_a_name_finds_a_fact_among_many_words(alice: User) -> None:
    vault, index = open_vault(alice.id), FactIndex()
    index.apply(changes(vault, 1, [stored(vault, "My sister is called Anna"), stored(vault, "We close on Friday")]))
    assert told(index, "Please book a table for dinner on Friday, for four people, with Anna") == [
        "My sister is called Anna"
    ]


def test_a_follow_up_is_about_what_the_conversation_is_about(alice: User) -> None:
    vault, index = open_vault(alice.id), FactIndex()
    index.apply(changes(vault, 1, [stored(vault, "Anna was born on 5 May"), stored(vault, "We close on Friday")]))
    assert told(index, "and when is it?") == []
    assert told(index, "and when is it?", "Does Anna like birthdays?", "Very much.") == ["Anna was born on 5 May"]


def test_a_preference_is_about_what_it_applies_to(alice: User) -> None:
    vault, index = open_vault(alice.id), FactIndex()
    index.apply(changes(vault, 1, [stored(vault, "I'm allergic to prawns"), stored(vault, "Fish is on the menu")]))
    [(fact, why)] = index.about(Question(text="Where shall we have dinner?", now=NOW), {}, limit=5)

    assert (fact.known.statement, why) == ("I'm allergic to prawns", ("preference",))
    assert told(index, "Where should we have had dinner before?") == []
    assert told(index, "Who invented dinner?") == []


def test_what_says_the_same_is_never_told_and_is_outdated_with_what_replaced_it(alice: User) -> None:
    vault, index = open_vault(alice.id), FactIndex()
    newest = stored(vault, "I live in Turin", slot="home", number=3)
    middle = stored(vault, "Rome is my home", slot="home", by=newest.id, number=2)
    middle = middle._replace(superseded_as=Relation.CONTRADICTS)
    oldest = stored(vault, "I live in Rome", slot="home", by=middle.id, number=1)
    index.apply(changes(vault, 1, [oldest, middle, newest]))

    assert told(index, "Where do I live?") == ["I live in Turin"]
    assert set(told(index, "Where did I live before?")) == {"I live in Turin", "Rome is my home"}
    assert [each.since for each in index.outdated()[UUID(int=99)]] == [NOW, NOW]


def test_so_many_facts_are_held(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fact_index, "MAX_FACTS", 2)
    vault, index = open_vault(alice.id), FactIndex()
    index.apply(changes(vault, 1, [stored(vault, "The cat is grey.")]))
    index.apply(changes(vault, 3, [stored(vault, "The dog is brown."), stored(vault, "The cow is white.")]))
    # More may have changed than were read.
    assert told(index, "the cat") == []
    assert told(index, "the dog") == ["The dog is brown."]
