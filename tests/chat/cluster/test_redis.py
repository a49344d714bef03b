"""What holds for Redis only: what may be stored in it, and what happens while it is away."""

import asyncio
import hashlib
import threading
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest
from redis.asyncio import Redis

from accounts.cipher import Place, new_user_key
from accounts.errors import EncryptionError
from accounts.keys.vault import Vault
from agents.images import Image, ImageType
from chat.cluster.images import RedisImages
from chat.cluster.node import ClusterPorts
from chat.cluster.redis_connection import VaultCache
from chat.cluster.remote_turns import RedisDirectory
from chat.errors import ClusterUnavailable, FramesLost
from chat.turns.conversation_store import ConversationKey
from chat.turns.frame_log import FrameLog
from tests.agents.scripts import call, calls, says
from tests.chat.accounts import ALICE
from tests.chat.cluster.backends import RedisBackend, in_redis
from tests.chat.cluster.pairs import TIMINGS, pair
from tests.chat.cluster.test_node import resume
from tests.chat.cluster.test_remote_turns import ended, new_key, published, read, record
from tests.chat.cluster.waiting import until
from tests.chat.sockets import WAIT_S, Server, leap
from tests.chat.test_consumer import answer, home, text_of
from tests.faults.proxy import FaultProxy, fault_proxy

pytestmark = pytest.mark.redis


async def contents(client: Redis, names: list[str]) -> bytes:
    """All values and keys under these names, except notifications, which the layer encrypts."""
    texts: list[object] = list(names)
    for name in names:
        match await client.type(name):
            case "string":
                texts.append(await client.get(name))
            case "hash":
                texts.append(await client.hgetall(name))
            case "stream":
                texts.append(await client.xrange(name))
            case "set":
                texts.append(await client.smembers(name))
            case _:
                pass
    return repr(texts).encode()


class TestContents:
    async def test_nothing_that_users_say_store_or_receive_is_readable(self) -> None:
        secrets = [f"{word}-{uuid.uuid4().hex}" for word in ("asked", "argument", "row", "told")]
        said, argument, row, told = secrets
        replies = [calls(call("create_task", f'{{"title":"{argument}"}}')), says(told)]
        async with in_redis() as backend, pair(backend, p=replies) as both:
            asked = home(f"Is anything due? {said}")
            async with both.p.device() as laptop:
                await laptop.send(asked)
                await laptop.until("tool_call")
            async with both.q.device() as again:
                await answer(again, row={"id": "t1", "title": row})
                await again.send(resume(asked))
                assert told in text_of(await again.until("stream_end"))
            connection = backend.connection()
            stored = await contents(connection.client, await backend.keys())
        assert [word.encode() in stored for word in secrets] == [False] * 4
        assert str(asked["request_id"]).encode() in stored
        assert hashlib.sha256(str(asked["message"]).encode()).hexdigest().encode() not in stored

    async def test_everything_expires_by_itself(self) -> None:
        async with in_redis() as backend, pair(backend, p=[calls(call("list_tasks")), says("None.")]) as both:
            async with both.p.device() as laptop:
                await laptop.send(home())
                await laptop.until("tool_call")
            async with both.q.device() as again:
                await answer(again, rows=[])
                connection = backend.connection()
                names = [name for name in await backend.keys() if ":layer:group:" not in name]
                lives = {name: await connection.client.ttl(name) for name in names}
        # The layer sets no expiry on a message that is being received; its successor removes it.
        assert {name: left for name, left in lives.items() if left == -1 and not name.endswith("$inflight")} == {}
        assert len(lives) > 4

    async def test_frames_that_were_moved_or_are_another_users_are_lost_and_not_shown(self) -> None:
        async with in_redis() as backend:
            ports, (mine, other) = backend.ports(), (new_key(), new_key())
            for key, word in ((mine, "mine"), (other, "other")):
                log = FrameLog()
                await ports.directory.claim(key, record("p"), log)
                log.append(f'"{word}"')
                log.close()
                await ended(ports, key)
            connection = backend.connection()
            await connection.client.copy(
                connection.key("frames", *other, "p"), connection.key("frames", *mine, "p"), replace=True
            )
            with pytest.raises(FramesLost):
                await read(ports, mine)
            assert await read(ports, other) == ['"other"']

    async def test_gap_is_lost_and_not_passed_over(self) -> None:
        async with in_redis() as backend:
            ports, key, log = backend.ports(), new_key(), FrameLog()
            await ports.directory.claim(key, record("p"), log)
            log.append("0")
            await published(ports, key, last_seq=0)
            log.append("1")
            await published(ports, key, last_seq=1)
            connection = backend.connection()
            name = connection.key("frames", *key, "p")
            entries: Any = await connection.client.xrange(name)
            await connection.client.xdel(name, entries[0][0])
            with pytest.raises(FramesLost):
                await read(ports, key)
            log.close()
            await ports.directory.aclose()

    async def test_frames_are_not_found_any_more_when_their_time_is_over(self) -> None:
        async with in_redis() as backend:
            directory = RedisDirectory(redis=backend.connection(), vaults=VaultCache(backend.open_vault), keep_s=1)
            ports, key, log = backend.ports(), new_key(), FrameLog()
            await directory.claim(key, record("p"), log)
            log.append("0")
            log.close()
            await directory.aclose()

            async def forgotten() -> bool:
                return await ports.directory.find(key) is None

            await until(forgotten)
            with pytest.raises(FramesLost):
                await read(ports, key)


class Away:
    """Redis behind a proxy that can be closed and reopened."""

    def __init__(self, proxy: FaultProxy) -> None:
        self._proxy = proxy
        self._behind = proxy.behind

    def take(self) -> None:
        self._proxy.behind = 1  # nothing listens there
        self._proxy.cut()

    def bring_back(self) -> None:
        self._proxy.behind = self._behind


@asynccontextmanager
async def redis_that_may_leave() -> AsyncIterator[tuple[RedisBackend, Away]]:
    async with fault_proxy(6379) as proxy, in_redis(url=f"redis://127.0.0.1:{proxy.port}") as backend:
        away = Away(proxy)
        yield backend, away
        away.bring_back()


async def in_touch(server: Server) -> None:
    """Wait until the server reaches Redis again."""

    async def reached() -> bool:
        with suppress(ClusterUnavailable):
            return await server.ports.leases.alive(server.services.cluster.name)
        return False

    await until(reached)


class TestRedisThatIsAway:
    async def test_sockets_and_turns_of_a_process_go_on_and_are_published_later(self) -> None:
        async with redis_that_may_leave() as (backend, away), pair(backend) as both:
            model, asked = both.slow(), home()
            async with both.p.device() as laptop:
                await laptop.send(asked)
                model.say("One ")
                seen = await laptop.until("stream_text")
                await published(both.q.ports, (ALICE, str(asked["request_id"])), last_seq=len(seen) - 1)
                away.take()
                model.say("two ")
                await laptop.until("stream_text")
                async with both.p.device("phone") as phone:
                    await phone.send(resume(asked))
                    assert text_of(await phone.until("stream_text")) == "One"
                model.say("three.")
                await laptop.until("stream_text")
                away.bring_back()
                await in_touch(both.q)
                async with both.q.device("phone") as phone:
                    await phone.send(resume(asked))
                    model.say(None)
                    frames = await phone.until("stream_end")
        assert text_of(frames) == "One two three."
        assert [frame["seq"] for frame in frames] == list(range(len(frames)))

    async def test_turn_that_began_meanwhile_is_found_elsewhere_later(self) -> None:
        async with redis_that_may_leave() as (backend, away), pair(backend, p=[says("Begun alone.")]) as both:
            away.take()
            async with both.p.device() as laptop:
                asked = home()
                await laptop.send(asked)
                await laptop.until("stream_end")
                away.bring_back()
                await in_touch(both.q)

                async def known() -> bool:
                    return await both.q.ports.directory.find((ALICE, str(asked["request_id"]))) is not None

                await until(known)
                async with both.q.device("phone") as phone:
                    await phone.send(resume(asked))
                    assert text_of(await phone.until("stream_end")) == "Begun alone."

    async def test_turn_elsewhere_cannot_be_looked_for_and_the_client_may_try_again(self) -> None:
        async with redis_that_may_leave() as (backend, away), pair(backend) as both, both.q.device() as laptop:
            away.take()
            await laptop.send(resume(home()))
            refusal = await laptop.receive()
            assert (refusal["code"], refusal["retryable"]) == ("internal_error", True)

    async def test_process_that_starts_meanwhile_serves_and_joins_later(self) -> None:
        async with redis_that_may_leave() as (backend, away):
            away.take()
            server = Server([says("Here.")], ports=backend.ports(), timings=TIMINGS, renew_every_s=0.1)
            async with server.device() as laptop:
                await laptop.send(home())
                assert text_of(await laptop.until("stream_end")) == "Here."
                away.bring_back()
                await in_touch(server)

                async def found() -> bool:
                    return await server.ports.presence.find((ALICE, "laptop")) is not None

                await until(found)
            await server.services.aclose()


class ForgetfulDirectory(RedisDirectory):
    """Redis loses its data behind the second batch, and this process learns of it before the answer comes."""

    sent, lost = 0, False

    async def _send(self, client: Redis, batches: Any) -> None:
        await super()._send(client, batches)
        self.sent += 1
        if self.sent == 2:
            await client.delete(*[key async for key in client.scan_iter(match=self.redis.key("*"))])
            await self.renew(forgotten=True)
            self.lost = True


@pytest.mark.parametrize("is_over", [False, True])
async def test_turn_is_published_from_its_first_frame_if_redis_loses_its_data_during_a_batch(*, is_over: bool) -> None:
    async with in_redis() as backend:
        directory = ForgetfulDirectory(redis=backend.connection(), vaults=VaultCache(backend.open_vault))
        ports, key, log = backend.ports(), new_key(), FrameLog()
        await directory.claim(key, record("p"), log)
        log.append("0")
        await published(ports, key, last_seq=0)
        log.append("1")
        if is_over:
            log.close()

        async def known() -> bool:
            return directory.lost and await ports.directory.find(key) is not None

        await until(known)
        log.close()
        assert await read(ports, key) == ["0", "1"]
        await directory.aclose()


class TestRedisConnection:
    async def test_after_a_failure_only_what_is_urgent_tries(self) -> None:
        now, tried = 100.0, list[str]()
        async with in_redis(url="redis://127.0.0.1:1") as backend:
            connection = backend.connection()
            connection._clock = lambda: now

            async def command(client: Redis) -> str:
                tried.append("x")
                raise ConnectionError("refused")

            for urgent in (False, False, True, False):
                with pytest.raises(ClusterUnavailable):
                    await connection.run(command, urgent=urgent)
            assert len(tried) == 2
            now += 5.0
            with pytest.raises(ClusterUnavailable):
                await connection.ping()

    async def test_command_that_hangs_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async with in_redis() as backend:
            connection = backend.connection()
            with monkeypatch.context() as impatient:
                impatient.setattr("chat.cluster.redis_connection._WAIT_S", 0.05)
                with pytest.raises(ClusterUnavailable):
                    await connection.run(lambda client: client.blpop(["nothing"], timeout=60))
            await connection.ping()

    async def test_process_that_was_held_up_itself_does_not_call_it_away(self) -> None:
        async with in_redis() as backend:
            connection = backend.connection()

            async def held_up(client: Redis) -> None:
                leap(WAIT_S + 1)
                await asyncio.Event().wait()

            with pytest.raises(ClusterUnavailable):
                await connection.run(held_up)
            assert await connection.run(lambda client: client.exists("nothing")) == 0

    async def test_many_commands_and_readers_at_once_are_no_reason_to_call_it_away(self) -> None:
        async with in_redis() as backend:
            connection, ports, key, log = backend.connection(), backend.ports(), new_key(), FrameLog()
            await ports.directory.claim(key, record("p"), log)
            readers = [asyncio.create_task(read(ports, key)) for _ in range(80)]
            await asyncio.gather(*(connection.run(lambda client: client.get("nothing")) for _ in range(500)))
            log.append("0")
            log.close()
            assert await asyncio.gather(*readers) == [["0"]] * 80


class TestVaultCache:
    async def test_key_is_asked_for_once_a_minute(self, vault: Vault) -> None:
        asked, now = list[uuid.UUID](), 100.0

        async def open_vault(user_id: uuid.UUID) -> Vault:
            asked.append(user_id)
            return vault

        vaults = VaultCache(open_vault, clock=lambda: now)
        assert [await vaults(ALICE), await vaults(ALICE)] == [vault, vault]
        assert asked == [ALICE]
        now += 60.0
        await vaults(ALICE)
        assert asked == [ALICE, ALICE]

    async def test_user_without_a_key_is_distinguished_from_a_database_that_is_away(self) -> None:
        failures: list[Exception] = [EncryptionError("There is no such user."), RuntimeError("no connection")]

        async def open_vault(user_id: uuid.UUID) -> Vault:
            raise failures.pop(0)

        vaults = VaultCache(open_vault)
        with pytest.raises(EncryptionError):
            await vaults(ALICE)
        with pytest.raises(ClusterUnavailable):
            await vaults(ALICE)

    @pytest.fixture
    async def vault(self) -> Vault:
        return await RedisBackend().open_vault(ALICE)


class TestRotatedKey:
    """``newer`` writes with a key that is newer than the one that ``older`` has read and keeps."""

    async def test_calls_and_their_answers_are_read(self, older: ClusterPorts, newer: ClusterPorts) -> None:
        call_id = str(uuid.uuid4())
        await newer.calls.post(ALICE, call_id, "a call")
        taken = await older.calls.take(ALICE, call_id)
        await newer.calls.answer(ALICE, call_id, "an answer")
        assert taken is not None
        assert (taken.text, await older.calls.collect(ALICE, call_id)) == ("a call", "an answer")

    async def test_frames_are_read(self, older: ClusterPorts, newer: ClusterPorts) -> None:
        key, log = (ALICE, str(uuid.uuid4())), FrameLog()
        await newer.directory.claim(key, record("p"), log)
        log.append('"new"')
        log.close()
        assert await read(older, key) == ['"new"']

    async def test_conversations_are_read(self, older: ClusterPorts, newer: ClusterPorts) -> None:
        key = ConversationKey(ALICE, "laptop", "s1")
        await newer.conversations.save(key, "kept")
        assert await older.conversations.load(key) == "kept"

    async def test_images_are_read(self, backend: RedisBackend) -> None:
        older, newer = self.images(backend), self.images(backend)
        kept = await older.keep(ALICE, self.image(b"1"))
        self.rotate(backend)
        added = await newer.keep(ALICE, self.image(b"2"))
        assert await older.named(ALICE, [kept, added]) == (self.image(b"1"), self.image(b"2"))

    async def test_key_that_no_one_has_is_asked_for_but_blocks_nothing(
        self, older: ClusterPorts, backend: RedisBackend
    ) -> None:
        forger, key = backend.ports(), ConversationKey(ALICE, "laptop", "s1")
        present = backend.vaults[ALICE]
        self.rotate(backend)
        await forger.conversations.save(key, "kept")
        backend.vaults[ALICE] = present
        assert await older.conversations.load(key) is None

    @staticmethod
    def rotate(backend: RedisBackend) -> None:
        before = backend.vaults[ALICE]
        key = replace(new_user_key(), version=before.key.version + 1)
        backend.vaults[ALICE] = Vault(key=key, older={before.key.version: before.key}, owner=ALICE)

    @staticmethod
    def images(backend: RedisBackend) -> RedisImages:
        return RedisImages(redis=backend.connection(), vaults=VaultCache(backend.open_vault))

    @staticmethod
    def image(data: bytes) -> Image:
        return Image(media_type=ImageType.PNG, data=data, width=3, height=2)

    @pytest.fixture
    async def backend(self) -> AsyncIterator[RedisBackend]:
        async with in_redis() as backend:
            backend.vaults[ALICE] = Vault(key=new_user_key(), owner=ALICE)
            yield backend

    @pytest.fixture
    async def older(self, backend: RedisBackend) -> ClusterPorts:
        ports = backend.ports()
        await ports.conversations.save(ConversationKey(ALICE, "laptop", "s0"), "with the older key")
        await ports.calls.post(ALICE, str(uuid.uuid4()), "with the older key")
        return ports

    @pytest.fixture
    async def newer(self, older: ClusterPorts, backend: RedisBackend) -> ClusterPorts:
        self.rotate(backend)
        return backend.ports()


async def test_turn_of_a_user_who_is_gone_is_not_published_and_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    async with in_redis() as backend:

        async def no_vault(user_id: uuid.UUID) -> Vault:
            raise EncryptionError("There is no such user.")

        directory, key, log = (
            RedisDirectory(redis=backend.connection(), vaults=VaultCache(no_vault)),
            new_key(),
            FrameLog(),
        )
        assert await directory.claim(key, record("p"), log) is None
        log.append("0")
        log.close()
        async with asyncio.timeout(WAIT_S):
            await directory.aclose()
    assert "a turn is not published: There is no such user." in caplog.text


@pytest.mark.parametrize(("chars", "in_thread"), [(1_000, False), (100_000, True)])
async def test_long_frames_are_encrypted_in_a_thread(chars: int, *, in_thread: bool) -> None:
    used: list[int] = []

    class WatchedVault(Vault):
        def encrypt(self, place: Place, plaintext: str) -> str:
            used.append(threading.get_ident())
            return super().encrypt(place, plaintext)

    async with in_redis(vaults={ALICE: WatchedVault(key=new_user_key())}) as backend:
        ports, log = backend.ports(), FrameLog()
        await ports.directory.claim(new_key(ALICE), record("p"), log)
        log.append("x" * chars)
        log.close()
        await ports.directory.aclose()

    assert [thread != threading.get_ident() for thread in used] == [in_thread]
