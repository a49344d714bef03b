"""Forgetting deletes what was said with everything made of it, and counts, so that no process tells it from a cache."""

from datetime import timedelta

import pytest
from django.utils import timezone as clock

from accounts.models import User
from memory.exchange import Exchange
from memory.facts import About, store_fact
from memory.forgetting import drop_old_words, forget_between, forget_everything, forget_exchange, forget_fact
from memory.models import MemoryAssociative, MemoryEpisodic, MemoryRevision, next_revision
from memory.recording import write_episode
from memory.tiers import delete_core, set_core
from tests.accounts.conftest import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def say(user: User, message: str = "Book the plumber", *, days_ago: int = 0) -> MemoryEpisodic:
    claim = write_episode(user.id, Exchange(message=message, response="Done."))
    assert claim is not None
    MemoryEpisodic.objects.filter(id=claim.row_id).update(created_at=clock.now() - timedelta(days=days_ago))
    return MemoryEpisodic.objects.get(id=claim.row_id)


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
