"""Images between their upload and the request that names them: encrypted, for a while, and their user's alone."""

import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID

import pytest

from accounts.errors import AccountGone
from accounts.keys.vault import Vault
from agents.errors import ImageGone, ImagesUnavailable
from agents.images import Image, ImageType
from chat.cluster.images import RedisImages
from chat.cluster.redis_connection import RedisConnection, VaultCache
from chat.turns.images import KEPT_S, MAX_OF_USER, ImageStore, MemoryImages
from tests.chat.cluster.backends import REDIS_URL, in_redis
from tests.chat.sockets import Vaults

ALICE, BOB = uuid.uuid4(), uuid.uuid4()
PIXELS = bytes(range(256))


def image(data: bytes = PIXELS) -> Image:
    return Image(media_type=ImageType.PNG, data=data, width=3, height=2)


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.redis)])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[ImageStore]:
    if request.param == "memory":
        yield MemoryImages(open_vault=Vaults())
        return
    async with in_redis() as backend:
        yield RedisImages(redis=backend.connection(), vaults=VaultCache(Vaults()))


async def test_images_come_back_in_the_order_in_which_they_are_named(store: ImageStore) -> None:
    first, second = await store.keep(ALICE, image(b"1")), await store.keep(ALICE, image(b"2"))

    assert await store.named(ALICE, [second, first, second]) == (image(b"2"), image(b"1"), image(b"2"))
    assert await store.named(ALICE, []) == ()


async def test_an_image_is_of_the_user_who_has_sent_it(store: ImageStore) -> None:
    kept = await store.keep(ALICE, image())

    with pytest.raises(ImageGone):
        await store.named(BOB, [kept])


async def test_an_unknown_image_is_not_there_and_none_of_the_others_is_given(store: ImageStore) -> None:
    kept = await store.keep(ALICE, image())

    with pytest.raises(ImageGone, match="Send it again"):
        await store.named(ALICE, [kept, uuid.uuid4()])


async def test_the_oldest_image_of_a_user_makes_room(store: ImageStore) -> None:
    others = await store.keep(BOB, image())
    kept = [await store.keep(ALICE, image()) for _ in range(MAX_OF_USER + 2)]

    for gone in kept[:2]:
        with pytest.raises(ImageGone):
            await store.named(ALICE, [gone])
    assert len(await store.named(ALICE, kept[2:])) == MAX_OF_USER
    assert await store.named(BOB, [others]) == (image(),)


async def test_an_image_goes_after_its_time_and_leaves_nothing() -> None:
    clock = Clock()
    store = MemoryImages(open_vault=Vaults(), clock=clock)
    kept = await store.keep(ALICE, image())
    clock.now = KEPT_S - 1
    assert await store.named(ALICE, [kept]) == (image(),)

    clock.now = KEPT_S
    with pytest.raises(ImageGone):
        await store.named(ALICE, [kept])
    assert store.size == 0


async def test_a_process_keeps_so_many_bytes_and_drops_the_oldest() -> None:
    store = MemoryImages(open_vault=Vaults(), max_bytes=100_000)
    kept = [await store.keep(UUID(int=number), image(bytes(30_000))) for number in range(4)]

    assert 0 < store.size <= 100_000
    with pytest.raises(ImageGone):
        await store.named(UUID(int=0), kept[:1])
    assert await store.named(UUID(int=3), kept[3:]) == (image(bytes(30_000)),)


@pytest.mark.redis
async def test_redis_holds_ciphertext_with_an_end() -> None:
    async with in_redis() as backend:
        redis = backend.connection()
        store = RedisImages(redis=redis, vaults=VaultCache(Vaults()))
        await store.keep(ALICE, image(b"a secret in pixels" * 10))
        keys = [key async for key in redis.client.scan_iter(f"{backend.prefix}:*")]
        for key in keys:
            assert 0 < await redis.client.ttl(key) <= KEPT_S
        [token] = [await redis.client.get(key) for key in keys if ":image:" in key]
        assert str(token).startswith("v1:")
        assert image(b"a secret in pixels" * 10).base64[:20] not in str(token)


async def test_without_the_users_key_nothing_is_kept() -> None:
    async def no_vault(user_id: UUID) -> Vault:
        raise AccountGone

    store = MemoryImages(open_vault=no_vault)

    with pytest.raises(ImagesUnavailable):
        await store.keep(ALICE, image())
    assert store.size == 0


async def test_redis_that_is_away_is_said() -> None:
    away = RedisConnection(f"{REDIS_URL.rpartition(':')[0]}:1", prefix="away")
    try:
        store = RedisImages(redis=away, vaults=VaultCache(Vaults()))
        with pytest.raises(ImagesUnavailable, match="Try again"):
            await store.keep(ALICE, image())
        with pytest.raises(ImagesUnavailable):
            await store.named(ALICE, [uuid.uuid4()])
    finally:
        await away.aclose()
