"""Quotas where turns begin: over a socket, over REST, on one process and on two."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

import pytest
from channels.db import database_sync_to_async

from agents.allowances import Quota, day_of
from agents.allowances import Usage as Used
from agents.events import TextDelta, Usage
from agents.permissions.models import UserQuota
from agents.permissions.quotas import CountedElsewhere, OverrideCache, QuotaService
from agents.telemetry.models import TurnRecord
from agents.telemetry.recorder import TurnRecorder, save_turns
from agents.telemetry.turns import ObservedAdapter, Observers
from tests.agents.scripts import Reply, ScriptedAdapter, says
from tests.chat.accounts import ALICE
from tests.chat.cluster.backends import MemoryBackend
from tests.chat.cluster.pairs import SlowAdapter, pair
from tests.chat.http import CHAT, EVENTS, Tokens, rest, sign_in
from tests.chat.sockets import NOW, WAIT_S, Server
from tests.chat.test_consumer import home, text_of
from tests.problems import own

MIDNIGHT: Final = day_of(NOW) + timedelta(days=1)
QUESTION: Final = {"message": "Which tasks are due?"}
TOKENS: Final[Reply] = [TextDelta(text="Nothing."), Usage(input_tokens=90, output_tokens=10)]


@pytest.fixture(autouse=True)
def _patient_quotas(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn starts without the usage lookup only when the database is away, not when the machine is busy."""
    monkeypatch.setattr("agents.permissions.quotas._LOOKUP_S", WAIT_S)


def limited(service: QuotaService, *replies: Reply, recorder: TurnRecorder | None = None) -> Server:
    observers = Observers() if recorder is None else Observers(listeners=(recorder,))
    return Server(list(replies), quotas=service, observers=observers)


@dataclass
class Spent:
    """A ``UsageLookup`` with the same usage for all users. Can be held up."""

    used: Used = field(default_factory=Used)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    held: bool = False

    async def __call__(self, user_id: UUID, *, since: object, elsewhere: CountedElsewhere) -> Used:
        self.asked.set()
        if self.held:
            await self.go_on.wait()
        return self.used


def service(quota: Quota, spent: Spent | None = None) -> QuotaService:
    return QuotaService(installation=quota, written=spent or Spent(), now=lambda: NOW)


async def test_what_is_used_up_is_an_error_that_says_when_there_is_more() -> None:
    server = limited(service(Quota(turns=3), Spent(Used(turns=3))), says("never"))
    async with server.device() as device:
        asked = home()
        await device.send(asked)
        assert await device.receive() == {
            "type": "error",
            "code": "quota_exceeded",
            "message": "The 3 requests of the day are used up. There will be new ones at 2026-03-30T00:00:00Z.",
            "request_id": asked["request_id"],
            "retryable": False,
            "details": [
                {"field": "renews_at", "problem": "2026-03-30T00:00:00Z"},
                {"field": "turns", "problem": "3 of 3"},
            ],
        }
        assert await device.silent()
    assert (server.adapter.requests, server.services.supervisor.running()) == ([], [])


@pytest.mark.parametrize(
    "request_frame",
    [
        {"type": "popup_request", "message": "Tasks?", "scope": {"type": "tasks"}},
        {"type": "brief_request"},
        {"type": "task_brief_request", "task_id": "t1"},
        {"type": "chat_request", "message": "Tasks?"},
        {
            "type": "contextual_request",
            "session_id": "s1",
            "message": "Tasks?",
            "scope": {"page": "tasks", "entityType": None},
        },
    ],
)
async def test_every_kind_of_request_is_refused(request_frame: dict[str, object]) -> None:
    server = limited(service(Quota(tokens=100), Spent(Used(tokens=100))))
    async with server.device() as device:
        await device.send(request_frame)  # type: ignore[arg-type]
        refusal = await device.receive()
    assert (refusal["type"], refusal["code"]) == ("error", "quota_exceeded")


async def test_of_what_is_asked_at_once_only_so_much_begins_on_any_device() -> None:
    adapter = SlowAdapter([])
    server = Server(model=adapter, quotas=service(Quota(turns=5), Spent(Used(turns=1))))
    async with server.device() as laptop, server.device("phone") as phone:
        asked = [home("Which tasks do I have?") for _ in range(8)]
        for request in asked:
            await laptop.send(request)
        refused = [(await laptop.until("error"))[-1]["request_id"] for _ in range(4)]
        assert refused == [request["request_id"] for request in asked[4:]]
        await phone.send(home())
        assert (await phone.receive())["code"] == "quota_exceeded"
        # An answer without a word is asked for again.
        adapter.say(*[None] * 30)
        await server.services.supervisor.drain(WAIT_S)


async def test_repeating_resuming_and_cancelling_are_not_refused() -> None:
    spent = Spent()
    server = limited(service(Quota(turns=1), spent), says("Once."))
    async with server.device() as device:
        asked = home()
        await device.send(asked)
        first = await device.until("stream_end")
        spent.used = Used(turns=1)
        await device.send(asked)
        assert await device.until("stream_end") == first
        await device.send({"type": "resume_request", "request_id": asked["request_id"], "after_seq": -1})
        assert await device.until("stream_end") == first
        await device.send({"type": "cancel_request", "request_id": asked["request_id"]})
        await device.send(home())
        assert (await device.receive())["code"] == "quota_exceeded"


async def test_a_refused_request_may_be_sent_again_after_midnight() -> None:
    now = [MIDNIGHT - timedelta(seconds=1)]

    async def written(user_id: UUID, *, since: object, elsewhere: CountedElsewhere) -> Used:
        return Used(turns=1) if since != MIDNIGHT else Used()

    quotas = QuotaService(installation=Quota(turns=1), written=written, now=lambda: now[0])
    server = limited(quotas, says("Good morning."))
    async with server.device() as device:
        asked = home()
        await device.send(asked)
        assert (await device.receive())["code"] == "quota_exceeded"
        now[0] = MIDNIGHT
        await device.send(asked)
        assert text_of(await device.until("stream_end")) == "Good morning."


async def test_cancelling_before_the_quota_is_known_ends_the_turn() -> None:
    spent = Spent(held=True)
    server = Server(model=SlowAdapter([]), quotas=service(Quota(turns=1), spent))
    async with server.device() as device:
        asked = home()
        await device.send(asked)
        await spent.asked.wait()
        await device.send({"type": "cancel_request", "request_id": asked["request_id"]})
        end = (await device.until("stream_end"))[-1]
    assert end["finish_reason"] == "cancelled"


async def test_a_copy_of_another_processs_turn_is_not_refused() -> None:
    async with pair(MemoryBackend()) as both:
        model, asked = both.slow(), home()
        both.q.run_with(quotas=service(Quota(turns=1), Spent(Used(turns=1))))
        both.q.reopen()
        async with both.p.device() as laptop, both.q.device("phone") as phone:
            await laptop.send(asked)
            model.say("Mine.")
            await laptop.until("stream_text")
            await phone.send(home())
            assert (await phone.receive())["code"] == "quota_exceeded"
            await phone.send(asked)
            assert (await phone.until("stream_text"))[-1]["chunk"] == "Mine."
            model.say(None)
            await phone.until("stream_end")


class TestWithRows:
    """Usage is read from the rows that turns leave."""

    pytestmark = pytest.mark.django_db(transaction=True)

    @pytest.fixture
    async def tokens(self, transactional_db: None) -> Tokens:
        return await sign_in()

    @pytest.fixture
    async def recorder(self) -> AsyncIterator[TurnRecorder]:
        recorder = TurnRecorder(save_turns, gather_s=60)
        yield recorder
        await recorder.aclose(WAIT_S)

    @pytest.fixture
    def today(self) -> datetime:
        """The service's clock stands still, so that the day does not end during a test."""
        return datetime.now(UTC)

    async def test_turns_count_before_they_are_written_and_after(
        self, tokens: Tokens, recorder: TurnRecorder, today: datetime
    ) -> None:
        quotas = QuotaService(installation=Quota(turns=2), unwritten=recorder.waiting, now=lambda: today)
        server = limited(quotas, says("One."), says("Two."), recorder=recorder)
        async with server.device() as device, server.device(token="bob") as bobs:
            for _ in range(2):
                await device.send(home())
                await device.until("stream_end")
            assert len(recorder) == 2
            await device.send(home())
            assert (await device.receive())["code"] == "quota_exceeded"
            await recorder.flush()
            await device.send(home())
            assert (await device.receive())["code"] == "quota_exceeded"
            server.adapter.replies.append(says("Bob's."))
            await bobs.send(home())
            assert text_of(await bobs.until("stream_end")) == "Bob's."
            await recorder.flush()
        assert await database_sync_to_async(TurnRecord.objects.for_user(ALICE).count)() == 2

    async def test_tokens_that_are_used_up_end_it(
        self, tokens: Tokens, recorder: TurnRecorder, today: datetime
    ) -> None:
        quotas = QuotaService(installation=Quota(tokens=150), unwritten=recorder.waiting, now=lambda: today)
        model = ObservedAdapter(ScriptedAdapter([TOKENS, TOKENS]))
        server = Server(model=model, quotas=quotas, observers=Observers(listeners=(recorder,)))
        async with server.device() as device:
            for _ in range(2):
                await device.send(home())
                await device.until("stream_end")
                await recorder.flush()
            await device.send(home())
            refusal = await device.receive()
        assert refusal["details"][1] == {"field": "tokens", "problem": "150 of 150"}  # type: ignore[index]

    async def test_what_staff_save_holds_at_once(self, tokens: Tokens) -> None:
        cache = OverrideCache()
        await cache.read()
        quotas = QuotaService(overrides=cache, written=Spent(Used(turns=5)), now=lambda: NOW)
        server = limited(quotas, says("Without limits."), says("Without limits again."))
        async with server.device() as device:
            await device.send(home())
            assert text_of(await device.until("stream_end")) == "Without limits."
            quota = await database_sync_to_async(UserQuota.objects.create)(user_id=ALICE, turns=5)
            await device.send(home())
            assert (await device.receive())["code"] == "quota_exceeded"
            await database_sync_to_async(quota.delete)()
            await device.send(home())
            assert text_of(await device.until("stream_end")) == "Without limits again."

    async def test_everybody_sees_what_they_have_used_themselves(
        self, tokens: Tokens, recorder: TurnRecorder, today: datetime
    ) -> None:
        quotas = QuotaService(installation=Quota(turns=9), unwritten=recorder.waiting, now=lambda: today)
        adapter = SlowAdapter([])
        server = Server(model=adapter, quotas=quotas, observers=Observers(listeners=(recorder,)))
        async with server.device() as device, rest(server, tokens.alice) as alice, rest(server, tokens.bob) as bob:
            await device.send(home())
            await device.until("stream_start")
            mine, bobs = (await alice.get("/api/v1/usage")).json(), (await bob.get("/api/v1/usage")).json()
            adapter.say("Hello.", None)
            await device.until("stream_end")
            assert (await alice.get("/api/v1/usage")).json() == mine
        tomorrow = datetime.fromisoformat(mine.pop("renews_at"))
        assert mine == {"turns": 1, "tokens": 0, "limits": {"turns": 9, "tokens": None}}
        assert bobs["turns"] == 0
        assert tomorrow == day_of(tomorrow) > today

    @pytest.mark.parametrize("headers", [{}, EVENTS])
    async def test_rest_says_when_to_come_back(self, tokens: Tokens, headers: dict[str, str]) -> None:
        server = limited(service(Quota(turns=3), Spent(Used(turns=3))), says("never"))
        async with server.device(), rest(server, tokens.alice) as client:
            response = await client.post(CHAT, json=QUESTION, headers=headers)
        assert (response.status_code, response.headers["retry-after"]) == (429, str(14 * 3600))
        assert own(response) == {
            "code": "quota_exceeded",
            "message": "The 3 requests of the day are used up. There will be new ones at 2026-03-30T00:00:00Z.",
            "details": {"renews_at": ["2026-03-30T00:00:00Z"], "turns": ["3 of 3"]},
        }
        assert server.adapter.requests == []


async def test_without_limits_the_database_is_not_asked() -> None:
    """This test has no database access, so a lookup would fail, delay the turn and log a warning."""
    spent = Spent()
    cache = OverrideCache(read=dict)
    await cache.read()
    server = limited(QuotaService(overrides=cache, written=spent), says("Hello."))
    async with server.device() as device:
        await device.send(home())
        assert text_of(await device.until("stream_end")) == "Hello."
    assert not spent.asked.is_set()
