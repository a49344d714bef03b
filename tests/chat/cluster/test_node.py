"""Two processes, one set of users: what a client may expect of either."""

import asyncio
import uuid
from dataclasses import dataclass, field, replace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from accounts.signals import access_revoked
from agents.calls import CallAction, ClientCall, Table
from agents.engine.run import Requester
from agents.errors import ClientAbsent, ClientSilent
from chat.cluster.notifications import NotificationBus, Topic
from chat.cluster.remote_turns import RemoteTurns
from chat.protocol.frames.vocabulary import Capability
from chat.rest.bodies import ChatAnswer, ChatQuestion
from chat.rest.turns import DeviceNotConnected, RestTurn, whole_answer
from tests.agents.scripts import call, calls, says
from tests.chat.accounts import ALICE, BOB, grant
from tests.chat.cluster.backends import Backend
from tests.chat.cluster.pairs import pair
from tests.chat.cluster.waiting import until
from tests.chat.sockets import WAIT_S, Frame, Server, leap
from tests.chat.test_arrival import HELLO, SlowAccounts
from tests.chat.test_consumer import answer, home, text_of

TASK = '{"title":"Buy milk"}'
PATIENCE_S = 20.0
"""The time-out of calls that time out in a test; requests to Redis have a longer one."""


def resume(asked: Frame, *, after_seq: int = -1) -> Frame:
    return {"type": "resume_request", "request_id": asked["request_id"], "after_seq": after_seq}


@dataclass
class Jobs:
    """Notes how many turns run on ``server`` when those of a request are cancelled. There are none."""

    server: Server
    running: int = -1
    looked: asyncio.Event = field(default_factory=asyncio.Event)

    async def cancel(self, user_id: uuid.UUID, request_id: str) -> bool:
        self.running = len(self.server.services.supervisor.running())
        self.looked.set()
        return False

    async def drain(self, within_s: float) -> None:
        """Nothing runs."""

    async def aclose(self) -> None:
        """Nothing runs."""


async def ask_over_rest(server: Server, *, user: uuid.UUID = ALICE, device_id: str | None = None) -> ChatAnswer:
    requester = Requester(user_id=user, timezone=ZoneInfo("UTC"), language="en")
    question = ChatQuestion(message="Which tasks are due?", device_id=device_id)
    access = grant("alice" if user == ALICE else "bob")
    return await whole_answer(RestTurn(services=server.services, requester=requester, grant=access, question=question))


class TestResuming:
    async def test_turn_of_one_process_is_read_on_the_other_while_it_is_written(self, backend: Backend) -> None:
        async with pair(backend) as both:
            model, asked = both.slow(), home()
            async with both.p.device() as laptop, both.q.device("phone") as phone:
                await laptop.send(asked)
                model.say("Two are ")
                await laptop.until("stream_text")
                await phone.send(resume(asked))
                seen = await phone.until("stream_text")
                model.say("due.", None)
                seen += await phone.until("stream_end")
        assert [frame["seq"] for frame in seen] == list(range(len(seen)))
        assert text_of(seen) == "Two are due."

    async def test_device_that_comes_back_elsewhere_is_told_of_its_turns_and_reads_the_rest(
        self, backend: Backend
    ) -> None:
        async with pair(backend) as both:
            model, asked = both.slow(), home()
            async with both.p.device() as laptop:
                await laptop.send(asked)
                model.say("Two are ")
                seen = await laptop.until("stream_text")
                await published(both.q, asked, last_seq=len(seen) - 1)
                async with both.q.device() as again:
                    assert again.welcome["running"] == [{"request_id": asked["request_id"], "last_seq": len(seen) - 1}]
                    assert await laptop.closed() == 4409
                    await again.send(resume(asked, after_seq=len(seen) - 1))
                    model.say("due.", None)
                    rest = await again.until("stream_end")
                    await again.send(resume(asked, after_seq=len(seen)))
                    assert await again.until("stream_end") == rest[1:]
        assert [frame["seq"] for frame in [*seen, *rest]] == list(range(len(seen) + len(rest)))
        assert text_of([*seen, *rest]) == "Two are due."

    async def test_another_users_turn_reads_like_one_that_never_was(self, backend: Backend) -> None:
        async with pair(backend) as both:
            model, asked = both.slow(), home()
            async with both.p.device() as laptop, both.q.device(token="bob") as bobs:
                await laptop.send(asked)
                await laptop.receive()
                refusals = []
                for frame in (resume(asked), resume(home()), {"type": "cancel_request", **_id(asked)}):
                    await bobs.send(frame)
                    refusals.append(await bobs.receive())
                model.say("Still here.", None)
                assert text_of(await laptop.until("stream_end")) == "Still here."
        assert [(refusal["code"], refusal["message"]) for refusal in refusals] == [
            ("unknown_request", "There is no such request.")
        ] * 3

    async def test_turn_of_a_process_that_died_is_lost_and_what_was_written_is_read_first(
        self, backend: Backend
    ) -> None:
        async with pair(backend) as both:
            model, asked = both.slow(), home()
            async with both.p.device() as laptop, both.q.device("phone") as phone:
                await laptop.send(asked)
                model.say("Once upon a time")
                seen = await laptop.until("stream_text")
                await published(both.q, asked, last_seq=len(seen) - 1)
                await phone.send(resume(asked))
                assert await phone.until("stream_text") == seen
                await both.kill(both.p)
                lost = await phone.receive()
                assert {**lost, "message": ""} == {
                    "type": "error",
                    "code": "turn_lost",
                    "message": "",
                    "request_id": asked["request_id"],
                    "retryable": True,
                }
                await phone.send(resume(asked, after_seq=len(seen) - 1))
                assert (await phone.receive())["code"] == "turn_lost"
                model.say(None)


class TestClaiming:
    async def test_same_request_on_another_process_shows_the_turn_that_runs(self, backend: Backend) -> None:
        async with pair(backend) as both:
            model, asked = both.slow(), home()
            async with both.p.device() as laptop, both.q.device("phone") as phone:
                await laptop.send(asked)
                model.say("Only ")
                await laptop.until("stream_text")
                await phone.send(asked)
                await phone.until("stream_text")
                model.say("once.", None)
                frames = await laptop.until("stream_end")
                await phone.until("stream_end")
                await phone.send(resume(asked))
                again = await phone.until("stream_end")
        assert again[-len(frames) :] == frames
        assert text_of(again) == "Only once."
        assert both.q.adapter.requests == []

    async def test_same_id_with_another_body_is_refused_on_any_process(self, backend: Backend) -> None:
        async with pair(backend, q=[says("Mine.")]) as both:
            model, asked = both.slow(), home()
            async with both.p.device() as laptop, both.q.device("phone") as phone:
                await laptop.send(asked)
                model.say("Mine.")
                await laptop.until("stream_text")
                await phone.send({**asked, "message": "Something else"})
                refusal = await phone.receive()
                assert (refusal["code"], refusal["request_id"]) == ("request_id_reused", asked["request_id"])
                await phone.send(asked)
                assert (await phone.until("stream_text"))[-1]["chunk"] == "Mine."
                model.say(None)
                await phone.until("stream_end")

    async def test_cancelling_reaches_the_process_that_writes(self, backend: Backend) -> None:
        async with pair(backend) as both:
            model, asked = both.slow(), home()
            async with both.p.device() as laptop, both.q.device("phone") as phone:
                await laptop.send(asked)
                model.say("Once")
                await laptop.until("stream_text")
                await phone.send({"type": "cancel_request", **_id(asked)})
                assert (await laptop.until("stream_end"))[-1]["finish_reason"] == "cancelled"

    async def test_cancelling_elsewhere_looks_for_jobs_when_the_turn_can_begin_none_any_more(
        self, backend: Backend
    ) -> None:
        async with pair(backend) as both:
            model, asked, jobs = both.slow(), home(), Jobs(both.p)
            both.q.services = replace(both.q.services, jobs=jobs)  # type: ignore[arg-type] # it cancels
            both.q.reopen()
            async with both.p.device() as laptop, both.q.device("phone") as phone:
                await laptop.send(asked)
                model.say("Once")
                await laptop.until("stream_text")
                await phone.send({"type": "cancel_request", **_id(asked)})
                async with asyncio.timeout(WAIT_S):
                    await jobs.looked.wait()
        assert jobs.running == 0

    async def test_cancelling_a_turn_that_is_copied_cancels_the_turn(self, backend: Backend) -> None:
        async with pair(backend) as both:
            model, asked = both.slow(), home()
            async with both.p.device() as laptop, both.q.device("phone") as phone:
                await laptop.send(asked)
                model.say("Once")
                await laptop.until("stream_text")
                await phone.send(asked)
                await phone.until("stream_text")
                await phone.send({"type": "cancel_request", **_id(asked)})
                assert (await laptop.until("stream_end"))[-1]["finish_reason"] == "cancelled"
                assert (await phone.until("stream_end"))[-1]["finish_reason"] == "cancelled"

    async def test_cancelling_a_request_that_was_sent_again_cancels_the_turn_that_runs(self, backend: Backend) -> None:
        async with pair(backend) as both:
            model, asked = both.slow(), home()
            async with both.p.device() as laptop, both.q.device("phone") as phone:
                await laptop.send(asked)
                model.say("Once")
                await laptop.until("stream_text")
                await phone.send(asked)
                await phone.send({"type": "cancel_request", **_id(asked)})
                assert (await phone.until("stream_end"))[-1]["finish_reason"] == "cancelled"
                frames = await laptop.until("stream_end")
                assert (frames[-1]["finish_reason"], both.p.services.supervisor.running()) == ("cancelled", [])

    async def test_request_that_is_cancelled_at_once_is_known_elsewhere(self, backend: Backend) -> None:
        async with pair(backend) as both:
            both.slow()
            async with both.p.device() as laptop, both.q.device("phone") as phone:
                asked = home()
                await laptop.send(asked)
                await laptop.send({"type": "cancel_request", **_id(asked)})
                frames = await laptop.until("stream_end")
                await phone.send(resume(asked))
                assert await phone.until("stream_end") == frames
        assert frames[-1]["finish_reason"] == "cancelled"


class TestCalling:
    async def test_call_follows_the_device_to_another_process(self, backend: Backend) -> None:
        async with pair(backend, p=[calls(call("create_task", TASK)), says("Done.")]) as both:
            asked = home("Create a task")
            async with both.p.device() as laptop:
                await laptop.send(asked)
                [*_, wanted] = await laptop.until("tool_call")
            async with both.q.device() as again:
                repeated = await again.receive()
                assert repeated == wanted
                await again.send({"type": "tool_result", "id": wanted["id"], "row": {"id": "t1", "title": "Buy milk"}})
                await again.send(resume(asked))
                frames = await again.until("stream_end")
        assert frames[-1]["mutations"] == [{"action": "insert", "table": "tasks", "id": "t1"}]
        assert text_of(frames) == "Done."

    async def test_later_calls_go_where_the_device_is_and_back_again(self, backend: Backend) -> None:
        replies = [calls(call("list_tasks", id=f"call-{number}")) for number in range(3)]
        async with pair(backend, p=[*replies, says("Done.")]) as both:
            asked = home()
            async with both.p.device() as laptop:
                await laptop.send(asked)
                await answer(laptop, rows=[])
            async with both.q.device() as again:
                await answer(again, rows=[])
            async with both.p.device() as third:
                await third.send(resume(asked))
                frames: list[Frame] = []
                while not frames or frames[-1]["type"] != "stream_end":
                    frames.append(await third.receive())
                    if frames[-1]["type"] == "tool_call":
                        # What was lost with its socket before the answer was read is sent once more.
                        await third.send({"type": "tool_result", "id": frames[-1]["id"], "rows": []})
        assert (frames[-1]["finish_reason"], text_of(frames)) == ("done", "Done.")

    async def test_write_that_may_have_happened_is_not_sent_elsewhere_without_a_ledger(self, backend: Backend) -> None:
        async with pair(
            backend, p=[calls(call("create_task", TASK)), says("Unknown.")], call_timeout_s=PATIENCE_S
        ) as both:
            asked = home("Create a task")
            async with both.p.device(capabilities=()) as laptop:
                await laptop.send(asked)
                await laptop.until("tool_call")
            async with both.q.device(capabilities=()) as again:
                await again.send(resume(asked))
                frames = await again.until("stream_status")
                while frames[-1].get("state") != "calling_tool":
                    frames += await again.until("stream_status")
                for _ in range(3):
                    leap(1)  # when the call looks for its device again
                    assert await again.silent()
                leap(PATIENCE_S)
                frames += await again.until("stream_end")
        assert "tool_call" not in {frame["type"] for frame in frames}
        assert frames[-1]["mutations"] == []
        assert "unknown" in str(both.p.adapter.requests[-1].messages[-1])

    async def test_answer_of_nearly_four_mebibytes_passes_between_processes(self, backend: Backend) -> None:
        replies = [calls(call("list_tasks")), says("Buy milk.")]
        async with pair(backend, q=replies) as both, both.p.device() as laptop:
            asking = asyncio.create_task(ask_over_rest(both.q))
            row = {"id": "t1", "title": "Buy milk", "description": "0123456789abcdef" * 250_000}
            await answer(laptop, rows=[row])
            assert (await asking).response == "Buy milk."
        assert "Buy milk" in str(both.q.adapter.requests[-1].messages[-1])

    async def test_late_answer_from_elsewhere_still_counts_while_the_turn_runs(self, backend: Backend) -> None:
        late, request_id = asyncio.Event(), str(uuid.uuid4())
        async with pair(backend, call_timeout_s=PATIENCE_S) as both:
            wanted = ClientCall(id=str(uuid.uuid4()), action=CallAction.INSERT, table=Table.TASKS, data={"title": "x"})
            link = both.q.services.connections.link((ALICE, "laptop"))
            link.hold(request_id)
            async with both.p.device() as laptop:
                running = asyncio.create_task(link.execute(wanted, request_id=request_id, on_late=lambda _: late.set()))
                [*_, frame] = await laptop.until("tool_call")
                leap(PATIENCE_S)
                with pytest.raises(ClientSilent):
                    await running
                await laptop.send({"type": "tool_result", "id": frame["id"], "row": {"id": "t1"}})
                async with asyncio.timeout(WAIT_S):
                    await late.wait()

    async def test_device_that_is_nowhere_is_absent(self, backend: Backend) -> None:
        async with pair(backend, call_timeout_s=0.3) as both:
            wanted = ClientCall(id=str(uuid.uuid4()), action=CallAction.SELECT, table=Table.TASKS)
            link = both.q.services.connections.link((ALICE, "laptop"))
            with pytest.raises(ClientAbsent):
                await link.execute(wanted, request_id="r", on_late=lambda _: None)


class TestRest:
    async def test_question_reaches_the_device_used_last_wherever_it_is(self, backend: Backend) -> None:
        replies = [calls(call("list_tasks")), says("One."), calls(call("list_tasks")), says("Two.")]
        async with pair(backend, q=replies) as both, both.p.device("laptop") as laptop, both.q.device("phone"):
            asking = asyncio.create_task(ask_over_rest(both.q, device_id="laptop"))
            await answer(laptop, rows=[])
            assert (await asking).response == "One."
            # Now the laptop is the one used last.
            asking = asyncio.create_task(ask_over_rest(both.q))
            await answer(laptop, rows=[])
            assert (await asking).response == "Two."

    @pytest.mark.parametrize(("user", "device_id"), [(ALICE, "phone"), (BOB, "laptop"), (BOB, None)])
    async def test_device_that_is_not_there_or_anothers_is_not_connected(
        self, backend: Backend, user: uuid.UUID, device_id: str | None
    ) -> None:
        async with pair(backend) as both, both.p.device("laptop"):
            with pytest.raises(DeviceNotConnected):
                await ask_over_rest(both.q, user=user, device_id=device_id)


class TestPresence:
    async def test_capabilities_of_the_client_are_known_elsewhere(self, backend: Backend) -> None:
        async with pair(backend) as both, both.p.device(capabilities=("ledger", "from the future")):
            location = await both.q.ports.presence.find((ALICE, "laptop"))
            assert location is not None
            assert location.process == both.p.services.cluster.name
            assert location.capabilities == frozenset({Capability.LEDGER})

    async def test_socket_that_its_client_has_given_up_does_not_end_the_newer_one_elsewhere(
        self, backend: Backend
    ) -> None:
        accounts = SlowAccounts()
        async with pair(backend) as both:
            both.p.services = replace(both.p.services, device_arrived=accounts.device_arrived)
            both.p.reopen()
            given_up = both.p.socket()
            await given_up.connect()
            await given_up.send(HELLO)
            await accounts.asked.wait()
            leap(1)
            async with both.q.device() as newer:
                accounts.ready.set()
                assert await given_up.closed() == 4409
                await given_up.close()
                assert await newer.silent()
                location = await both.p.ports.presence.find((ALICE, "laptop"))
                assert location is not None
                assert location.connection_id == newer.welcome["connection_id"]

    async def test_process_that_was_thought_dead_says_again_who_is_there(
        self, backend: Backend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with pair(backend) as both, both.p.device():
            held_up, goes_on = asyncio.Event(), asyncio.Event()
            beat = both.p.ports.leases.renew

            async def later(process: str) -> bool:
                held_up.set()
                await goes_on.wait()
                return await beat(process)

            monkeypatch.setattr(both.p.ports.leases, "renew", later)
            await held_up.wait()
            await both.p.ports.leases.release(both.p.services.cluster.name)
            assert await both.q.ports.presence.find((ALICE, "laptop")) is None
            goes_on.set()

            async def found() -> bool:
                return await both.q.ports.presence.find((ALICE, "laptop")) is not None

            await until(found)

    async def test_lease_is_renewed_while_storing_locations_takes_long(
        self, backend: Backend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with pair(backend) as both, both.p.device():
            restoring, goes_on, renewals = asyncio.Event(), asyncio.Event(), list[str]()
            restore, renew = both.p.services.cluster.presence.restore, both.p.ports.leases.renew

            async def slowly(**options: Any) -> None:
                restoring.set()
                await goes_on.wait()
                await restore(**options)

            async def counted(process: str) -> bool:
                renewals.append(process)
                return await renew(process)

            monkeypatch.setattr(both.p.services.cluster.presence, "restore", slowly)
            monkeypatch.setattr(both.p.ports.leases, "renew", counted)
            leap(1.0)
            async with asyncio.timeout(WAIT_S):
                await restoring.wait()
            before = renewals.count(both.p.services.cluster.name)

            async def renewed() -> bool:
                return renewals.count(both.p.services.cluster.name) >= before + 3

            await until(renewed)
            goes_on.set()

    async def test_process_that_leaves_is_gone_at_once(self, backend: Backend) -> None:
        async with pair(backend) as both:
            name = both.p.services.cluster.name
            assert await both.q.ports.leases.alive(name) is True
            await both.p.services.cluster.aclose()
            assert await both.q.ports.leases.alive(name) is False


class TestRevoking:
    async def test_only_processes_that_hold_the_user_are_told(
        self, backend: Backend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told, send = list[tuple[str, uuid.UUID]](), NotificationBus.send

        async def recorded(bus: NotificationBus, to: str, topic: Topic, user_id: uuid.UUID, *rest: Any) -> None:
            if topic is Topic.REVOKED:
                told.append((to, user_id))
            await send(bus, to, topic, user_id, *rest)

        monkeypatch.setattr(NotificationBus, "send", recorded)
        async with pair(backend) as both:
            names = [server.services.cluster.name for server in (both.p, both.q)]
            async with both.p.device(token="alice") as alices, both.q.device(token="bob") as bobs:
                for user_id in (uuid.uuid4(), ALICE, BOB):
                    # Both servers hear the signal, as if each had revoked.
                    access_revoked.send(sender=None, user_id=user_id, device_id=None)

                async def all_told() -> bool:
                    return len(told) >= 2

                await until(all_told)
                for socket in (alices, bobs):
                    await socket.send(resume(home()))
                    await socket.receive()
        assert sorted(told) == sorted([(names[0], ALICE), (names[1], BOB)])

    async def test_who_is_told_asks_at_once_and_ends_turns_whose_device_is_elsewhere(self, backend: Backend) -> None:
        async with pair(backend) as both:
            model, asked = both.slow(), home()
            async with both.p.device() as laptop:
                await laptop.send(asked)
                model.say("Once")
                await laptop.until("stream_text")
            async with both.q.device() as again, both.q.device(token="bob") as bobs:
                accounts = both.q.accounts
                grant = next(each for name, each in accounts.came_with if each.user_id == ALICE)  # type: ignore[attr-defined]
                accounts.ended.add(grant)  # type: ignore[attr-defined]
                access_revoked.send(sender=None, user_id=ALICE, device_id=None)
                assert await again.closed() == 4403
                turn = both.p.services.supervisor.find((ALICE, str(asked["request_id"])))
                assert turn is not None
                [*_, last] = [frame async for batch in turn.log.read() for frame in batch]
                assert '"finish_reason":"cancelled"' in last
                await bobs.send(resume(home()))
                assert (await bobs.receive())["code"] == "unknown_request"


async def published(server: Server, asked: Frame, *, last_seq: int) -> None:
    """Wait until the other process can know the turn's frames up to ``last_seq``."""
    turns: RemoteTurns = server.services.cluster.turns

    async def known() -> bool:
        return (await turns.running((ALICE, "laptop"))).get(str(asked["request_id"])) == last_seq

    await until(known)


def _id(asked: Frame) -> Frame:
    return {"request_id": asked["request_id"]}
