"""Uploaded images, which later requests refer to. They are encrypted, kept for ten minutes, and never on a disk.

This module has the port, and its implementation in a process's memory. ``chat.cluster.images`` has the implementation
for several processes.
"""

import asyncio
import base64
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol
from uuid import UUID

from accounts.cipher import Place
from accounts.database import DATABASE_ERRORS
from accounts.errors import AccountError
from accounts.keys.vault import OpenVault, Vault
from agents.errors import ImageGone, ImagesUnavailable
from agents.images import MAX_IMAGES, Image, ImageType

KEPT_S: Final = 600
MAX_OF_USER: Final = 3 * MAX_IMAGES
"""How many images of a user are kept. If there are more, the oldest one is dropped."""
MAX_BYTES: Final = 256 * 1024 * 1024
"""The size of all users' ciphertext in this process's memory. If it is larger, the oldest image is dropped."""


class ImageStore(Protocol):
    """Users' images by their ids."""

    async def keep(self, user_id: UUID, image: Image) -> UUID:
        """Keep ``image`` for ``KEPT_S`` seconds. Returns its id. Raises ``ImagesUnavailable``."""

    async def named(self, user_id: UUID, ids: Sequence[UUID]) -> tuple[Image, ...]:
        """The user's images with these ids, in this order. Raises ``ImageGone`` or ``ImagesUnavailable``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kept:
    token: str
    until: float


@dataclass(kw_only=True)
class MemoryImages:
    """The ``ImageStore`` in this process's memory. ``clock`` returns seconds."""

    open_vault: OpenVault
    max_bytes: int = MAX_BYTES
    clock: Callable[[], float] = time.monotonic
    _kept: dict[tuple[UUID, UUID], _Kept] = field(default_factory=dict, init=False)
    _size: int = field(default=0, init=False)

    @property
    def size(self) -> int:
        """The bytes of all ciphertext."""
        return self._size

    async def keep(self, user_id: UUID, image: Image) -> UUID:
        image_id = uuid.uuid4()
        token = await asyncio.to_thread(encrypted, await self._vault(user_id), image_id, image)
        self._kept[user_id, image_id] = _Kept(token=token, until=self.clock() + KEPT_S)
        self._size += len(token)
        self._drop_old(user_id)
        return image_id

    async def named(self, user_id: UUID, ids: Sequence[UUID]) -> tuple[Image, ...]:
        self._drop_old(user_id)
        kept = [self._kept.get((user_id, each)) for each in ids]
        tokens = [None if each is None else each.token for each in kept]
        vault = await self._vault(user_id)
        return await asyncio.to_thread(
            lambda: tuple(decrypted(vault, each, token) for each, token in zip(ids, tokens, strict=True))
        )

    async def _vault(self, user_id: UUID) -> Vault:
        try:
            return await self.open_vault(user_id)
        except (AccountError, *DATABASE_ERRORS) as error:
            raise ImagesUnavailable from error

    def _drop_old(self, user_id: UUID) -> None:
        now = self.clock()
        # The oldest are first.
        for key, kept in list(self._kept.items()):
            if kept.until > now and self._size <= self.max_bytes:
                break
            self._drop(key)
        own = [key for key in self._kept if key[0] == user_id]
        for key in own[: max(0, len(own) - MAX_OF_USER)]:
            self._drop(key)

    def _drop(self, key: tuple[UUID, UUID]) -> None:
        self._size -= len(self._kept.pop(key).token)


def encrypted(vault: Vault, image_id: UUID, image: Image) -> str:
    """The ciphertext of ``image``."""
    head = f"{image.media_type} {image.width} {image.height}"
    return vault.encrypt(_place(image_id), f"{head}\n{image.base64}")


def decrypted(vault: Vault, image_id: UUID, token: str | None) -> Image:
    """The image whose ciphertext is ``token``. Raises ``ImageGone``, also if ``token`` is None."""
    if token is None:
        raise ImageGone
    try:
        head, _, data = vault.decrypt(_place(image_id), token).partition("\n")
    except AccountError:
        # The image is another user's, or its key was destroyed.
        raise ImageGone from None
    media_type, width, height = head.split()
    return Image(media_type=ImageType(media_type), data=base64.b64decode(data), width=int(width), height=int(height))


def _place(image_id: UUID) -> Place:
    return Place(table="images", column="image", row_id=image_id)
