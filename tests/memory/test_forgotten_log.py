"""By the log of forgotten rows processes forget what is not in the database any more, whatever the log lacks."""

from collections.abc import Sequence
from contextlib import suppress
from enum import Enum, auto
from typing import Final

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone as clock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.keys.vault import open_vault
from accounts.models import User
from accounts.statements import run_statement
from memory import index_cache, revisions
from memory.exchange import Exchange
from memory.facts import store_fact
from memory.forgetting import forget_between, forget_everything, forget_exchange, forget_fact
from memory.index_cache import CachedIndex
from memory.models import AssociativeQuerySet, EpisodicQuerySet, MemoryAssociative, MemoryEpisodic
from memory.recall import asked_of
from memory.recording import write_episode
from memory.revisions import ForgottenRows, MemoryRevision, next_forgetting, next_revision
from memory.search.question import Question
from memory.stored_tiers import TIERS_OF, StoredTiers, stored_in
from tests.effort import tries

pytestmark = pytest.mark.django_db

_MODEL: Final = "none"


class Step(Enum):
    """What happens between turns, and turns of two processes."""

    SAY = auto()
    STATE = auto()
    FORGET = auto()
    FORGET_FACT = auto()
    FORGET_SOME = auto()
    FORGET_ALL = auto()
    FORGET_BY_EARLIER_RELEASE = auto()
    ROLL_BACK = auto()
    PRUNE_OLDEST = auto()
    PRUNE_NEWEST = auto()
    ASK_FIRST = auto()
    ASK_SECOND = auto()
    ASK_WHILE_BUILDING = auto()


class Undone(Exception):
    """Rolls back."""


def say(user: User) -> None:
    assert write_episode(user.id, Exchange(message="The cat has a toy.", response="Noted.", session_id="s")) is not None


def built(user: User) -> CachedIndex:
    """The index of one process."""
    cached, after = index_cache._empty_index(user.id), None
    assert cached is not None
    while (after := index_cache._read_more(cached, user.id, after)) is not None:
        pass
    cached.complete = True
    return cached


def read(user: User, cached: CachedIndex) -> StoredTiers:
    as_of = cached.as_of()
    return stored_in(user.id, run_statement(TIERS_OF, asked_of(user.id, as_of, _MODEL)), complete=as_of.complete)


def ask(user: User, cached: CachedIndex) -> list[int]:
    """A turn. Returns the ids of what is told."""
    stored, vault = read(user, cached), open_vault(user.id)
    cached.facts.apply(stored.fact_changes(vault))
    told = cached.ask(stored.changes(vault), Question(text="Which toy has the cat?", now=clock.now()))
    assert told is not None
    return [each.id.int for each in told]


def ids(rows: EpisodicQuerySet | AssociativeQuerySet) -> set[int]:
    return {row_id.int for row_id in rows.values_list("id", flat=True)}


def change(user: User, step: Step) -> None:
    match step:
        case Step.SAY:
            say(user)
        case Step.STATE:
            store_fact(user.id, "The cat is called Minou.", None)
        case Step.FORGET_SOME:
            forget_between(user.id, None, clock.now())
        case Step.FORGET_ALL:
            forget_everything(user.id)
        case Step.PRUNE_OLDEST | Step.PRUNE_NEWEST:
            prune("revision" if step is Step.PRUNE_OLDEST else "-revision")
        case _:
            change_one(user, step)


def change_one(user: User, step: Step) -> None:
    """Forget the earliest exchange or a fact, if there is any."""
    first = MemoryEpisodic.objects.for_user(user.id).order_by("created_at").first()
    fact = MemoryAssociative.objects.for_user(user.id).facts().first()
    if step is Step.FORGET_FACT and fact is not None:
        forget_fact(user.id, fact.id)
    if first is None:
        return
    if step is Step.FORGET:
        forget_exchange(user.id, first.id)
    if step is Step.FORGET_BY_EARLIER_RELEASE:
        first.delete()
        MemoryRevision.objects.filter(user=user).update(forgotten=next_revision(user.id) or 0)
    if step is Step.ROLL_BACK:
        with suppress(Undone), transaction.atomic():
            forget_exchange(user.id, first.id)
            raise Undone


def prune(order: str) -> None:
    """Delete the first entry of the log by ``order``."""
    first = ForgottenRows.objects.order_by(order).values_list("pk", flat=True)[:1]
    ForgottenRows.objects.filter(pk__in=list(first)).delete()


@given(steps=st.lists(st.sampled_from(Step), min_size=5, max_size=25))
@settings(
    deadline=None,
    max_examples=tries(30, long=1_000),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_every_index_has_what_the_database_has_after_any_turn(
    alice: User, steps: Sequence[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revisions, "MAX_LOGGED", 3)
    monkeypatch.setattr(revisions, "MAX_LOGGED_ROWS", 2)
    forget_everything(alice.id)
    ForgottenRows.objects.all().delete()
    for _ in range(3):
        say(alice)
    processes = {Step.ASK_FIRST: built(alice), Step.ASK_SECOND: built(alice)}
    building = built(alice)
    building.complete = False
    for step in (*steps, Step.ASK_FIRST, Step.ASK_SECOND, Step.ASK_WHILE_BUILDING):
        change(alice, step)
        episodes, facts = MemoryEpisodic.objects.for_user(alice.id), MemoryAssociative.objects.for_user(alice.id)
        if step is Step.ASK_WHILE_BUILDING:
            assert set(ask(alice, building)) <= ids(episodes)
        if (cached := processes.get(step)) is not None:
            ask(alice, cached)
            assert set(cached.index._positions) == ids(episodes)
            assert {row_id.int for row_id in cached.facts._facts} == ids(facts.facts())


def test_after_one_of_many_was_forgotten_its_id_alone_is_read(alice: User, bob: User) -> None:
    for _ in range(20):
        say(alice)
    store_fact(alice.id, "The cat is called Minou.", None)
    say(bob)
    cached = built(alice)
    ask(alice, cached)
    row, of_bob = MemoryEpisodic.objects.for_user(alice.id)[7], MemoryEpisodic.objects.get(user=bob)
    forget_exchange(alice.id, row.id)
    forget_exchange(bob.id, of_bob.id)

    stored = read(alice, cached)
    assert (stored.forgotten, stored.kept, stored.kept_facts) == (row.id.hex, None, None)
    ask(alice, cached)
    assert row.id not in cached.index
    assert (read(alice, cached).forgotten, len(cached.index)) == ("", 19)


def test_what_is_left_is_read_where_the_log_does_not_go_back_as_far(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revisions, "MAX_LOGGED", 2)
    for _ in range(5):
        say(alice)
    old, rows = built(alice), list(MemoryEpisodic.objects.order_by("created_at"))
    ask(alice, old)
    for row in rows[:3]:
        forget_exchange(alice.id, row.id)

    assert list(ForgottenRows.objects.order_by("revision").values_list("row_ids", flat=True)) == [
        [rows[1].id],
        [rows[2].id],
    ]
    kept = read(alice, old).kept
    assert kept is not None
    assert {kept[:32], kept[32:]} == {rows[3].id.hex, rows[4].id.hex}


def test_a_forgetting_of_too_many_rows_is_not_logged(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revisions, "MAX_LOGGED_ROWS", 2)
    for _ in range(3):
        say(alice)
    cached = built(alice)
    ask(alice, cached)
    assert forget_between(alice.id, None, None) == 3
    assert not ForgottenRows.objects.exists()
    assert (read(alice, cached).kept, ask(alice, cached), len(cached.index)) == ("", [], 0)


def test_the_log_goes_with_its_user_and_none_begins_without(alice: User) -> None:
    say(alice)
    forget_exchange(alice.id, MemoryEpisodic.objects.get().id)
    assert ForgottenRows.objects.count() == 1
    user_id = alice.id
    alice.delete()
    assert not ForgottenRows.objects.exists()
    assert next_forgetting(user_id, []) is None


def test_a_forgetting_takes_as_many_statements_however_long_the_log_is(alice: User) -> None:
    def statements() -> int:
        say(alice)
        row = MemoryEpisodic.objects.get()
        with CaptureQueriesContext(
            connection,
        ) as captured:
            forget_exchange(alice.id, row.id)
        return len(captured)

    first = statements()
    assert [statements() for _ in range(5)] == [first] * 5
