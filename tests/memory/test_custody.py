"""The four tiers while their owner's key is rotated and their data is exported."""

import json
from collections.abc import Callable
from threading import Event

import numpy as np
import pytest

from accounts.errors import CorruptedText
from accounts.keys.custody import ENCRYPTED_TABLES, EncryptedTable
from accounts.keys.rotation import rotate_user_key
from accounts.keys.vault import open_vault
from accounts.models import RetiredKey, User
from memory.embedders.hashing import hashed
from memory.exchange import Exchange
from memory.facts import list_facts, store_fact
from memory.index import Embedding, nearest, unit
from memory.models import MemoryAssociative, MemoryCore, MemoryEpisodic, MemoryProactive
from memory.patterns import mine
from memory.pending import exchange_of
from memory.recording import write_episode
from memory.tiers import list_core, list_episodes, set_core
from tests.accounts.conftest import at_once
from tests.memory.tampering import damage, half_rotate
from tests.memory.test_patterns import ask_weekly, patterns

pytestmark = [pytest.mark.contracts, pytest.mark.django_db(transaction=True)]

TEXTS = [f"Fact {number} is about {word}." for number, word in enumerate(("cats", "rain", "bread", "Rome"))]


def remember(user: User) -> None:
    set_core(user.id, "tea", "Assam")
    for text in TEXTS:
        store_fact(user.id, text, Embedding(vector=hashed(text), model="hashing-v1"))
    store_fact(user.id, "It waits.", None)
    ask_weekly(user)
    mine(user.id, now=MemoryEpisodic.objects.latest("created_at").created_at)


def everything(user: User) -> tuple[object, ...]:
    return (
        [(entry.id, entry.key, entry.value) for entry in list_core(user.id)],
        [(fact.id, fact.content) for fact in list_facts(user.id, after=None, limit=99).items],
        [(episode.id, episode.summary) for episode in list_episodes(user.id, after=None, limit=99).items],
        patterns(user),
    )


def scores(user: User) -> list[float]:
    asked = Embedding(vector=hashed("Fact about bread in Rome"), model="hashing-v1")
    found = nearest(user.id, open_vault(user.id), asked, limit=9)
    return [each.score for each in found]


def test_rotation_keeps_everything_and_leaves_nothing_of_the_older_key(alice: User, bob: User) -> None:
    remember(alice)
    remember(bob)
    before, near, of_bob = everything(alice), scores(alice), everything(bob)
    vectors = {row.id: np.array(row.embedding) for row in MemoryAssociative.objects.exclude(embedding=None)}

    assert rotate_user_key(alice.id).finished

    assert everything(alice) == before
    assert everything(bob) == of_bob
    assert scores(alice) == pytest.approx(near, abs=2e-3)
    assert not RetiredKey.objects.exists()
    for row in MemoryAssociative.objects.filter(user=alice).exclude(embedding=None):
        assert row.veil_version == 2
        assert abs(float(np.array(row.embedding) @ vectors[row.id])) < 0.2
    assert MemoryAssociative.objects.filter(user=alice, embedding=None).get().veil_version is None
    set_core(alice.id, "TEA", "Oolong")
    assert MemoryCore.objects.filter(user=alice).count() == 1


def test_a_vector_survives_many_changes_of_key(alice: User) -> None:
    remember(alice)
    near = scores(alice)
    for _ in range(5):
        assert rotate_user_key(alice.id).finished
    assert scores(alice) == pytest.approx(near, abs=5e-3)


def test_rotation_loses_nothing_while_others_write(alice: User) -> None:
    remember(alice)
    begun, stop = Event(), Event()
    written: list[str] = []

    def write() -> None:
        while not stop.is_set():
            text = f"Written {len(written)}: {'abcdefghij'[len(written) % 10] * 12}"
            set_core(alice.id, f"key {len(written) % 20}", text)
            store_fact(alice.id, text, Embedding(vector=hashed(text), model="hashing-v1"))
            write_episode(alice.id, Exchange(message=text, response=""))
            written.append(text)
            begun.set()

    def rotate() -> None:
        begun.wait(20)
        try:
            for _ in range(3):
                assert rotate_user_key(alice.id).finished
        finally:
            stop.set()

    at_once(write, rotate)

    facts = {fact.content for fact in list_facts(alice.id, after=None, limit=10_000).items}
    episodes = [episode.summary for episode in list_episodes(alice.id, after=None, limit=10_000).items]
    assert set(TEXTS) <= facts
    assert len(episodes) == 4 + len(written)
    assert all(any(text in summary for summary in episodes) for text in written)
    assert not any(entry.unreadable for entry in list_core(alice.id))
    assert MemoryAssociative.objects.exclude(veil_version=None).exclude(veil_version=4).count() == 0


def test_vectors_of_several_lengths_are_renewed_together(alice: User) -> None:
    remember(alice)
    near = scores(alice)
    kept = {}
    for dimensions in (384, 1000, 4000):
        kept[dimensions] = unit(np.random.default_rng(dimensions).standard_normal(dimensions).astype(np.float32))
        store_fact(alice.id, f"Of {dimensions}.", Embedding(vector=kept[dimensions], model=f"m@{dimensions}"))

    assert rotate_user_key(alice.id).finished

    assert scores(alice) == pytest.approx(near, abs=2e-3)
    for dimensions, vector in kept.items():
        asked = Embedding(vector=vector, model=f"m@{dimensions}")
        [found] = nearest(alice.id, open_vault(alice.id), asked, limit=9)
        assert found.score == pytest.approx(1.0, abs=3e-3)


def test_a_damaged_vector_row_is_named_and_the_older_key_stays(alice: User) -> None:
    remember(alice)
    row = MemoryAssociative.objects.exclude(embedding=None).first()
    assert row is not None
    damaged = damage(row, "content_encrypted")

    rotation = rotate_user_key(alice.id)

    assert [each.row_id for each in rotation.unreadable] == [row.id]
    assert MemoryAssociative.objects.get(id=row.id).content_encrypted == damaged
    assert RetiredKey.objects.filter(user=alice).exists()


def test_an_episode_that_waits_is_summarised_after_the_key_changed(alice: User) -> None:
    waiting = write_episode(alice.id, Exchange(message="Book the plumber", response="Done."))
    assert waiting is not None
    assert rotate_user_key(alice.id).finished
    assert exchange_of(waiting) == Exchange(message="Book the plumber", response="Done.")


TIERS: list[tuple[type[object], Callable[[dict[str, object]], object]]] = [
    (MemoryCore, lambda row: (row["key"], row["value"])),
    (MemoryAssociative, lambda row: row["content"]),
    (MemoryEpisodic, lambda row: row["summary"]),
    (MemoryProactive, lambda row: row["pattern"]),
]


def table_of(model: type[object]) -> EncryptedTable:
    return next(table for table in ENCRYPTED_TABLES if table.model is model)


@pytest.mark.parametrize("half", [False, True])
def test_everything_is_exported_in_its_owners_words(alice: User, half: bool) -> None:
    remember(alice)
    if half:
        half_rotate(alice)
    vault = open_vault(alice.id)

    exported = {
        model: [dict(table_of(model).export(row, vault)) for row in table_of(model).rows_of(alice.id)]
        for model, _ in TIERS
    }

    told = [[tell(row) for row in exported[model]] for model, tell in TIERS]
    assert told[0] == [("tea", "Assam")]
    assert sorted(map(str, told[1])) == sorted([*TEXTS, "It waits."])
    assert len(told[2]) == 4
    assert told[3] == patterns(alice)
    assert json.loads(json.dumps(list(exported.values()))) == list(exported.values())


def test_a_row_that_cannot_be_opened_is_not_exported_as_something_else(alice: User) -> None:
    remember(alice)
    for model, column in ((MemoryCore, "value_encrypted"), (MemoryEpisodic, "summary_encrypted")):
        row = model.objects.for_user(alice.id).first()
        assert row is not None
        damage(row, column)
        row.refresh_from_db()
        with pytest.raises(CorruptedText):
            table_of(model).export(row, open_vault(alice.id))
