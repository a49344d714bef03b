"""What an index tells of facts and passages: each thing once, and as much as there is room for."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from accounts.keys.vault import Vault, open_vault
from accounts.models import User
from memory.drawn import DrawnFact, Relation
from memory.fact_index import FactChanges, StoredFact
from memory.index_cache import CachedIndex, Changes
from memory.models import MemoryAssociative
from memory.recalled import ItemKind, RecalledItem
from memory.search.choosing import Beside
from memory.search.exchanges import Said
from memory.search.question import Question
from memory.search.told import Told
from memory.telling import Asked, items_length, length, tell

pytestmark = pytest.mark.django_db
ZONE = ZoneInfo("UTC")
NOW = datetime(2026, 11, 24, 12, tzinfo=ZONE)
NOTHING_FORGOTTEN: frozenset[int] = frozenset()


class Telling(CachedIndex):
    """Tells ``told``, and records the room that it is given."""

    def __init__(self, told: Sequence[Told]) -> None:
        super().__init__(0, ZONE)
        self.told = told
        self.rooms: list[int] = []

    def ask(
        self, changes: Changes, question: Question, *, budget: int = 0, beside: Sequence[Beside] = ()
    ) -> list[Told] | None:
        self.rooms.append(budget)
        return list(self.told)


@pytest.fixture
def vault(alice: User) -> Vault:
    return open_vault(alice.id)


def fact(vault: Vault, number: int, statement: str, *, said_in: int, by: int = 0) -> StoredFact:
    """A fact of which this is the id; with ``by`` that one contradicts it."""
    row = MemoryAssociative(id=UUID(int=number))
    return StoredFact(
        id=row.id,
        said_at=NOW,
        content=vault.seal(row, "content_encrypted", statement),
        details=vault.seal(row, "details_encrypted", DrawnFact(statement=statement).details()),
        evidence=vault.seal(row, "evidence_encrypted", statement),
        said_in=UUID(int=said_in),
        superseded_by=UUID(int=by) if by else None,
        superseded_as=Relation.CONTRADICTS if by else "",
        superseded_at=NOW if by else None,
        corrected_at=None,
        entity_type="",
        entity_id="",
    )


def hold(cached: CachedIndex, vault: Vault, *facts: StoredFact) -> None:
    cached.facts.apply(FactChanges(latest=1, rows=facts, forgotten=NOTHING_FORGOTTEN, kept=None, vault=vault))


def passage(number: int, text: str) -> Told:
    at = NOW - timedelta(days=100 - number)
    return Told(id=UUID(int=number), at=at, text=f"{at:%Y-%m-%d}: {text}")


def asked(cached: CachedIndex, vault: Vault, question: str, *, budget: int, language: str = "en") -> list[RecalledItem]:
    changes = Changes(latest=0, rows=(), forgotten=NOTHING_FORGOTTEN, kept=None, vault=vault, zone=ZONE, complete=True)
    about = Question(text=question, now=NOW, language=language)
    found = tell(cached, changes, Asked(question=about, similar={}, newest=(), outdated={}), budget)
    assert found is not None
    assert items_length(*found) <= budget
    return found


def facts_in(found: Sequence[RecalledItem]) -> list[str]:
    return [item.text.partition(": ")[2] for item in found if item.kind is ItemKind.FACT]


def test_where_marks_leave_no_room_the_oldest_passages_are_left_out_and_no_fact(vault: Vault) -> None:
    told = [passage(number, f"House number {number} had a garden.") for number in range(1, 9)]
    cached = Telling(told)
    outdated = [fact(vault, 20 + n, f"House number {n} had a garden", said_in=n, by=99) for n in range(1, 9)]
    hold(cached, vault, fact(vault, 99, "Anna pays our rent in cash", said_in=50), *outdated)

    mark = " (“House number 1 had a garden” is no longer true since 2026-11-24)"
    found = asked(cached, vault, "What did Anna pay before?", budget=5 * length([told[0].text + mark]))

    assert facts_in(found) == ["Anna pays our rent in cash"]
    assert [item.id.int for item in found if item.kind is ItemKind.EXCHANGE] == [5, 6, 7, 8]


def test_a_fact_is_told_where_the_passage_that_says_it_does_not_fit(vault: Vault) -> None:
    told = [passage(number, f"House number {number} had a garden.") for number in range(1, 9)]
    told[0] = passage(1, "We have three houses, and Anna pays our rent in cash every month.")
    cached = Telling(told)
    outdated = [fact(vault, 20 + n, f"House number {n} had a garden", said_in=n, by=99) for n in range(2, 9)]
    hold(cached, vault, fact(vault, 99, "Anna pays our rent in cash", said_in=50), *outdated)

    found = asked(cached, vault, "What did Anna pay before?", budget=length(each.text for each in told) + 100)

    assert facts_in(found) == ["Anna pays our rent in cash"]
    assert not any("three houses" in item.text for item in found)


def test_a_fact_of_which_one_word_is_left_is_said_by_no_passage_with_that_word(vault: Vault) -> None:
    cached = Telling([passage(1, "What name does the parcel have, Anna or Bea?")])
    hold(cached, vault, fact(vault, 20, "My name is Will", said_in=9))

    assert facts_in(asked(cached, vault, "What is my name?", budget=1_000)) == ["My name is Will"]


def test_a_fact_of_which_one_word_is_left_is_said_by_a_passage_with_all_of_it(vault: Vault) -> None:
    cached = Telling([passage(1, "By the way, I'm vegan, and so is Bea.")])
    hold(cached, vault, fact(vault, 20, "I'm vegan.", said_in=1))

    assert facts_in(asked(cached, vault, "Who is vegan?", budget=1_000)) == []


def test_no_room_is_kept_for_marks_of_what_is_not_told(vault: Vault) -> None:
    cached = Telling([passage(1, "The rent was nine hundred.")])
    hold(cached, vault, *(fact(vault, n, f"Number {n} is my lucky one", said_in=n, by=99) for n in range(10, 300)))

    asked(cached, vault, "What was the rent before?", budget=1_000)

    assert cached.rooms == [1_000]


@pytest.mark.parametrize(("spare", "rooms"), [(120, 1), (10, 2)])
def test_less_is_chosen_only_where_marks_do_not_fit(vault: Vault, spare: int, rooms: int) -> None:
    told = [passage(number, f"Note {number} about the rent of the house. " * 3) for number in range(1, 9)]
    told[0] = passage(1, "The rent was nine hundred.")
    cached = Telling(told)
    hold(cached, vault, fact(vault, 20, "The rent was nine hundred", said_in=1, by=99))
    budget = length(each.text for each in told) + spare

    found = asked(cached, vault, "Was it dear before?", budget=budget)

    marks = len(" (“The rent was nine hundred” is no longer true since 2026-11-24)")
    assert cached.rooms == [budget, budget - marks][:rooms]
    assert (len(found) == len(told)) is (rooms == 1)


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize(
    ("statement", "said", "question"),
    [
        (
            "Birba mangia crocchette biologiche",
            "La mia gatta Birba mangia solo crocchette biologiche da quando sta male.",
            "Cosa mangia Birba?",
        ),
        (
            "Minou eats organic biscuits",
            "You know that my cat Minou has always liked and eats organic biscuits.",
            "What does Minou eat?",
        ),
    ],
)
def test_a_fact_that_a_passage_says_takes_no_room_in_any_language(
    vault: Vault, statement: str, said: str, question: str, language: str
) -> None:
    cached = CachedIndex(0, ZONE)
    for number, text in enumerate([said, "Birba e Minou dormono sul divano.", "Birba and Minou sleep on the sofa."], 1):
        at = NOW - timedelta(days=9 - number)
        cached.index.add(
            Said(
                id=UUID(int=number), at=at.astimezone(UTC), session_id="s", message=text, response="", language=language
            )
        )
    without = asked(cached, vault, question, budget=5_000, language=language)
    assert {item.id.int for item in without} >= {1, 2, 3}

    hold(cached, vault, fact(vault, 20, statement, said_in=1))

    assert asked(cached, vault, question, budget=items_length(*without), language=language) == without
