"""Forgetting deletes what was said with everything made of it, and counts, so that no process tells it from a cache."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.utils import timezone as clock

from accounts.models import User
from memory import patterns
from memory.drawn import DrawnFact, Relation
from memory.exchange import Exchange
from memory.facts import About, lock_facts, store_fact
from memory.forgetting import drop_old_words, forget_between, forget_everything, forget_exchange, forget_fact
from memory.mining import Recurring, recurring
from memory.models import MemoryAssociative, MemoryEpisodic
from memory.patterns import Mined, mine
from memory.recording import write_episode
from memory.revisions import MemoryRevision, next_revision
from memory.supersession import store_drawn
from memory.tiers import delete_core, list_habits, set_core
from tests.accounts.conftest import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def say(user: User, message: str = "Book the plumber", *, response: str = "Done.", days_ago: int = 0) -> MemoryEpisodic:
    claim = write_episode(user.id, Exchange(message=message, response=response))
    assert claim is not None
    MemoryEpisodic.objects.filter(id=claim.row_id).update(created_at=clock.now() - timedelta(days=days_ago))
    return MemoryEpisodic.objects.get(id=claim.row_id)


def state(user: User, statement: str) -> MemoryAssociative:
    """A fact that was drawn from an exchange of the user's."""
    row = say(user, statement)
    fact = DrawnFact(statement=statement, evidence=statement, slot="home", value=statement.split()[-1].lower())
    assert store_drawn(user.id, row.id, [(fact, None)], is_all=True)
    return MemoryAssociative.objects.get(said_in=row)


def habits(user: User) -> list[str]:
    return [habit.pattern for habit in list_habits(user.id, after=None, limit=50).items]


def closing(work: Callable[[UUID], None]) -> Callable[[UUID], None]:
    """``work`` in a thread of its own, without leaving a connection."""

    def done(user_id: UUID) -> None:
        try:
            work(user_id)
        finally:
            connection.close()

    return done


def waiting_for_a_lock() -> None:
    """Return when another connection waits for an advisory lock."""
    with connection.cursor() as cursor:
        for _ in range(6_000):
            cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)")
            if cursor.fetchone()[0]:
                return
            time.sleep(0.01)
    pytest.fail("no one waits")


def revisions(user: User) -> tuple[int, int]:
    """The latest change, and the latest one that deleted something."""
    found = MemoryRevision.objects.get(user=user)
    return found.latest, found.forgotten


def test_each_change_of_a_users_exchanges_has_the_next_number(alice: User, bob: User) -> None:
    assert [say(alice).revision, say(alice).revision, say(bob).revision] == [1, 2, 1]
    assert revisions(alice) == (2, 0)


def test_changes_at_once_have_different_numbers(alice: User) -> None:
    say(alice)
    at_once(lambda: say(alice), lambda: say(alice))
    assert sorted(MemoryEpisodic.objects.values_list("revision", flat=True)) == [1, 2, 3]


def test_a_forgotten_exchange_is_gone_with_what_finds_it(alice: User, bob: User) -> None:
    row, other = say(alice), say(alice)
    store_fact(alice.id, "Booked a plumber.", None, about=About(episode_id=row.id))

    assert not forget_exchange(bob.id, row.id)
    assert forget_exchange(alice.id, row.id)
    assert not forget_exchange(alice.id, row.id)

    assert list(MemoryEpisodic.objects.values_list("id", flat=True)) == [other.id]
    assert not MemoryAssociative.objects.exists()
    assert revisions(alice) == (3, 3)


def test_forgetting_what_was_found_of_an_exchange_forgets_the_exchange(alice: User, bob: User) -> None:
    row = say(alice)
    found = store_fact(alice.id, "Booked a plumber.", None, about=About(episode_id=row.id))

    assert not forget_fact(bob.id, found)
    assert forget_fact(alice.id, found)

    assert not MemoryEpisodic.objects.exists()
    assert revisions(alice) == (2, 2)


def test_a_fact_of_its_own_is_forgotten_alone(alice: User) -> None:
    say(alice)
    assert forget_fact(alice.id, store_fact(alice.id, "The cat is called Minou.", None))
    assert not MemoryAssociative.objects.exists()
    assert revisions(alice) == (3, 3)


def test_a_preference_is_forgotten_with_all_that_says_it(alice: User, bob: User) -> None:
    set_core(alice.id, "favourite tea", "Assam, with milk")
    said = "Remember that my favourite tea is Assam with milk"
    said_by = [say(alice, said), say(alice, "I only drink Assam tea with milk")]
    kept = [
        say(alice, "We drank tea at my favourite café"),
        say(alice, "Assam has milk for its monsoon"),
        say(bob, said),
    ]
    store_fact(alice.id, "The user's favourite tea is Assam with milk.", None)
    store_fact(alice.id, "The cat is called Minou.", None)
    MemoryEpisodic.objects.filter(id=said_by[1].id).update(exchange_encrypted="")

    assert not delete_core(bob.id, "favourite tea")
    assert delete_core(alice.id, "favourite tea")

    assert set(MemoryEpisodic.objects.values_list("id", flat=True)) == {row.id for row in kept}
    assert MemoryAssociative.objects.count() == 1
    latest, forgotten = revisions(alice)
    assert latest == forgotten


def test_a_preference_is_forgotten_with_the_answers_that_say_it(alice: User) -> None:
    set_core(alice.id, "favourite tea", "Assam, with milk")
    answer = "You have three tasks. With milk, Assam. Anything else?"
    say(alice, "What is my favourite tea?", response=answer)
    # Its words are in several sentences, each about something else.
    kept = say(alice, "Any news?", response="Your favourite café has closed. Tea with milk is on offer. Assam is far.")

    assert delete_core(alice.id, "favourite tea")
    assert MemoryEpisodic.objects.get().id == kept.id


def test_a_preference_is_forgotten_without_the_other_facts_of_the_exchanges_that_say_it(alice: User) -> None:
    set_core(alice.id, "favourite tea", "Assam, with milk")
    row = say(alice, "My favourite tea is Assam with milk, and I live in Turin")
    drawn = [DrawnFact(statement="I live in Turin", evidence="I live in Turin", slot="home", value="turin")]
    assert store_drawn(alice.id, row.id, [(fact, None) for fact in drawn], is_all=True)

    assert delete_core(alice.id, "favourite tea")
    assert not MemoryEpisodic.objects.exists()
    kept = MemoryAssociative.objects.get()
    assert (kept.said_in_id, kept.evidence_encrypted) == (None, "")
    # So it is read again by every process that has it in memory with these words.
    assert kept.revision > row.revision + 1


def test_a_fact_is_forgotten_with_the_exchanges_that_say_it_again(alice: User) -> None:
    said = state(alice, "My therapist is Dr Rossi")
    say(alice, "Who is my therapist?", response="Dr Rossi is.")
    kept = [say(alice, "When is my therapist away?", response="In May."), say(alice, "Dr Rossi's parking is free")]

    assert forget_fact(alice.id, said.id)
    assert set(MemoryEpisodic.objects.values_list("id", flat=True)) == {row.id for row in kept}


def test_a_fact_is_forgotten_without_the_users_key(alice: User) -> None:
    said = state(alice, "My therapist is Dr Rossi")
    User.objects.filter(id=alice.id).update(master_key_id="0" * 16)

    assert forget_fact(alice.id, said.id)
    assert not MemoryAssociative.objects.exists()
    assert not MemoryEpisodic.objects.exists()


def test_a_superseded_fact_is_forgotten_with_the_later_one_that_says_the_same(alice: User) -> None:
    older, newer = state(alice, "I live in Turin"), state(alice, "As I said, I live in Turin")
    older.refresh_from_db()
    assert (older.superseded_by_id, older.superseded_as) == (newer.id, Relation.SAME)

    assert forget_fact(alice.id, older.id)
    assert not MemoryAssociative.objects.exists()
    assert not MemoryEpisodic.objects.exists()


def test_what_was_never_true_is_forgotten_without_its_correction(alice: User) -> None:
    older, newer = state(alice, "I live in Turin"), state(alice, "I live in Milan")
    MemoryAssociative.objects.filter(id=older.id).update(superseded_by=newer, superseded_as=Relation.CORRECTS)

    assert forget_fact(alice.id, older.id)
    assert MemoryAssociative.objects.get().id == newer.id


def test_habits_go_with_the_exchanges_that_show_them(alice: User) -> None:
    rows = [say(alice, "Then we met with Anna Rossi", days_ago=days) for days in range(5)]
    for days in range(5):
        say(alice, "Then we wrote to Carl Bianchi", days_ago=days)
    mine(alice.id)
    assert {name for name in ("Anna Rossi", "Carl Bianchi") for text in habits(alice) if name in text} == {
        "Anna Rossi",
        "Carl Bianchi",
    }

    assert forget_exchange(alice.id, rows[0].id)
    assert not [text for text in habits(alice) if "Anna" in text]
    assert [text for text in habits(alice) if "Carl Bianchi" in text]

    # The others still show it.
    mine(alice.id)
    assert [text for text in habits(alice) if "Anna Rossi" in text]


def test_what_is_forgotten_while_habits_are_mined_makes_none(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def forgotten_meanwhile(*read: Any) -> list[Recurring]:
        forget_everything(alice.id)
        return recurring(*read)

    for days in range(5):
        say(alice, "Then we met with Anna Rossi", days_ago=days)
    monkeypatch.setattr(patterns, "recurring", forgotten_meanwhile)

    assert mine(alice.id) == Mined()
    assert habits(alice) == []


def test_forgetting_everything_waits_for_who_forgets_an_exchange(alice: User) -> None:
    row = say(alice)
    store_fact(alice.id, "Booked a plumber.", None, about=About(episode_id=row.id))
    with ThreadPoolExecutor(1) as beside:
        with transaction.atomic():
            lock_facts(alice.id)
            MemoryEpisodic.objects.select_for_update().get(id=row.id)
            everything = beside.submit(closing(forget_everything), alice.id)
            waiting_for_a_lock()
            MemoryAssociative.objects.all().delete()
        everything.result(timeout=60)
    assert not MemoryEpisodic.objects.exists()


def test_a_preference_that_nothing_else_says_is_forgotten_alone(alice: User) -> None:
    set_core(alice.id, "language", "Use it.")
    row = say(alice, "The language of the letter is Latin")

    assert delete_core(alice.id, "language")
    assert MemoryEpisodic.objects.get().id == row.id


def test_a_span_of_time_is_forgotten_without_what_is_before_and_after(alice: User, bob: User) -> None:
    rows = [say(alice, days_ago=days) for days in (4, 3, 2, 1)]
    say(bob, days_ago=3)

    assert forget_between(alice.id, rows[1].created_at, rows[3].created_at) == 2

    assert set(MemoryEpisodic.objects.filter(user=alice)) == {rows[0], rows[3]}
    assert MemoryEpisodic.objects.filter(user=bob).count() == 1
    assert forget_between(alice.id, None, rows[0].created_at) == 0
    assert forget_between(alice.id, rows[3].created_at, None) == 1
    assert forget_between(alice.id, None, None) == 1


def test_forgetting_everything_counts(alice: User) -> None:
    say(alice)
    forget_everything(alice.id)
    assert revisions(alice) == (2, 2)
    assert not MemoryEpisodic.objects.exists()


def test_words_go_after_the_days_that_their_owner_chose_and_summaries_stay(alice: User, bob: User) -> None:
    old, new, of_bob = say(alice, days_ago=8), say(alice, days_ago=6), say(bob, days_ago=8)
    alice.memory_words_days = 7
    alice.save(update_fields=["memory_words_days"])

    assert drop_old_words() == 1
    assert drop_old_words() == 0

    kept = {row.id: bool(row.exchange_encrypted) for row in MemoryEpisodic.objects.all()}
    assert kept == {old.id: False, new.id: True, of_bob.id: True}
    dropped = MemoryEpisodic.objects.get(id=old.id)
    assert (dropped.summary_encrypted, dropped.next_attempt_at) == (old.summary_encrypted, None)
    assert dropped.revision == revisions(alice)[0] == 3


def test_what_is_written_while_memory_is_off_has_no_number(alice: User) -> None:
    User.objects.filter(id=alice.id).update(memory_enabled=False)
    assert next_revision(alice.id, only_enabled=True) is None
    assert next_revision(alice.id) == 1
