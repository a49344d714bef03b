"""``/api/v1/memory/`` through the real application: four tiers, each its owner's only."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import UUID, uuid4

import httpx
import pytest
from channels.db import database_sync_to_async
from django.db.models import F
from django.utils import timezone as clock
from pytest_django import Settings

from accounts.keys.vault import open_vault
from accounts.models import User
from memory.drawn import DrawnFact
from memory.embedders.hashing import hashed
from memory.exchange import Exchange
from memory.facts import About, list_facts, store_fact
from memory.index import Embedding
from memory.models import MemoryAssociative, MemoryCore, MemoryEpisodic, MemoryProactive
from memory.supersession import store_drawn
from memory.tiers import list_episodes, set_core
from tests.agents.embedding import RecordingEmbedder
from tests.chat.accounts import ALICE, BOB
from tests.chat.http import Tokens, rest, sign_in
from tests.chat.sockets import Server
from tests.conftest import PASSWORD
from tests.problems import own

MEMORY = "/api/v1/memory"
NOBODYS = "00000000-0000-4000-8000-000000000000"
pytestmark = pytest.mark.django_db(transaction=True)
_T = TypeVar("_T")


@pytest.fixture
async def tokens(transactional_db: None) -> Tokens:
    return await sign_in()


async def done(work: Callable[[], _T]) -> _T:
    """The result of ``work``, run where database access is allowed."""
    made: _T = await database_sync_to_async(work)()
    return made


def fact(user_id: UUID, content: str, embedder: str = "recording") -> UUID:
    vector = hashed(content)
    return store_fact(user_id, content, Embedding(vector=vector, model=embedder))


def episode(user_id: UUID, summary: str, *, session: str = "s1") -> UUID:
    row = MemoryEpisodic(user_id=user_id, session_id=session)
    vault = open_vault(user_id)
    row.summary_encrypted = vault.seal(row, "summary_encrypted", summary)
    row.exchange_encrypted = vault.seal(row, "exchange_encrypted", Exchange(message=summary, response="").as_text())
    row.save(force_insert=True)
    return row.id


def habit(user_id: UUID, pattern: str, *, confidence: float = 0.8) -> UUID:
    row = MemoryProactive(user_id=user_id, pattern_index=uuid4().hex, confidence=confidence, source="weekday")
    row.pattern_encrypted = open_vault(user_id).seal(row, "pattern_encrypted", pattern)
    row.save(force_insert=True)
    return row.id


@dataclass(frozen=True)
class Rows:
    """One row of each tier that has ids."""

    associative: UUID
    episodic: UUID
    proactive: UUID

    def items(self) -> list[tuple[str, UUID]]:
        return [("associative", self.associative), ("episodic", self.episodic), ("proactive", self.proactive)]


def remembered_of(user_id: UUID) -> Rows:
    set_core(user_id, "tea", "Assam")
    return Rows(
        associative=fact(user_id, "The shop closes at six."),
        episodic=episode(user_id, "When does the shop close?"),
        proactive=habit(user_id, "Asks for tasks on Mondays."),
    )


CHANGES: dict[str, tuple[str, str]] = {
    "associative": ("content", "The shop closes at seven."),
    "episodic": ("summary", "Asked when the shop closes."),
    "proactive": ("pattern", "Asks for tasks on Tuesdays."),
}


def missing(response: httpx.Response) -> bool:
    return (response.status_code, own(response)) == (404, {"code": "not_found", "message": "Not found."})


async def test_nothing_is_there_at_first(tokens: Tokens) -> None:
    async with rest(Server(), tokens.alice) as client:
        assert (await client.get(f"{MEMORY}/core")).json()["results"] == []
        for tier in CHANGES:
            assert (await client.get(f"{MEMORY}/{tier}")).json() == {"results": [], "items": [], "next": None}
        assert (await client.get(f"{MEMORY}/export")).json() == {
            "core": [], "associative": [], "episodic": [], "proactive": [],
        }  # fmt: skip


async def test_a_preference_is_kept_replaced_listed_and_forgotten(tokens: Tokens) -> None:
    async with rest(Server(), tokens.alice) as client:
        first = await client.put(f"{MEMORY}/core/tea", json={"value": "Assam"})
        second = await client.put(f"{MEMORY}/core/TEA", json={"value": " Darjeeling "})
        listed = (await client.get(f"{MEMORY}/core")).json()["results"]
        gone = await client.delete(f"{MEMORY}/core/tea")

        assert (first.status_code, first.json()["value"], first.json()["key"]) == (200, "Assam", "tea")
        assert listed == [second.json()]
        assert second.json() == {
            "id": first.json()["id"],
            "unreadable": False,
            "key": "TEA",
            "value": "Darjeeling",
            "updated_at": second.json()["updated_at"],
        }
        assert (gone.status_code, gone.content) == (204, b"")
        assert missing(await client.delete(f"{MEMORY}/core/tea"))
        assert (await client.get(f"{MEMORY}/core")).json()["results"] == []


@pytest.mark.parametrize("key", ["a/b", "/", "a?b#c", "100 %", "tè è 🙂", "..", "a//b/", "export", NOBODYS, "x" * 100])
async def test_a_key_may_be_any_printable_text(tokens: Tokens, key: str) -> None:
    address = f"{MEMORY}/core/{quote(key, safe='').replace('.', '%2E')}"
    async with rest(Server(), tokens.alice) as client:
        assert (await client.put(address, json={"value": "x"})).json()["key"] == key
        assert (await client.delete(address)).status_code == 204


@pytest.mark.parametrize(
    ("key", "body", "details"),
    [
        ("tea", {}, {"value": ["This field is required."]}),
        ("tea", {"value": " "}, {"value": ["This field may not be blank."]}),
        ("tea", {"value": "x" * 2001}, {"value": ["Ensure this field has no more than 2000 characters."]}),
        ("tea", {"value": "a\0b"}, {"value": ["Null characters are not allowed."]}),
        ("tea", {"value": "\ud83d"}, {"value": ["Surrogate characters are not allowed: U+D83D."]}),
        ("x" * 101, {"value": "x"}, {"_": ["The key is too long: 101 characters, of 100 at most."]}),
        (" ", {"value": "x"}, {"_": ["The key is empty."]}),
        ("a\tb", {"value": "x"}, {"_": ["The key has characters that cannot be printed."]}),
        ("a\0b", {"value": "x"}, {"_": ["The key has characters that cannot be printed."]}),
    ],
)
async def test_what_cannot_be_kept_is_refused(
    tokens: Tokens, key: str, body: dict[str, str], details: dict[str, list[str]]
) -> None:
    async with rest(Server(), tokens.alice) as client:
        response = await client.put(
            f"{MEMORY}/core/{quote(key, safe='')}",
            content=json.dumps(body),
            headers={"content-type": "application/json"},
        )
        assert (response.status_code, response.json()["details"]) == (400, details)
        assert (await client.get(f"{MEMORY}/core")).json()["results"] == []


async def test_one_preference_too_many_is_refused(tokens: Tokens, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.tiers.MAX_CORE_ROWS", 1)
    async with rest(Server(), tokens.alice) as client:
        await client.put(f"{MEMORY}/core/tea", json={"value": "Assam"})
        refused = await client.put(f"{MEMORY}/core/coffee", json={"value": "none"})
        assert (await client.put(f"{MEMORY}/core/tea", json={"value": "none"})).status_code == 200

    assert refused.status_code == 400
    assert refused.json()["details"] == {"_": ["There are 1 keys already: forget one first."]}


async def test_every_tier_is_listed_in_its_own_shape(tokens: Tokens) -> None:
    rows = await done(lambda: remembered_of(ALICE))
    async with rest(Server(), tokens.alice) as client:
        lists = {tier: (await client.get(f"{MEMORY}/{tier}")).json() for tier in CHANGES}

    assert all(page["next"] is None for page in lists.values())
    [associative], [episodic], [proactive] = (page["items"] for page in lists.values())
    assert {**associative, "created_at": "", "updated_at": ""} == {
        "id": str(rows.associative), "unreadable": False, "content": "The shop closes at six.", "entity_type": "",
        "about": None, "said_in": None, "superseded_by": None, "superseded_as": "", "superseded_at": None,
        "entity_id": "", "created_at": "", "updated_at": "",
    }  # fmt: skip
    assert {**episodic, "created_at": ""} == {
        "id": str(rows.episodic), "unreadable": False, "session_id": "s1", "created_at": "",
        "summary": "When does the shop close?",
    }  # fmt: skip
    assert {**proactive, "created_at": "", "updated_at": ""} == {
        "id": str(rows.proactive), "unreadable": False, "pattern": "Asks for tasks on Mondays.", "confidence": 0.8,
        "source": "weekday", "created_at": "", "updated_at": "",
    }  # fmt: skip


async def test_pages_are_stable_while_rows_are_added(tokens: Tokens) -> None:
    await done(lambda: [episode(ALICE, f"old {number}") for number in range(5)])
    seen: list[str] = []
    async with rest(Server(), tokens.alice) as client:
        after = ""
        while True:
            page = (await client.get(f"{MEMORY}/episodic?limit=2{after}")).json()
            seen += [row["summary"] for row in page["items"]]
            if page["next"] is None:
                break
            after = f"&after={page['next']}"
            await done(lambda: episode(ALICE, "new"))

    assert seen == [f"old {number}" for number in reversed(range(5))]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=x", "limit"),
        ("after=x", "after"),
        (f"after=1.{'x' * 32}", "after"),
        (f"after={'9' * 30}.{'0' * 32}", "after"),
        ("after=%00", "after"),
    ],
)
async def test_a_part_that_is_none_is_refused(tokens: Tokens, query: str, field: str) -> None:
    async with rest(Server(), tokens.alice) as client:
        for tier in CHANGES:
            response = await client.get(f"{MEMORY}/{tier}?{query}")
            assert (response.status_code, [*response.json()["details"]]) == (400, [field])


async def test_every_row_is_corrected_and_deleted(tokens: Tokens) -> None:
    rows = await done(lambda: remembered_of(ALICE))
    async with rest(Server(), tokens.alice) as client:
        for tier, row_id in rows.items():
            field, text = CHANGES[tier]
            changed = await client.patch(f"{MEMORY}/{tier}/{row_id}", json={field: text})
            [listed] = (await client.get(f"{MEMORY}/{tier}")).json()["items"]
            assert (changed.status_code, changed.json(), listed[field]) == (200, listed, text)

            assert (await client.delete(f"{MEMORY}/{tier}/{row_id}")).status_code == 204
            assert missing(await client.delete(f"{MEMORY}/{tier}/{row_id}"))
            assert missing(await client.patch(f"{MEMORY}/{tier}/{row_id}", json={field: text}))
            assert (await client.get(f"{MEMORY}/{tier}")).json()["items"] == []


async def test_a_habits_confidence_is_changed_alone_and_within_bounds(tokens: Tokens) -> None:
    row_id = await done(lambda: habit(ALICE, "Asks for tasks."))
    async with rest(Server(), tokens.alice) as client:
        changed = await client.patch(f"{MEMORY}/proactive/{row_id}", json={"confidence": 0})
        assert (changed.json()["confidence"], changed.json()["pattern"]) == (0.0, "Asks for tasks.")
        assert (await client.patch(f"{MEMORY}/proactive/{row_id}", json={})).status_code == 200
        for wrong in (1.1, -0.1, "x", None):
            refused = await client.patch(f"{MEMORY}/proactive/{row_id}", json={"confidence": wrong})
            assert (refused.status_code, [*refused.json()["details"]]) == (400, ["confidence"])


async def test_a_corrected_fact_gets_a_new_vector(tokens: Tokens) -> None:
    row_id = await done(lambda: fact(ALICE, "The shop closes at six."))
    before = await done(lambda: MemoryAssociative.objects.get(id=row_id).embedding)
    server = Server()
    async with rest(server, tokens.alice) as client:
        await client.patch(f"{MEMORY}/associative/{row_id}", json={"content": "It is open all night."})

    row = await done(lambda: MemoryAssociative.objects.get(id=row_id))
    assert embedder_of(server).texts == ["It is open all night."]
    assert (row.embedding != before, row.embedding_model) == (True, "recording")


async def test_a_fact_is_corrected_though_no_vector_can_be_made(tokens: Tokens) -> None:
    row_id = await done(lambda: fact(ALICE, "The shop closes at six."))
    server = Server()
    embedder_of(server).broken = True
    async with rest(server, tokens.alice) as client:
        changed = await client.patch(f"{MEMORY}/associative/{row_id}", json={"content": "It is open all night."})

    row = await done(lambda: MemoryAssociative.objects.get(id=row_id))
    assert (changed.status_code, changed.json()["content"]) == (200, "It is open all night.")
    assert (row.embedding, row.embedding_model) == (None, "")


async def test_anothers_rows_read_like_rows_that_never_were(tokens: Tokens) -> None:
    rows = await done(lambda: remembered_of(BOB))
    async with rest(Server(), tokens.alice) as client:
        assert (await client.get(f"{MEMORY}/core")).json()["results"] == []
        assert missing(await client.delete(f"{MEMORY}/core/tea"))
        for tier, row_id in rows.items():
            field, text = CHANGES[tier]
            assert (await client.get(f"{MEMORY}/{tier}")).json()["items"] == []
            for each in (row_id, NOBODYS):
                assert missing(await client.patch(f"{MEMORY}/{tier}/{each}", json={field: text}))
                assert missing(await client.delete(f"{MEMORY}/{tier}/{each}"))
        core_id = await done(lambda: MemoryCore.objects.get().id)
        assert missing(await client.delete(f"{MEMORY}/core/{core_id}"))
        assert (await client.post(f"{MEMORY}/search", json={"query": "When does the shop close?"})).json() == {
            "next": None,
            "results": [],
            "items": [],
        }
        assert "shop" not in (await client.get(f"{MEMORY}/export")).text
    async with rest(Server(), tokens.bob) as client:
        assert [row["value"] for row in (await client.get(f"{MEMORY}/core")).json()["results"]] == ["Assam"]
        assert len((await client.get(f"{MEMORY}/associative")).json()["items"]) == 1


class MeaningEmbedder(RecordingEmbedder):
    """An embedder in which related words have similar vectors."""

    async def embed(self, texts: Any, *, query: bool = False) -> Any:
        await super().embed(texts, query=query)
        return [hashed(text) for text in texts]


def meaning_server(**options: Any) -> Server:
    server = Server(**options)
    server.run_with(embedder=MeaningEmbedder())
    return server


async def test_a_search_finds_the_nearest_first(tokens: Tokens) -> None:
    await done(
        lambda: [fact(ALICE, "The tea shop closes at six."), fact(ALICE, "The tea shop closes at six on Fridays.")]
    )
    await done(
        lambda: store_fact(
            ALICE,
            "The roof leaks.",
            Embedding(vector=hashed("The roof leaks."), model="recording"),
            about=About(entity_type="task", entity_id="t1"),
        )
    )
    async with rest(meaning_server(), tokens.alice) as client:
        found = (await client.post(f"{MEMORY}/search", json={"query": "The roof leaks", "limit": 1})).json()["items"]
        both = (await client.post(f"{MEMORY}/search", json={"query": "tea shop closes"})).json()["items"]

    [leak] = found
    assert {**leak, "updated_at": "", "id": ""} == {
        "id": "", "content": "The roof leaks.", "score": pytest.approx(1, abs=1e-3), "entity_type": "task",
        "entity_id": "t1", "updated_at": "", "outdated_at": None,
    }  # fmt: skip
    assert [row["content"].startswith("The tea shop") for row in both] == [True, True]
    assert both[0]["score"] >= both[1]["score"]


async def test_searches_count_as_requests_and_work_without_an_embedder(tokens: Tokens) -> None:
    await done(lambda: remembered_of(ALICE))
    server = Server(per_minute=2)
    async with rest(server, tokens.alice) as client:
        embedder_of(server).broken = True
        found = await client.post(f"{MEMORY}/search", json={"query": "shop close"})
        embedder_of(server).broken = False
        none = await client.post(f"{MEMORY}/search", json={"query": "roof"})
        refused = await client.post(f"{MEMORY}/search", json={"query": "roof"})

    assert (found.status_code, [row["score"] for row in found.json()["results"]]) == (200, [1.0])
    assert (none.status_code, none.json()) == (200, {"next": None, "results": [], "items": []})
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert "retry-after" in refused.headers


@pytest.mark.parametrize("body", [{}, {"query": " "}, {"query": "x" * 2001}, {"query": "x", "limit": 51}, []])
async def test_a_search_for_nothing_is_refused(tokens: Tokens, body: object) -> None:
    async with rest(Server(), tokens.alice) as client:
        assert (await client.post(f"{MEMORY}/search", json=body)).status_code == 400


async def test_the_export_holds_every_row_of_the_lists(tokens: Tokens) -> None:
    await done(lambda: remembered_of(ALICE))
    await done(lambda: [episode(ALICE, f"message {number}") for number in range(205)])
    async with rest(Server(), tokens.alice) as client:
        response = await client.get(f"{MEMORY}/export")
        exported = response.json()
        lists = {tier: (await client.get(f"{MEMORY}/{tier}?limit=100")).json()["items"] for tier in CHANGES}
        core = (await client.get(f"{MEMORY}/core")).json()["results"]

    assert response.headers["content-disposition"] == 'attachment; filename="adiuva-memory.json"'
    assert response.headers["cache-control"] == "no-store"
    assert [*exported] == ["core", "associative", "episodic", "proactive"]
    assert (exported["core"], exported["associative"]) == (core, lists["associative"])
    assert exported["proactive"] == lists["proactive"]
    assert (len(exported["episodic"]), exported["episodic"][:100]) == (206, lists["episodic"])


async def test_a_span_of_time_with_a_mistyped_bound_is_not_deleted(tokens: Tokens) -> None:
    await done(lambda: remembered_of(ALICE))
    async with rest(Server(), tokens.alice) as client:
        refused = await client.delete(f"{MEMORY}/episodic?since=2000-01-01&untill=2000-02-01")
        assert len((await client.get(f"{MEMORY}/episodic")).json()["results"]) == 1
        deleted = await client.delete(f"{MEMORY}/episodic?since=2000-01-01")

    assert (refused.status_code, [*refused.json()["details"]]) == (400, ["untill"])
    assert (deleted.status_code, deleted.json()) == (200, {"forgotten": 1})


async def test_everything_is_wiped_with_the_password(tokens: Tokens) -> None:
    await done(lambda: (remembered_of(ALICE), remembered_of(BOB)))
    await done(_give_passwords)
    token = await done(lambda: _token(ALICE))
    async with rest(Server(), token) as client:
        wrong = await client.request("DELETE", MEMORY, json={"password": "guess"})
        assert (wrong.status_code, wrong.json()["code"]) == (403, "wrong_password")
        assert (await client.request("DELETE", MEMORY, json={})).status_code == 400
        assert len((await client.get(f"{MEMORY}/core")).json()["results"]) == 1

        assert (await client.request("DELETE", MEMORY, json={"password": PASSWORD})).status_code == 204
    tiers = (MemoryCore, MemoryAssociative, MemoryEpisodic, MemoryProactive)
    assert await done(lambda: [tier.objects.for_user(ALICE).count() for tier in tiers]) == [0, 0, 0, 0]
    assert await done(lambda: [tier.objects.for_user(BOB).count() for tier in tiers]) == [1, 1, 1, 1]


def _give_passwords() -> None:
    user = User.objects.get(id=ALICE)
    user.set_password(PASSWORD)
    user.save(update_fields=["password"])


def _token(user_id: UUID) -> str:
    # Not at the top: the name would hide the fixture.
    from accounts.auth.tokens import issue_tokens

    return issue_tokens(User.objects.get(id=user_id)).access


def _damage(user_id: UUID) -> None:
    """A row in each tier gets the ciphertext of another place."""
    stranger = "v1:" + "A" * 120
    MemoryCore.objects.for_user(user_id).update(value_encrypted=F("key_encrypted"))
    MemoryAssociative.objects.for_user(user_id).update(content_encrypted=stranger)
    MemoryEpisodic.objects.for_user(user_id).update(summary_encrypted=F("exchange_encrypted"))
    MemoryProactive.objects.for_user(user_id).update(pattern_encrypted="")


async def test_a_preference_deleted_by_its_id_goes_with_what_says_it(tokens: Tokens) -> None:
    async with rest(Server(), tokens.alice) as client:
        preference = (await client.put(f"{MEMORY}/core/favourite tea", json={"value": "Assam"})).json()
        await done(lambda: episode(ALICE, "Remember that Assam is my favourite tea."))
        assert (await client.delete(f"{MEMORY}/core/{preference['id']}")).status_code == 204
        assert missing(await client.delete(f"{MEMORY}/core/{preference['id']}"))
        assert (await client.get(f"{MEMORY}/episodic")).json()["items"] == []


async def test_a_preference_that_cannot_be_opened_is_not_overwritten(tokens: Tokens) -> None:
    await done(lambda: remembered_of(ALICE))
    await done(lambda: _damage(ALICE))
    async with rest(Server(), tokens.alice) as client:
        refused = await client.put(f"{MEMORY}/core/tea", json={"value": "green"})
        assert (refused.status_code, refused.json()["code"]) == (409, "unreadable")
        assert (await client.delete(f"{MEMORY}/core/tea")).status_code == 204
        assert (await client.put(f"{MEMORY}/core/tea", json={"value": "green"})).status_code == 200


async def test_a_row_that_cannot_be_opened_is_listed_not_changed_and_deleted(tokens: Tokens) -> None:
    rows = await done(lambda: remembered_of(ALICE))
    await done(lambda: _damage(ALICE))
    await done(lambda: fact(ALICE, "Something else."))
    async with rest(Server(), tokens.alice) as client:
        [core] = (await client.get(f"{MEMORY}/core")).json()["results"]
        assert (core["unreadable"], core["key"], core["value"]) == (True, "", "")
        facts = (await client.get(f"{MEMORY}/associative")).json()["items"]
        assert [(row["content"], row["unreadable"]) for row in facts] == [("Something else.", False), ("", True)]
        for tier, row_id in rows.items():
            field, text = CHANGES[tier]
            row = next(
                row for row in (await client.get(f"{MEMORY}/{tier}")).json()["items"] if row["id"] == str(row_id)
            )
            assert (row["unreadable"], row[field]) == (True, "")
            refused = await client.patch(f"{MEMORY}/{tier}/{row_id}", json={field: text})
            assert (refused.status_code, refused.json()["code"]) == (409, "unreadable")
            assert (await client.delete(f"{MEMORY}/{tier}/{row_id}")).status_code == 204
        exported = (await client.get(f"{MEMORY}/export")).json()
        assert [row["unreadable"] for row in exported["core"]] == [True]
        assert (await client.delete(f"{MEMORY}/core/{core['id']}")).status_code == 204
        assert (await client.get(f"{MEMORY}/core")).json()["results"] == []


async def test_a_master_key_that_is_missing_overwrites_nothing(tokens: Tokens, settings: Settings) -> None:
    # Not at the top: used only here, and must not be taken for one of the installation's.
    from cryptography.fernet import Fernet

    rows = await done(lambda: remembered_of(ALICE))
    before = await done(
        lambda: [MemoryCore.objects.get().value_encrypted, MemoryEpisodic.objects.get().summary_encrypted]
    )
    kept, settings.MASTER_KEYS = settings.MASTER_KEYS, Fernet.generate_key().decode()
    async with rest(Server(), tokens.alice) as client:
        answers = [
            await client.get(f"{MEMORY}/core"),
            await client.get(f"{MEMORY}/episodic"),
            await client.get(f"{MEMORY}/export"),
            await client.put(f"{MEMORY}/core/tea", json={"value": "none"}),
            await client.patch(f"{MEMORY}/episodic/{rows.episodic}", json={"summary": "x"}),
            await client.post(f"{MEMORY}/search", json={"query": "tea"}),
        ]
        assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(503, "key_unavailable")] * 6
        assert (await client.delete(f"{MEMORY}/associative/{rows.associative}")).status_code == 204
    settings.MASTER_KEYS = kept
    after = await done(
        lambda: [MemoryCore.objects.get().value_encrypted, MemoryEpisodic.objects.get().summary_encrypted]
    )
    assert after == before


async def test_what_is_there_can_be_read_and_deleted_while_memory_is_off(tokens: Tokens) -> None:
    rows = await done(lambda: remembered_of(ALICE))
    async with rest(Server(), tokens.alice) as client:
        assert (await client.patch("/api/v1/auth/me", json={"memory_enabled": False})).json()["memory_enabled"] is False
        assert [row["value"] for row in (await client.get(f"{MEMORY}/core")).json()["results"]] == ["Assam"]
        for tier, row_id in rows.items():
            assert (await client.delete(f"{MEMORY}/{tier}/{row_id}")).status_code == 204


async def test_facts_are_listed_with_their_source_and_restored(tokens: Tokens) -> None:
    def remember() -> tuple[UUID, UUID]:
        said_in = [episode(ALICE, text) for text in ("I live in Rome.", "I moved to Milan.")]
        for number, row_id in enumerate(said_in):
            at = clock.now() - timedelta(days=2 - number)
            MemoryEpisodic.objects.filter(id=row_id).update(created_at=at)
            statement = ("I live in Rome", "I moved to Milan")[number]
            drawn = DrawnFact(statement=statement, evidence=statement, slot="home", value=statement[-5:].strip())
            assert store_drawn(ALICE, row_id, [(drawn, None)], is_all=True)
        return said_in[0], said_in[1]

    rome, milan = await done(remember)
    async with rest(Server(), tokens.alice) as client:
        facts = f"{MEMORY}/associative"
        [current] = (await client.get(facts, params={"superseded": "false", "kind": "fact"})).json()["items"]
        [older] = (await client.get(facts, params={"superseded": "true"})).json()["items"]
        assert (current["content"], current["said_in"]) == ("I moved to Milan", str(milan))
        assert (older["content"], older["said_in"], older["superseded_by"]) == (
            "I live in Rome",
            str(rome),
            current["id"],
        )
        assert older["superseded_at"] is not None
        assert (await client.get(facts, params={"kind": "episode"})).json()["items"] == []
        assert (await client.get(facts, params={"kind": "rumour"})).status_code == 400

        async with rest(Server(), tokens.bob) as other:
            assert (await other.post(f"{facts}/{older['id']}/restore")).status_code == 404
        restored = await client.post(f"{facts}/{older['id']}/restore")
        assert (restored.status_code, restored.json()["superseded_by"]) == (200, None)
        assert len((await client.get(facts, params={"superseded": "false"})).json()["items"]) == 2


@pytest.mark.parametrize("address", ["core", "associative", "episodic", "proactive", "export", "search", "core/tea"])
async def test_the_memory_is_for_those_who_are_signed_in(tokens: Tokens, address: str) -> None:
    async with rest(Server(), None) as anonymous:
        assert (await anonymous.get(f"{MEMORY}/{address}")).status_code == 401


def embedder_of(server: Server) -> RecordingEmbedder:
    embedder = server.services.turns.run.embedder
    assert isinstance(embedder, RecordingEmbedder)
    return embedder


async def test_lists_take_as_many_queries_for_many_rows_as_for_one(
    tokens: Tokens, django_assert_num_queries: Callable[[int], Any]
) -> None:
    def listed(expected: int) -> None:
        for lister in (list_facts, list_episodes):
            with django_assert_num_queries(2):
                assert len(lister(ALICE, after=None, limit=50).items) == expected

    await done(lambda: (fact(ALICE, "one"), episode(ALICE, "one")))
    await done(lambda: listed(1))
    await done(lambda: [(fact(ALICE, text), episode(ALICE, text)) for text in ("second thing", "third matter")])
    await done(lambda: listed(3))
