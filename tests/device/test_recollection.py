"""``/memory`` in the terminal: what it shows, what it requests, and its errors."""

import json
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from device.addresses import server_address
from device.errors import ConnectionFailed, RequestRejected, Unauthorized
from device.memories import Memories, Memory, Tier, forget, read_memories, switch
from device.recollection import Recollection
from tests.device.drawing import drawn
from tests.device.scripted_server import ScriptedServer, scripted_server

NONE = Tier(memories=())
ROME = ZoneInfo("Europe/Rome")
MORNING, MORNING_MS = "2026-03-29T08:00:00Z", 1_774_771_200_000
EMPTY = json.dumps({"items": [], "next": None})
PATHS = {
    "associative": "associative?kind=fact&limit=15",
    "episodic": "episodic?limit=15",
    "proactive": "proactive?limit=15",
}


def remember(server: ScriptedServer, **tiers: Any) -> None:
    """Make the server answer with these tiers; the others are empty."""
    server.rest |= {
        "GET auth/me": (200, json.dumps({"memory_enabled": True})),
        "GET memory/core": (200, "[]"),
        **{f"GET memory/{path}": (200, EMPTY) for path in PATHS.values()},
    }
    for tier, answer in tiers.items():
        server.rest[f"GET memory/{PATHS.get(tier, tier)}"] = (200, json.dumps(answer))


async def test_all_tiers_are_read_with_the_token() -> None:
    async with scripted_server() as server:
        remember(
            server,
            core=[
                {"id": "1", "key": "tea", "value": "Assam", "updated_at": MORNING, "unreadable": False},
                {"id": "5", "key": "", "value": "", "updated_at": MORNING, "unreadable": True},
            ],
            associative={
                "items": [
                    {"id": "2", "content": "The roof leaks.", "created_at": MORNING, "superseded_by": None},
                    {"id": "6", "content": "The roof is new.", "created_at": MORNING, "superseded_by": "2"},
                ],
                "next": "more",
            },
            episodic={"items": [{"id": "3", "summary": "", "created_at": MORNING, "unreadable": True}], "next": None},
            proactive={"items": [{"id": "4", "pattern": "Asks on Mondays.", "confidence": 0.75}], "next": None},
        )
        read = await read_memories(server_address(server.url), "t")

    assert read == Memories(
        enabled=True,
        preferences=Tier(memories=(Memory(text="Assam", name="tea"), Memory(text=None, name="5"))),
        facts=Tier(
            memories=(
                Memory(text="The roof leaks.", at=MORNING_MS),
                Memory(text="The roof is new.", at=MORNING_MS, is_past=True),
            ),
            more=True,
        ),
        episodes=Tier(memories=(Memory(text=None, at=MORNING_MS),)),
        habits=Tier(memories=(Memory(text="Asks on Mondays.", confidence=0.75),)),
    )
    assert {token for _, token, _ in server.asked} == {"Bearer t"}


@pytest.mark.parametrize("answer", ["null", "[]", "{}", '{"items": 1}', '{"items": [1, {}]}', '"x"'])
async def test_answers_of_another_shape_show_nothing(answer: str) -> None:
    async with scripted_server() as server:
        remember(server)
        server.rest["GET memory/core"] = server.rest["GET memory/episodic?limit=15"] = (200, answer)
        read = await read_memories(server_address(server.url), "t")

    assert all(memory.text is None for memory in (*read.preferences.memories, *read.episodes.memories))


@pytest.mark.parametrize(("name", "gone"), [("..", "c1"), ("tea/coffee ?", "c2"), ("c3", "c3")])
async def test_a_preference_is_forgotten_by_its_id(name: str, gone: str) -> None:
    rows = [{"id": "c1", "key": ".."}, {"id": "c2", "key": "tea/coffee ?"}, {"id": "c3", "key": "", "unreadable": True}]
    async with scripted_server() as server:
        server.rest["GET memory/core"] = (200, json.dumps({"results": rows, "next": None}))
        server.rest[f"DELETE memory/core/{gone}"] = (204, "")
        assert await forget(server_address(server.url), "t", name) is True

    assert [asked for asked, *_ in server.asked] == ["GET memory/core", f"DELETE memory/core/{gone}"]


async def test_a_preference_may_be_unknown_or_forgotten_meanwhile() -> None:
    async with scripted_server() as server:
        server.rest["GET memory/core"] = (200, '[{"id": "c1", "key": "tea"}]')
        address = server_address(server.url)
        assert await forget(address, "t", "coffee") is False
        assert await forget(address, "t", "tea") is False

    assert [asked for asked, *_ in server.asked] == ["GET memory/core", "GET memory/core", "DELETE memory/core/c1"]


async def test_memory_is_turned_off() -> None:
    async with scripted_server() as server:
        server.rest["PATCH auth/me"] = (200, "{}")
        await switch(server_address(server.url), "t", enabled=False)

    assert server.asked == [("PATCH auth/me", "Bearer t", {"memory_enabled": False})]


@pytest.mark.parametrize(
    ("answer", "error", "sentence"),
    [
        (
            (401, '{"code": "token_expired", "message": "The token has expired."}'),
            Unauthorized,
            "The token has expired.",
        ),
        ((503, '{"code": "key_unavailable", "message": "No key."}'), RequestRejected, "No key."),
        ((500, "[]"), RequestRejected, "The server answered 500."),
        ((502, "<html>"), ConnectionFailed, "did not answer in JSON."),
    ],
)
async def test_what_the_server_refuses_is_reported(
    answer: tuple[int, str], error: type[Exception], sentence: str
) -> None:
    async with scripted_server() as server:
        server.rest["GET memory/core"] = (200, '[{"id": "c1", "key": "tea"}]')
        server.rest["DELETE memory/core/c1"] = answer
        with pytest.raises(error) as refused:
            await forget(server_address(server.url), "t", "tea")
    assert str(refused.value).endswith(sentence)


async def test_a_server_that_is_gone_is_reported() -> None:
    async with scripted_server() as server:
        address = server_address(server.url)
    with pytest.raises(ConnectionFailed, match="No server answers"):
        await switch(address, "t", enabled=True)


def test_nothing_remembered_is_said() -> None:
    nothing = Memories(enabled=True, preferences=NONE, facts=NONE, episodes=NONE, habits=NONE)
    assert drawn(Recollection(memories=nothing, zone=ROME), width=100) == [
        "Memory is on. /memory forget KEY forgets a preference, /memory off turns it off.",
        "Nothing is remembered yet.",
    ]


def test_every_tier_is_drawn_as_a_person_would_read_it() -> None:
    asked = Memory(text="Asked about\n  the roof.", at=MORNING_MS)
    past = Memory(text="The roof is new.", at=MORNING_MS, is_past=True)
    memories = Memories(
        enabled=False,
        preferences=Tier(memories=(Memory(text="Assam\x1b[2J", name="tea"), Memory(text="a", name="k" * 40))),
        facts=Tier(memories=(Memory(text="The roof leaks.", at=MORNING_MS), past), more=True),
        episodes=Tier(memories=(asked, Memory(text=None, at=MORNING_MS))),
        habits=Tier(memories=(Memory(text="Asks on Mondays.", confidence=0.75),)),
    )
    assert drawn(Recollection(memories=memories, zone=ROME), width=100) == [
        "Memory is off: nothing is remembered, and this is not used. /memory on turns it on.",
        "Preferences",
        "  tea                               Assam[2J",
        f"  {'k' * 32}  a",
        f"  {'k' * 8}",
        "Facts",
        "  29 Mar 2026 10:00  The roof leaks.",
        "  29 Mar 2026 10:00  The roof is new. (replaced since)",
        "  … and more",
        "Conversations",
        "  29 Mar 2026 10:00  Asked about the roof.",
        "  29 Mar 2026 10:00  (the server cannot read it)",
        "Habits",
        "  75%  Asks on Mondays.",
    ]
