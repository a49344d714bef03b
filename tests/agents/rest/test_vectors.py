import json
from dataclasses import dataclass, field

import numpy as np
import pytest
from channels.db import database_sync_to_async
from pydantic import JsonValue

from accounts.models import User
from agents.calls import Table
from agents.permissions.sharing import Marks
from agents.requests import RequestKind
from memory.errors import EmbeddingFailed
from tests.accounts.device_rows import stored_device
from tests.agents.disclosing import KeptDisclosures, KeptMarks
from tests.agents.embedding import RecordingEmbedder, unit_vector
from tests.chat.accounts import ALICE
from tests.chat.http import Tokens, rest, sign_in
from tests.chat.sockets import Server
from tests.problems import own

EMBED = "/api/v1/storage/vectors/embed"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def tokens(transactional_db: None) -> Tokens:
    return await sign_in()


def embedder_of(server: Server) -> RecordingEmbedder:
    embedder = server.services.turns.run.embedder
    assert isinstance(embedder, RecordingEmbedder)
    return embedder


async def test_text_gets_vector_and_model_name(tokens: Tokens) -> None:
    server = Server()
    async with rest(server, tokens.alice) as client:
        response = await client.post(EMBED, json={"text": " Call the plumber è 🙂 "})

    text = "Call the plumber è 🙂"
    assert (response.status_code, set(response.json())) == (200, {"vector", "model"})
    assert response.json()["model"] == "recording"
    assert len(response.json()["vector"]) == 1536
    np.testing.assert_array_equal(np.asarray(response.json()["vector"], dtype=np.float32), unit_vector(text))
    assert embedder_of(server).texts == [text]


@pytest.mark.parametrize(
    ("body", "code", "details"),
    [
        ({}, "invalid", {"text": ["This field is required."]}),
        ({"text": ""}, "invalid", {"text": ["This field may not be blank."]}),
        ({"text": " \n"}, "invalid", {"text": ["This field may not be blank."]}),
        ({"text": None}, "invalid", {"text": ["This field may not be null."]}),
        ({"text": ["a"]}, "invalid", {"text": ["Not a valid string."]}),
        (
            {"text": "x" * 20_001},
            "invalid",
            {"text": ["Ensure this field has no more than 20000 characters."]},
        ),
        ([], "invalid", {"_": ["Invalid data. Expected a dictionary, but got list."]}),
        ({"text": "half a pair: \ud83d"}, "invalid", {"text": ["Surrogate characters are not allowed: U+D83D."]}),
    ],
)
async def test_invalid_text_is_refused(tokens: Tokens, body: object, code: str, details: dict[str, list[str]]) -> None:
    server = Server()
    async with rest(server, tokens.alice) as client:
        response = await client.post(EMBED, content=json.dumps(body), headers={"content-type": "application/json"})

    assert (response.status_code, response.json()["code"]) == (400, code)
    assert response.json()["details"] == details
    assert embedder_of(server).texts == []


async def test_longest_text_is_accepted_and_larger_body_is_refused(tokens: Tokens) -> None:
    async with rest(Server(), tokens.alice) as client:
        assert (await client.post(EMBED, json={"text": "x" * 20_000})).status_code == 200
        assert (await client.post(EMBED, json={"text": "x" * 300_000})).status_code == 413


@pytest.mark.parametrize("failure", [None, "The embedding server answered 500."])
async def test_failing_embedder_is_reported(
    tokens: Tokens, failure: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: object) -> list[object]:
        raise EmbeddingFailed(failure)

    server = Server()
    monkeypatch.setattr(embedder_of(server), "embed", fail)
    async with rest(server, tokens.alice) as client:
        response = await client.post(EMBED, json={"text": "a"})

    assert (response.status_code, own(response)) == (
        503,
        {"code": "model_unavailable", "message": failure or "No vector could be made of the text."},
    )


async def test_requests_are_rate_limited(tokens: Tokens) -> None:
    async with rest(Server(per_minute=1), tokens.alice) as client:
        assert (await client.post(EMBED, json={"text": "a"})).status_code == 200
        response = await client.post(EMBED, json={"text": "a"})

    assert (response.status_code, response.json()["code"], "retry-after" in response.headers) == (
        429,
        "rate_limited",
        True,
    )


async def test_vectors_require_authentication(tokens: Tokens) -> None:
    async with rest(Server(), None) as anonymous:
        assert (await anonymous.post(EMBED, json={"text": "a"})).status_code == 401


# Texts of rows: in batches, disclosed, withheld.


@dataclass
class EmbeddingHarness:
    """A server with the ledger and the marks of its users in memory."""

    ledger: KeptDisclosures = field(default_factory=KeptDisclosures)
    marks: KeptMarks = field(default_factory=KeptMarks)
    server: Server = field(default_factory=Server)

    def __post_init__(self) -> None:
        self.server.run_with(disclosures=self.ledger, marks=self.marks)

    @property
    def embedded(self) -> list[str]:
        return embedder_of(self.server).texts


def of(row_id: str, table: str = "notes", **more: JsonValue) -> dict[str, JsonValue]:
    return {"table": table, "id": row_id, **more}


async def test_batch_gets_vectors_in_order_as_one_request(tokens: Tokens) -> None:
    server = Server(per_minute=1)
    async with rest(server, tokens.alice) as client:
        response = await client.post(EMBED, json={"texts": [{"text": text} for text in ("a", "ccc", "bb")]})

    assert (response.status_code, response.json()["model"]) == (200, "recording")
    expected = [unit_vector(text).tolist() for text in ("a", "ccc", "bb")]
    assert response.json()["vectors"] == expected
    assert embedder_of(server).texts == ["a", "ccc", "bb"]


@pytest.mark.parametrize(
    ("body", "details"),
    [
        ({"texts": []}, {"texts": ["Ensure this field has at least 1 elements."]}),
        ({"texts": [{"text": "a"}] * 33}, {"texts": ["Ensure this field has no more than 32 elements."]}),
        ({"texts": [{"text": "a"}, {"text": ""}]}, {"texts.1.text": ["This field may not be blank."]}),
        ({"texts": ["a"]}, {"texts.0": ["Invalid data. Expected a dictionary, but got str."]}),
        ({"texts": [{"text": "a"}], "text": "a"}, {"texts": ["Give `text` or `texts`, not both."]}),
        ({"text": "a", "of": {"table": "notes"}}, {"of.id": ["This field is required."]}),
        ({"text": "a", "of": {"table": "users", "id": "1"}}, {"of.table": ['"users" is not a valid choice.']}),
    ],
)
async def test_invalid_batch_is_refused(tokens: Tokens, body: object, details: dict[str, list[str]]) -> None:
    harness = EmbeddingHarness()
    async with rest(harness.server, tokens.alice) as client:
        response = await client.post(EMBED, json=body)

    assert (response.status_code, response.json()["code"]) == (400, "invalid")
    assert {name: said for name, said in response.json()["details"].items() if said} == details
    assert (harness.embedded, harness.ledger.kept) == ([], [])


async def test_row_of_text_is_recorded_in_ledger(tokens: Tokens) -> None:
    harness = EmbeddingHarness()
    texts: list[JsonValue] = [
        {"text": "a", "of": of("n1")},
        {"text": "b", "of": of("n2")},
        {"text": "c", "of": of("t1", "tasks", project_id=None)},
        {"text": "d"},
    ]
    laptop = await database_sync_to_async(lambda: stored_device(User.objects.get(id=ALICE), "laptop").id)()
    async with rest(harness.server, tokens.alice) as client:
        assert (await client.post(EMBED, json={"texts": texts, "device_id": "laptop"})).status_code == 200

    [(occasion, sent)] = harness.ledger.kept
    assert (occasion.source, occasion.origin.user_id, occasion.origin.device_id) == (
        RequestKind.VECTORS,
        ALICE,
        str(laptop),
    )
    assert occasion.origin.request_id
    assert (sent.model, sent.rows) == (
        "recording",
        {Table.NOTES: frozenset({"n1", "n2"}), Table.TASKS: frozenset({"t1"})},
    )


async def test_text_that_cannot_be_recorded_is_not_embedded(tokens: Tokens) -> None:
    harness = EmbeddingHarness()
    harness.ledger.away = True
    async with rest(harness.server, tokens.alice) as client:
        response = await client.post(EMBED, json={"text": "a", "of": of("n1")})

    assert (response.status_code, response.json()["code"], harness.embedded) == (503, "model_unavailable", [])


@pytest.mark.parametrize(
    ("marks", "subject"),
    [
        (Marks(tables=frozenset({Table.NOTES})), of("n1", project_id=None)),
        (Marks(projects=frozenset({"p1"})), of("n1", project_id="p1")),
        (Marks(projects=frozenset({"p1"})), of("n1")),
        (Marks(projects=frozenset({"p1"})), of("p1", "projects")),
        (Marks(projects=frozenset({"p1"})), of("c1", "taskComments")),
    ],
    ids=["table", "project", "which is not said", "itself", "comment"],
)
async def test_hidden_row_gets_no_vector(tokens: Tokens, marks: Marks, subject: dict[str, JsonValue]) -> None:
    harness = EmbeddingHarness(marks=KeptMarks(held=marks))
    texts: list[JsonValue] = [{"text": "secret", "of": subject}, {"text": "mine"}]
    async with rest(harness.server, tokens.alice) as client:
        alone = await client.post(EMBED, json={"text": "secret", "of": subject})
        among = await client.post(EMBED, json={"texts": texts})

    assert (alone.status_code, own(alone)) == (
        403,
        {"code": "withheld", "message": "The user never shares this, so no vector was made of it."},
    )
    assert among.json()["vectors"] == [None, unit_vector("mine").tolist()]
    assert (harness.embedded, harness.ledger.kept) == (["mine"], [])


@pytest.mark.parametrize("subject", [of("n1", project_id="p2"), of("n1", project_id=None), of("p2", "projects")])
async def test_unmarked_row_gets_vector(tokens: Tokens, subject: dict[str, JsonValue]) -> None:
    marks = Marks(tables=frozenset({Table.TASKS}), projects=frozenset({"p1"}))
    harness = EmbeddingHarness(marks=KeptMarks(held=marks))
    async with rest(harness.server, tokens.alice) as client:
        assert (await client.post(EMBED, json={"text": "mine", "of": subject})).status_code == 200

    assert harness.embedded == ["mine"]


async def test_no_row_is_embedded_while_marks_are_unavailable(tokens: Tokens) -> None:
    harness = EmbeddingHarness()
    harness.marks.away = True
    async with rest(harness.server, tokens.alice) as client:
        of_row = await client.post(EMBED, json={"text": "a", "of": of("n1")})
        of_none = await client.post(EMBED, json={"text": "b"})

    assert (of_row.status_code, of_row.json()["code"], of_none.status_code) == (503, "model_unavailable", 200)
    assert harness.embedded == ["b"]
