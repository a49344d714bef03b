"""The calls that were applied, so that a call which comes twice happens once."""

import json
from collections.abc import Callable
from typing import Final, TypeAlias, cast

from pydantic import JsonValue

from device.errors import CallRefused
from device.store import Store

Answer: TypeAlias = dict[str, JsonValue]
"""What an answer frame has beside ``type`` and ``id``: the one field that says what came of the call."""

_KEPT_MS: Final = 7 * 24 * 3600 * 1000
"""A server repeats a call within a day. Results hold the user's words, so none is kept for good."""


class Ledger:
    """Remembers id, arguments' hash and result of every write, in the same transaction as the write itself."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.run("DELETE FROM _ledger WHERE appliedAt < ?", (store.clock() - _KEPT_MS,))

    def once(self, call_id: str, arguments_hash: str, apply: Callable[[], Answer]) -> Answer:
        """What ``apply`` returns, or returned when this call came before.

        An ``apply`` that raises leaves nothing behind, neither its changes nor an entry. Raises ``CallRefused`` when
        the id is known with other arguments.
        """
        with self._store.transaction():
            known = self._store.run("SELECT hash, result FROM _ledger WHERE id = ?", (call_id,))
            if known:
                if known[0]["hash"] != arguments_hash:
                    raise CallRefused("This call id was used before, with other arguments.")
                return cast("Answer", json.loads(cast("str", known[0]["result"])))
            result = apply()
            self._store.run(
                "INSERT INTO _ledger (id, hash, result, appliedAt) VALUES (?, ?, ?, ?)",
                (call_id, arguments_hash, json.dumps(result), self._store.clock()),
            )
            return result
