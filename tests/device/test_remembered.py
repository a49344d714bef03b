"""``/why``, ``/forget`` and ``/correct``: what was remembered for the last answer."""

import json
from typing import Any, Final

import pytest

from device.store import Store
from tests.device.scripted_server import END, Peer, text_part
from tests.device.test_conversation import talking

ITEMS: Final[list[dict[str, Any]]] = [
    {"id": "c1", "kind": "preference", "text": "tea: Assam", "why": ["always"], "said_at": None, "said_in": None},
    {
        "id": "e1",
        "kind": "exchange",
        "text": "2026-03-29: The roof leaks. → Noted.",
        "why": ["words", "date", "of a later version"],
        "said_at": 1_774_771_200_000,
        "said_in": "e1",
    },
    {"id": "f1", "kind": "fact", "text": "Nina is the user's sister.", "why": [], "said_at": None, "said_in": "e2"},
]


async def _remembering(peer: Peer) -> None:
    await peer.greet()
    await peer.stream(await peer.receive("home_request"), ("remembered", {"items": ITEMS}), text_part("Yes."), END)
    await peer.answer(await peer.receive("home_request"), "No.")


async def test_why_shows_what_was_remembered_for_the_last_answer(store: Store) -> None:
    async with talking(store, _remembering) as talk:
        assert await talk.hold("/why", "Does the roof leak?", "/why", "And now?", "/why")

    assert "remembered" in talk.server.received[0]["capabilities"]
    assert [line.rstrip() for line in talk.out.splitlines()] == [
        "Nothing was remembered for the last answer.",
        "Yes.",
        "1  tea: Assam",
        "   told with every answer",
        "2  The roof leaks. → Noted.",
        "   said on 29 Mar 2026 10:00, because of the words, because of the date",
        "3  Nina is the user's sister.",
        "/forget N forgets one of them, /correct N TEXT corrects it.",
        "No.",
        "Nothing was remembered for the last answer.",
    ]


async def test_items_are_forgotten_and_corrected_by_their_numbers(store: Store) -> None:
    async with talking(store, _remembering) as talk:
        talk.server.rest |= {
            "GET memory/core": (200, json.dumps([{"id": "c0", "key": "pet"}, {"id": "c1", "key": "hot tea"}])),
            "PUT memory/core/hot%20tea": (200, "{}"),
            "PATCH memory/associative/f1": (200, "{}"),
        }
        assert await talk.hold("?", "/correct 1 Darjeeling", "/correct 3 Nina is a friend.", "/forget 2", "/why", "?")

    assert [(name, body) for name, _, body in talk.server.asked] == [
        ("GET memory/core", {}),
        ("PUT memory/core/hot%20tea", {"value": "Darjeeling"}),
        ("PATCH memory/associative/f1", {"content": "Nina is a friend."}),
        ("DELETE memory/episodic/e1", {}),  # it is forgotten already
    ]
    assert [line.rstrip() for line in talk.out.splitlines()][1:8] == [
        "Corrected: Darjeeling",
        "Corrected: Nina is a friend.",
        "Forgotten: 2026-03-29: The roof leaks. → Noted.",
        "1  Darjeeling",
        "   told with every answer",
        "2  (forgotten)",
        "3  Nina is a friend.",
    ]


@pytest.mark.parametrize(("number", "forgotten"), [(1, [1, 2]), (2, [1, 2]), (3, [3])])
async def test_exchange_and_what_was_found_of_it_are_forgotten_together(
    store: Store, number: int, forgotten: list[int]
) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        items = [ITEMS[1], {**ITEMS[2], "said_in": "e1"}, ITEMS[0]]
        await peer.stream(await peer.receive("home_request"), ("remembered", {"items": items}), END)

    async with talking(store, script) as talk:
        assert await talk.hold("?", f"/forget {number}", "/why")
    lines = [line.split("  ") for line in talk.out.splitlines()]
    assert [int(line[0]) for line in lines if line[1:] and line[1].strip() == "(forgotten)"] == forgotten


@pytest.mark.parametrize("line", ["/forget", "/forget 0", "/forget 4", "/forget ²", "/correct 1", "/correct x y"])
async def test_what_is_not_numbered_is_not_changed(store: Store, line: str) -> None:
    async with talking(store, _remembering) as talk:
        assert not await talk.hold("?", line, "?")
        assert talk.server.asked == []
    assert talk.err.startswith(f"Write {line.partition(' ')[0]} N")


async def test_what_the_server_refuses_to_change_stays(store: Store) -> None:
    async with talking(store, _remembering) as talk:
        talk.server.rest |= {
            "GET memory/core": (200, "[]"),
            "DELETE memory/core/c1": (503, '{"code": "key_unavailable", "message": "No key."}'),
        }
        assert not await talk.hold("?", "/correct 1 Darjeeling", "/forget 1", "/why", "?")
    assert talk.err.splitlines() == ["It is not remembered any more.", "No key."]
    assert "tea: Assam" in talk.out


async def test_item_of_a_later_version_is_shown_and_not_touched(store: Store) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        items = [{**ITEMS[0], "kind": "skill"}]
        await peer.stream(await peer.receive("home_request"), ("remembered", {"items": items}), END)

    async with talking(store, script) as talk:
        assert not await talk.hold("?", "/why", "/forget 1", "/correct 1 x")
        assert talk.server.asked == []
    assert "tea: Assam" in talk.out
    assert set(talk.err.splitlines()) == {"This terminal does not know what that is."}
