"""Vectors of notes that the server makes for the device."""

import json
from datetime import date
from zoneinfo import ZoneInfo

import pytest

from device.addresses import server_address
from device.embedding import embed_notes
from device.errors import ConnectionFailed
from device.examples import fill_with_examples
from device.store import Store
from device.tables import TableName
from device.vectors import Vectors
from tests.device.scripted_server import ScriptedServer, scripted_server

PATH = "POST storage/vectors/embed"


def answering(server: ScriptedServer, *vectors: list[float] | None) -> None:
    server.rest[PATH] = (200, json.dumps({"vectors": vectors, "model": "hashing-v1"}))


async def embedded(server: ScriptedServer, store: Store) -> None:
    await embed_notes(server_address(server.url), "token", store)


def ids(store: Store, *nearest_to: float) -> list[str]:
    return [hit.id for hit in Vectors(store).nearest(nearest_to)]


async def test_notes_without_a_vector_get_one_and_those_never_shared_none(store: Store) -> None:
    first, hidden, last = (
        store.insert(TableName.NOTES, {"title": title, "content": title, "projectId": project})["id"]
        for title, project in (("Bread", "p1"), ("Salary", "p2"), ("Roses", None))
    )
    async with scripted_server() as server:
        answering(server, [1.0, 0.0], None, [0.0, 1.0])
        await embedded(server, store)
        answering(server, None)
        await embedded(server, store)

    assert ids(store, 1.0, 0.1) == [first, last]
    assert [hit.id for hit in Vectors(store).nearest([1.0, 0.0], project_id="p1")] == [first]
    (_, token, whole), (_, _, again) = server.asked
    assert token == "Bearer token"
    assert whole["texts"][0] == {"text": "Bread", "of": {"table": "notes", "id": first, "project_id": "p1"}}
    assert whole["device_id"] == store.device_id
    assert [each["of"]["id"] for each in again["texts"]] == [hidden]


async def test_many_notes_take_several_requests(store: Store) -> None:
    for number in range(40):
        store.insert(TableName.NOTES, {"title": str(number), "content": "x"})
    async with scripted_server() as server:
        answering(server, *[[1.0]] * 32)
        with pytest.raises(ConnectionFailed, match="cannot be read"):
            await embedded(server, store)

    assert [len(body["texts"]) for _, _, body in server.asked] == [32, 8]
    assert len(Vectors(store).nearest([1.0], limit=40)) == 32


async def test_a_device_without_notes_asks_for_nothing(store: Store) -> None:
    async with scripted_server() as server:
        await embedded(server, store)
    assert server.asked == []


async def test_the_examples_fit_into_one_request(store: Store) -> None:
    fill_with_examples(store, today=date(2026, 11, 24), zone=ZoneInfo("UTC"))
    count = len(store.select(TableName.NOTES, {}))
    async with scripted_server() as server:
        answering(server, *[[1.0]] * count)
        await embedded(server, store)
    assert len(server.asked) == 1
    assert len(Vectors(store).nearest([1.0], limit=40)) == count
