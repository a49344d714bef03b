"""The users' keys, for what leaves this process: opened once and kept for a minute."""

import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias
from uuid import UUID

from accounts.errors import AccountError
from accounts.vault import Vault
from chat.errors import NeighboursAway

OpenVault: TypeAlias = Callable[[UUID], Awaitable[Vault]]

_KEEP_S: Final = 60.0
_MOST: Final = 1000


class Vaults:
    """Gives each user's ``Vault``, asking the database with ``open_vault``.

    Raises ``AccountError`` when the user has none that can be opened, and ``NeighboursAway`` when that cannot be asked.
    """

    def __init__(self, open_vault: OpenVault, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._open = open_vault
        self._clock = clock
        self._opened: dict[UUID, tuple[float, Vault]] = {}

    async def __call__(self, user_id: UUID) -> Vault:
        known = self._opened.get(user_id)
        if known is not None and self._clock() < known[0] + _KEEP_S:
            return known[1]
        if len(self._opened) >= _MOST:
            self._opened.clear()
        try:
            vault = await self._open(user_id)
        except AccountError:
            raise
        except Exception as error:  # whatever keeps a database from being asked
            raise NeighboursAway("The user's key cannot be read now.") from error
        self._opened[user_id] = (self._clock(), vault)
        return vault
