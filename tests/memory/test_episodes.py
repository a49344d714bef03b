from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone as clock
from pytest_django import DjangoAssertNumQueries

from accounts.keys.vault import open_vault
from accounts.models import User
from memory.embedders.hashing import hashed
from memory.errors import InvalidMemory, MemoryNotFound, UnreadableRow
from memory.exchange import Exchange
from memory.facts import About, store_fact
from memory.forgetting import forget_exchange
from memory.index import Embedding
from memory.models import MAX_SUMMARY_CHARS, MemoryAssociative, MemoryEpisodic, opened
from memory.pending import complete
from memory.recording import write_episode
from memory.tiers import edit_episode, list_episodes, search_history
from tests.memory.tampering import damage

pytestmark = pytest.mark.django_db


def happen(user: User, summary: str, *, days_ago: int = 0) -> MemoryEpisodic:
    row = MemoryEpisodic(user=user, session_id="session", created_at=clock.now() - timedelta(days=days_ago))
    row.summary_encrypted = open_vault(user.id).seal(row, "summary_encrypted", summary)
    row.save(force_insert=True)
    return row


def summaries(user: User) -> list[str]:
    return [episode.summary for episode in list_episodes(user.id, after=None, limit=100).items]


def found(user: User, query: str, *, since_days: int | None = None, limit: int = 10) -> list[str]:
    since = None if since_days is None else clock.now() - timedelta(days=since_days)
    return [episode.summary for episode in search_history(user.id, query, since=since, limit=limit)]


def test_episodes_are_their_owners_newest_first(alice: User, bob: User) -> None:
    happen(alice, "Old.", days_ago=2)
    happen(alice, "New.")
    happen(bob, "Other.")
    assert summaries(alice) == ["New.", "Old."]


def test_pages_follow_each_other(alice: User) -> None:
    for day in range(5):
        happen(alice, f"Day {day}.", days_ago=day)
    page = list_episodes(alice.id, after=None, limit=2)
    happen(alice, "Meanwhile.")
    assert page.after is not None
    second = list_episodes(alice.id, after=page.after, limit=10)
    assert [entry.summary for entry in second.items] == ["Day 2.", "Day 3.", "Day 4."]
    assert second.after is None


@pytest.mark.parametrize("number", [1, 3])
def test_listing_takes_two_queries(alice: User, django_assert_num_queries: DjangoAssertNumQueries, number: int) -> None:
    for _ in range(number):
        happen(alice, "Something.")
    with django_assert_num_queries(2):
        assert len(list_episodes(alice.id, after=None, limit=10).items) == number


def test_history_is_searched_by_all_words(alice: User, bob: User) -> None:
    happen(alice, "Booked the PLUMBER for Tuesday.", days_ago=3)
    happen(alice, "Asked the plumber for a price.", days_ago=1)
    happen(alice, "Perché è così tardi?")
    happen(bob, "The plumber again.")

    assert found(alice, "plumber") == ["Asked the plumber for a price.", "Booked the PLUMBER for Tuesday."]
    assert found(alice, "tuesday Plumber") == ["Booked the PLUMBER for Tuesday."]
    assert found(alice, "plumber", since_days=2) == ["Asked the plumber for a price."]
    assert found(alice, "plumber", limit=1) == ["Asked the plumber for a price."]
    assert found(alice, " ") == summaries(alice)
    assert found(alice, "PERCHE cosi") == ["Perché è così tardi?"]
    assert found(alice, "carpenter") == []


def test_correcting_an_episode_corrects_what_finds_it_and_drops_the_words(alice: User, bob: User) -> None:
    waiting = write_episode(alice.id, Exchange(message="Book the plumber", response="Done."))
    assert waiting is not None
    complete(waiting, "Booked a plumber.", Embedding(vector=hashed("Booked a plumber."), model="hashing-v1"))
    with pytest.raises(MemoryNotFound):
        edit_episode(bob.id, waiting.row_id, "x", None)

    text = "Booked a carpenter."
    entry = edit_episode(alice.id, waiting.row_id, text, Embedding(vector=hashed(text), model="hashing-v1"))

    assert entry.summary == text
    fact = MemoryAssociative.objects.get()
    assert opened(open_vault(alice.id), fact, "content_encrypted") == text
    assert np.array(fact.embedding).shape == (1536,)
    assert MemoryEpisodic.objects.get().exchange_encrypted == ""


def test_deleting_an_episode_deletes_what_finds_it(alice: User, bob: User) -> None:
    row = happen(alice, "Booked a plumber.")
    store_fact(alice.id, "Booked a plumber.", None, about=About(episode_id=row.id))
    assert not forget_exchange(bob.id, row.id)

    assert forget_exchange(alice.id, row.id)

    assert MemoryAssociative.objects.count() == MemoryEpisodic.objects.count() == 0
    assert not forget_exchange(alice.id, row.id)


def test_an_episode_that_cannot_be_opened_is_marked_and_not_written_over(alice: User) -> None:
    row = happen(alice, "Booked a plumber.")
    damaged = damage(row, "summary_encrypted")

    [entry] = list_episodes(alice.id, after=None, limit=5).items
    assert (entry.id, entry.summary, entry.unreadable) == (row.id, "", True)
    with pytest.raises(UnreadableRow):
        edit_episode(alice.id, row.id, "x", None)
    assert MemoryEpisodic.objects.get().summary_encrypted == damaged
    assert found(alice, "") == []


@pytest.mark.parametrize("summary", ["", " ", "x" * (MAX_SUMMARY_CHARS + 1)])
def test_what_is_blank_or_too_long_is_no_summary(alice: User, summary: str) -> None:
    row = happen(alice, "Booked a plumber.")
    with pytest.raises(InvalidMemory):
        edit_episode(alice.id, row.id, summary, None)
    assert summaries(alice) == ["Booked a plumber."]
