"""How two statements relate, whichever was stored first."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memory.drawn import DrawnFact, KnownFact, Relation, is_borne_out, nearest_known, related

NOW = datetime(2026, 11, 24, tzinfo=UTC)
EARLIER, LATER = NOW - timedelta(days=1), NOW + timedelta(days=1)


def known(statement: str, *, slot: str = "", value: str = "", at: datetime = EARLIER) -> KnownFact:
    return KnownFact(id=UUID(int=len(statement)), statement=statement, at=at, slot=slot, value=value)


def relation(new: DrawnFact, fact: KnownFact) -> tuple[Relation, bool] | None:
    """And whether the known fact stays current."""
    found = related(new, [fact], at=NOW)
    return (found[0].relation, found[0].known_stays) if found else None


@pytest.mark.parametrize(
    ("value", "before", "at", "expected"),
    [
        ("milan", "rome", EARLIER, (Relation.CONTRADICTS, False)),
        ("milan", "rome", LATER, (Relation.CONTRADICTS, True)),
        ("rome", "rome", EARLIER, (Relation.SAME, False)),
        ("rome", "rome", LATER, (Relation.SAME, True)),
        ("reggio emilia", "reggio", LATER, (Relation.PRECISE, False)),
        ("reggio", "reggio emilia", EARLIER, (Relation.PRECISE, True)),
        ("7 500", "500", EARLIER, (Relation.CONTRADICTS, False)),
        ("rome", "", EARLIER, None),
    ],
)
def test_one_thing_at_a_time_is_true_of_a_slot(
    value: str, before: str, at: datetime, expected: tuple[Relation, bool] | None
) -> None:
    new = DrawnFact(statement="New.", slot="home", value=value)
    assert relation(new, known("Before.", slot="home", value=before, at=at)) == expected
    assert relation(new, known("Other.", slot="work", value=before, at=at)) is None


def test_what_ends_contradicts_only_what_it_names() -> None:
    left = DrawnFact(statement="I no longer work at Acme", slot="work", ends="Acme")
    assert relation(left, known("I work at Acme", slot="work", value="acme corp")) == (Relation.CONTRADICTS, False)
    assert relation(left, known("I work at Globex", slot="work", value="globex")) is None


@pytest.mark.parametrize(
    ("statement", "before", "expected"),
    [
        ("The office closes at noon.", "The office closes at noon", (Relation.SAME, False)),
        ("The office closes at noon on Fridays.", "The office closes at noon", (Relation.PRECISE, False)),
        ("The office closes at noon", "The office closes at noon on Fridays.", (Relation.PRECISE, True)),
        ("The office is blue.", "The cat is blue.", None),
    ],
)
def test_without_a_slot_words_are_compared(statement: str, before: str, expected: tuple[Relation, bool] | None) -> None:
    assert relation(DrawnFact(statement=statement), known(before)) == expected


def test_what_a_model_says_of_a_fact_it_was_shown_counts() -> None:
    fact = known("The office closes at one.")
    new = DrawnFact(statement="Noon it is.", known=fact.id, relation=Relation.CONTRADICTS)
    assert relation(new, fact) == (Relation.CONTRADICTS, False)
    assert relation(new, known("Something else entirely.")) is None


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("The office closes at one.", "We close the office at noon."),
        ("I work at Acme.", "I don't work there any more."),
        ("Luca fa piscina il martedì.", "Luca ha smesso, fa basket il giovedì."),
        ("I pay by cheque.", "From now on the rent goes by direct debit, I stopped the cheques."),
        ("Il capo si chiama Rossi.", "Il capo adesso è Bianchi."),
    ],
)
def test_words_bear_out_what_a_model_says(before: str, said: str) -> None:
    assert is_borne_out(known(before), Relation.CONTRADICTS, said)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("I am allergic to penicillin.", "Kate's staying with us over half term."),
        ("Kate is allergic to shellfish and nuts.", "Kate's staying with us over half term."),
        ("I'm learning Spanish on Wednesdays.", "German visitors come on Wednesday instead."),
        ("Il mercoledì vado in piscina.", "Mercoledì arrivano i tedeschi."),
        ("I live in Rome.", "What is new?"),
        ("On Monday.", "On Monday."),
    ],
)
def test_words_do_not_bear_out_that_something_else_has_changed(before: str, said: str) -> None:
    assert not is_borne_out(known(before), Relation.CONTRADICTS, said)


def test_the_subject_of_a_fact_counts_where_a_change_is_said() -> None:
    fact = KnownFact(id=UUID(int=1), statement="I pay by cheque.", at=EARLIER, subject="wages")
    assert is_borne_out(fact, Relation.CONTRADICTS, "My wages are transferred now.")
    assert not is_borne_out(fact, Relation.CONTRADICTS, "My wages are low.")
    assert not is_borne_out(fact, Relation.CONTRADICTS, "It is transferred now.")


def test_the_nearest_known_have_most_words_in_common() -> None:
    facts = [known("The cat is called Minou."), known("I live in Rome."), known("The office closes at one.")]
    assert nearest_known("my cat Minou", facts, limit=1) == [facts[0]]
    assert len(nearest_known("nothing", facts, limit=2)) == 2


def test_details_that_an_earlier_version_wrote_have_no_requests() -> None:
    fact = DrawnFact(statement="I avoid stairs", subject="stairs", applies_to="hotel")
    assert KnownFact.of(UUID(int=1), fact.statement, fact.details(), NOW).applies_to == "hotel"
    of_earlier = KnownFact.of(UUID(int=1), fact.statement, '["stairs", "", "", "at night"]', NOW)
    assert (of_earlier.subject, of_earlier.holds, of_earlier.applies_to) == ("stairs", "at night", "")
    assert KnownFact.of(UUID(int=1), fact.statement, "", NOW).subject == ""
