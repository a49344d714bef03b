"""Whether the master keys of this server open the keys in the database.

Every wrapped key has the fingerprint of its master key beside it, so a wrong or missing master key is known before
anyone signs in. Code that needs a key refuses by itself (``accounts/lookup.py``, ``keys/vault.py``); this warns before.
"""

import logging
import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Final

import psycopg
from django.db import connection

from accounts.encryption import master_keys
from accounts.errors import KeyConfigurationError

logger = logging.getLogger(__name__)

CHECKED_EVERY_S: Final = 60.0
"""Counting reads the table of users as a whole."""
_CONNECT_S: Final = 2
_WRAPPED_OTHERWISE: Final = """
    SELECT master_key_id, sum(keys)::bigint FROM (
        SELECT master_key_id, count(*) AS keys FROM accounts_user
        WHERE encryption_key <> '' AND master_key_id <> ALL(%(known)s) GROUP BY 1
        UNION ALL SELECT master_key_id, count(*) FROM accounts_retiredkey
        WHERE master_key_id <> ALL(%(known)s) GROUP BY 1
        UNION ALL SELECT master_key_id, 1 FROM accounts_lookupkey WHERE master_key_id <> ALL(%(known)s)
    ) AS wrapped GROUP BY 1 ORDER BY 2 DESC, 1
"""


def missing_master_keys() -> Mapping[str, int]:
    """The fingerprints of master keys that wrapped keys in the database and are not configured; how many keys each.

    Raises ``KeyConfigurationError`` if the configured ones are unusable.
    """
    with connection.cursor() as cursor:
        return _missing(cursor)


def missing_master_keys_of_deployment() -> Mapping[str, int]:
    """As ``missing_master_keys``, for a check that must not wait: on a connection of its own, made within seconds.

    Raises ``KeyConfigurationError``, or ``psycopg.Error`` if there is no database or if it lacks the tables.
    """
    parameters = {**connection.get_connection_params(), "connect_timeout": _CONNECT_S}
    with psycopg.connect(**parameters) as session, session.cursor() as cursor:
        return _missing(cursor)


def key_problem(missing_keys: Callable[[], Mapping[str, int]] = missing_master_keys) -> str | None:
    """A sentence about what is wrong with the master keys, with fingerprints, which are public."""
    try:
        missing = missing_keys()
    except KeyConfigurationError as error:
        return str(error)
    if not missing:
        return None
    counts = ", ".join(f"{name} ({number:,} key{'' if number == 1 else 's'})" for name, number in missing.items())
    return f"Keys in the database are wrapped with master keys that ADIUVA_MASTER_KEYS does not contain: {counts}."


def _missing(cursor: Any) -> Mapping[str, int]:
    cursor.execute(_WRAPPED_OTHERWISE, {"known": [key.id for key in master_keys().keys]})
    return dict(cursor.fetchall())


class KeyWatch:
    """``key_problem`` for a probe that asks often; each change is logged. For all threads of a process."""

    def __init__(
        self, ask: Callable[[], str | None] = key_problem, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ask, self._clock, self._lock = ask, clock, Lock()
        self._problem: str | None = None
        self._valid_until = float("-inf")

    def problem(self) -> str | None:
        """What is wrong, as of a minute ago at most. While there is a problem, each call asks again."""
        with self._lock:
            if self._problem is not None or self._clock() >= self._valid_until:
                self._note(self._ask())
                self._valid_until = self._clock() + CHECKED_EVERY_S
            return self._problem

    def _note(self, problem: str | None) -> None:
        if problem != self._problem:
            if problem:
                logger.error("What needs these keys is refused: %s", problem)
            else:
                logger.info("All keys in the database can be opened again.")
        self._problem = problem


watch: Final = KeyWatch()
