"""Vectors computed later: by the sweep's command, in batches, repeatedly until all are there."""

from collections.abc import Sequence
from io import StringIO
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from accounts.database import in_database
from accounts.keys.vault import open_vault
from accounts.models import User
from adiuva.management.commands import backfill_embeddings
from adiuva.wiring.models import models
from memory.backfill import Filled, Wanted, backfill
from memory.embedders.hashing import hashed
from memory.facts import edit_fact, store_fact
from memory.index import Embedding, Vector, nearest
from memory.models import MemoryAssociative
from tests.memory.ports import UNREACHABLE, Embedder
from tests.memory.tampering import damage, half_rotate

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = ("cats", "rain", "bread", "Rome", "trains")


class Count:
    """Progress as numbers."""

    def __init__(self) -> None:
        self.expected = self.done = 0

    def expect(self, count: int) -> None:
        self.expected += count

    def advance(self, count: int) -> None:
        self.done += count


def tell(user: User, *, model: str | None = None) -> list[UUID]:
    texts = [f"Something about {word}." for word in WORDS]
    return [
        store_fact(user.id, text, None if model is None else Embedding(vector=hashed(f"other {text}"), model=model))
        for text in texts
    ]


def found(user: User, word: str) -> list[float]:
    asked = Embedding(vector=hashed(f"Something about {word}."), model="hashing-v1")
    near = nearest(user.id, open_vault(user.id), asked, limit=9)
    return [each.score for each in near]


@pytest.fixture
def embedder() -> Embedder:
    return Embedder()


@pytest.mark.parametrize("batch", [1, 2, 64])
async def test_what_lacks_a_vector_gets_one_in_batches(alice: User, bob: User, embedder: Embedder, batch: int) -> None:
    await in_database(lambda: (tell(alice), tell(bob)))
    count = Count()

    filled = await backfill(embedder, Wanted(), batch=batch, progress=count)

    assert filled == Filled(embedded=10, looked_at=10)
    assert (count.expected, count.done) == (10, 10)
    assert sorted(embedder.texts) == sorted([f"Something about {word}." for word in WORDS] * 2)
    for user in (alice, bob):
        near = await in_database(lambda user=user: found(user, "cats"))  # type: ignore[misc] # bound at once
        assert near[0] == pytest.approx(1.0, abs=1e-3)
    assert await MemoryAssociative.objects.exclude(next_attempt_at=None).acount() == 0
    assert await backfill(embedder, Wanted()) == Filled(embedded=0, looked_at=0)


async def test_one_users_facts_alone(alice: User, bob: User, embedder: Embedder) -> None:
    await in_database(lambda: (tell(alice), tell(bob)))
    assert (await backfill(embedder, Wanted(user_id=bob.id))).embedded == 5
    assert await MemoryAssociative.objects.filter(user=alice, embedding=None).acount() == 5


async def test_another_models_vectors_are_made_anew_only_when_asked(alice: User, embedder: Embedder) -> None:
    ids = await in_database(lambda: tell(alice, model="older"))
    assert await backfill(embedder, Wanted()) == Filled(embedded=0, looked_at=0)

    assert (await backfill(embedder, Wanted(model_changed=True), batch=2)).embedded == 5

    assert [
        row.id async for row in MemoryAssociative.objects.filter(embedding_model="hashing-v1").order_by("created_at")
    ] == ids
    assert (await in_database(lambda: found(alice, "rain")))[0] == pytest.approx(1.0, abs=1e-3)


async def test_a_vector_of_an_older_key_is_made_anew_with_the_present_one(alice: User, embedder: Embedder) -> None:
    await in_database(lambda: tell(alice, model="older"))
    await in_database(lambda: half_rotate(alice))
    assert (await backfill(embedder, Wanted(model_changed=True))).embedded == 5
    assert {row.veil_version async for row in MemoryAssociative.objects.all()} == {2}


async def test_it_goes_on_where_it_was_stopped(alice: User, embedder: Embedder) -> None:
    await in_database(lambda: tell(alice))

    class Stopping(Embedder):
        async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
            self.broken = UNREACHABLE if self.texts else None
            return await super().embed(texts, query=query)

    with pytest.raises(type(UNREACHABLE)):
        await backfill(Stopping(), Wanted(), batch=2)
    assert await MemoryAssociative.objects.filter(embedding=None).acount() == 3

    assert (await backfill(embedder, Wanted(), batch=2)).embedded == 3
    assert len(embedder.texts) == 3


async def test_a_fact_that_is_changed_meanwhile_is_left_to_the_next_run(alice: User) -> None:
    ids = await in_database(lambda: tell(alice, model="older"))

    class Meddling(Embedder):
        async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
            await in_database(lambda: edit_fact(alice.id, ids[0], "Something else.", None))
            return await super().embed(texts, query=query)

    assert await backfill(Meddling(), Wanted(model_changed=True)) == Filled(embedded=4, looked_at=5)
    assert (await MemoryAssociative.objects.aget(id=ids[0])).embedding is None


async def test_rows_that_cannot_be_opened_and_users_without_memory_are_passed_over(
    alice: User, bob: User, embedder: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    await in_database(lambda: (tell(alice), tell(bob)))
    row = await MemoryAssociative.objects.filter(user=alice).afirst()
    assert row is not None
    damaged = await in_database(lambda: damage(row, "content_encrypted"))
    await User.objects.filter(id=bob.id).aupdate(memory_enabled=False)

    assert await backfill(embedder, Wanted()) == Filled(embedded=4, looked_at=5)

    assert (await MemoryAssociative.objects.aget(id=row.id)).content_encrypted == damaged
    assert str(row.id) in caplog.text
    assert "Something" not in caplog.text


async def test_a_user_whose_key_cannot_be_opened_is_passed_over(
    alice: User, bob: User, embedder: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    await in_database(lambda: (tell(alice), tell(bob)))
    await User.objects.filter(id=alice.id).aupdate(encryption_key="damaged")
    progress = Count()
    assert await backfill(embedder, Wanted(), progress=progress) == Filled(embedded=5, looked_at=10)
    assert progress.done == progress.expected == 10
    assert f"the facts of user {alice.id} are skipped" in caplog.text


class TestCommand:
    @pytest.fixture(autouse=True)
    def _offline(self, settings: Settings) -> None:
        settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""

    def run(self, *arguments: str) -> str:
        written = StringIO()
        call_command("backfill_embeddings", *arguments, stdout=written)
        return written.getvalue()

    def test_it_uses_the_embedder_that_is_configured(self, alice: User, capsys: pytest.CaptureFixture[str]) -> None:
        tell(alice)
        assert self.run("--dry-run") == "Would make 5 vectors by hashing-v1. Nothing was changed.\n"
        assert self.run("--batch", "2") == "Made 5 vectors by hashing-v1.\n"
        assert capsys.readouterr().err == "Facts: 5 of 5\n"
        assert self.run("--dry-run") == "Would make 0 vectors by hashing-v1. Nothing was changed.\n"

    def test_it_takes_one_user_and_older_models(self, alice: User, bob: User) -> None:
        tell(alice, model="older")
        tell(bob)
        assert self.run("--user", "Alice@example.com", "--model-changed") == "Made 5 vectors by hashing-v1.\n"
        assert MemoryAssociative.objects.filter(user=bob, embedding=None).count() == 5

    def test_it_fails_where_facts_are_left(self, alice: User) -> None:
        tell(alice)
        row = MemoryAssociative.objects.first()
        assert row is not None
        damage(row, "content_encrypted")
        with pytest.raises(CommandError, match=r"^1 fact could not be opened"):
            self.run()

    def test_it_fails_where_a_user_is_left_out(self, alice: User) -> None:
        tell(alice)
        User.objects.filter(id=alice.id).update(encryption_key="damaged")
        with pytest.raises(CommandError, match=r"^5 facts could not be opened"):
            self.run()

    @pytest.mark.parametrize("broken", [UNREACHABLE, KeyboardInterrupt()])
    def test_what_stops_it_is_said_and_that_it_can_go_on(
        self, alice: User, monkeypatch: pytest.MonkeyPatch, broken: BaseException
    ) -> None:
        async def stop(*_: object, **__: object) -> Filled:
            raise broken

        tell(alice)
        monkeypatch.setattr(backfill_embeddings, "backfill", stop)
        with pytest.raises(CommandError, match="Nothing is lost: run the command again, and it goes on"):
            self.run()

    @pytest.mark.parametrize("arguments", [("--user", "nobody@example.com"), ("--user", ""), ("--batch", "0")])
    def test_what_cannot_be_done_is_refused(self, db: None, arguments: tuple[str, ...]) -> None:
        with pytest.raises(CommandError):
            self.run(*arguments)


def test_the_embedder_of_commands_is_the_servers(settings: Settings) -> None:
    settings.OPENAI_API_KEY, settings.OPENAI_EMBEDDING_MODEL = "k", "embedding-1"
    assert models().embedder.name == "embedding-1"
