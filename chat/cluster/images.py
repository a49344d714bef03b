"""Images that the processes of a server share: in Redis, encrypted with their user's key."""

import asyncio
import uuid
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from redis.asyncio import Redis

from accounts.errors import AccountError
from accounts.keys.vault import Vault
from agents.errors import ImagesUnavailable
from agents.images import Image
from chat.cluster.redis_connection import RedisConnection, VaultCache
from chat.errors import ClusterUnavailable
from chat.turns.images import KEPT_S, MAX_OF_USER, decrypted, encrypted


@dataclass(kw_only=True)
class RedisImages:
    """The ``ImageStore`` in Redis: a key for each image, and a list of each user's ids, the newest first."""

    redis: RedisConnection
    vaults: VaultCache

    async def keep(self, user_id: UUID, image: Image) -> UUID:
        image_id, vault = uuid.uuid4(), await self._vault(user_id)
        token = await asyncio.to_thread(encrypted, vault, image_id, image)
        listed = self.redis.key("images", user_id)

        async def store(client: Redis) -> None:
            added = client.pipeline()
            added.set(self._key(user_id, image_id), token, ex=KEPT_S)
            added.lpush(listed, str(image_id))
            added.lrange(listed, MAX_OF_USER, -1)
            added.ltrim(listed, 0, MAX_OF_USER - 1)
            added.expire(listed, KEPT_S)
            _, _, surplus, *_ = await added.execute()
            if surplus:
                await client.delete(*(self._key(user_id, each) for each in surplus))

        try:
            await self.redis.run(store)
        except ClusterUnavailable as error:
            raise ImagesUnavailable from error
        return image_id

    async def named(self, user_id: UUID, ids: Sequence[UUID]) -> tuple[Image, ...]:
        async def read(client: Redis) -> list[str | None]:
            keys = [self._key(user_id, each) for each in ids]
            return await cast("Awaitable[list[str | None]]", client.mget(keys))

        try:
            tokens = await self.redis.run(read)
        except ClusterUnavailable as error:
            raise ImagesUnavailable from error
        vault = await self._vault(user_id, filter(None, tokens))
        return await asyncio.to_thread(
            lambda: tuple(decrypted(vault, each, token) for each, token in zip(ids, tokens, strict=True))
        )

    async def _vault(self, user_id: UUID, tokens: Iterable[str] = ()) -> Vault:
        try:
            return await self.vaults.to_read(user_id, tokens)
        except (AccountError, ClusterUnavailable) as error:
            raise ImagesUnavailable from error

    def _key(self, user_id: UUID, image_id: object) -> str:
        return self.redis.key("image", user_id, image_id)
