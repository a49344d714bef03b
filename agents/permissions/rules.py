"""The rules of a run: its user's policies, marks and keys. They are read together, and cached.

A run reads them when it first needs them, unless its caller has just read them. It reads them again after each wait for
its user, after a notice from the database that they have changed (``agents/migrations/0012_rule_notices.py``), and
after ``MAX_AGE_S``, because a notice can be lost. While notices cannot be received, each use reads them.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final
from uuid import UUID

from django.db import Error

from accounts.errors import AccountError
from accounts.keys.vault import StoredKey, Vault, vault_of
from accounts.statements import Found, Statements, ThreadStatements
from agents.errors import Withheld
from agents.permissions.approvals.policies import Policies, policies_in
from agents.permissions.models import SharingMarks
from agents.permissions.sharing import Marks, marks_in

CHANNEL: Final = "adiuva_rules"
"""The channel of the notices. Each notice contains the id of a user."""
MAX_AGE_S: Final = 5.0
# One statement, so that the keys match the marks during a rotation.
_RULES_OF: Final = """
    SELECT 'policy', risk, tool, decision, remembered, NULL::uuid, 0 FROM agents_toolpolicy WHERE user_id = {user}
    UNION ALL
    SELECT 'marks', marks_encrypted, '', '', false, id, 0 FROM agents_sharingmarks WHERE user_id = {user}
    UNION ALL
    SELECT 'key', encryption_key, master_key_id, '', false, NULL, encryption_key_version
        FROM accounts_user WHERE id = {user}
    UNION ALL
    SELECT 'older key', encryption_key, master_key_id, '', false, NULL, version
        FROM accounts_retiredkey WHERE user_id = {user}
"""
_RULES_OF_USER: Final = _RULES_OF.format(user="%s")
RULES_OF_OWNER: Final = _RULES_OF.format(user="owner.id")
"""A part of other statements. ``rules_in`` reads its rows."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules of one user at one moment. Encrypted parts are decrypted on first use."""

    user_id: UUID
    policies: Policies
    keys: Sequence[StoredKey]
    stored_marks: SharingMarks | None

    @cached_property
    def vault(self) -> Vault:
        """Raises as ``open_vault``."""
        return vault_of(self.user_id, self.keys)

    @cached_property
    def marks(self) -> Marks:
        """Raises as ``marks_of``."""
        return Marks() if self.stored_marks is None else marks_in(self.stored_marks, self.vault)


def rules_in(user_id: UUID, found: Found) -> Rules:
    """The rules in the rows of ``RULES_OF_OWNER``."""
    marks = (SharingMarks(id=row[5], user_id=user_id, marks_encrypted=row[1]) for row in found if row[0] == "marks")
    # The rows have no order. The present key must be the first.
    keys = sorted((row for row in found if row[0].endswith("key")), key=lambda row: row[0] != "key")
    return Rules(
        user_id=user_id,
        policies=policies_in([row[1:5] for row in found if row[0] == "policy"]),
        keys=[StoredKey(version=row[6], token=row[1], master_key_id=row[2]) for row in keys],
        stored_marks=next(marks, None),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """The number of changes of all users so far, and the time of the cache's clock."""

    changes: int
    at: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RulesBefore:
    """Rules that were read before a run. The read began at ``moment``."""

    rules: Rules
    moment: Moment


@dataclass(kw_only=True, slots=True)
class _CachedRules:
    """The rules of a user with ``runs`` in progress. They are valid while ``changes`` equals ``read_after``."""

    runs: int = 0
    changes: int = 0
    rules: Rules | None = None
    read_after: int = -1
    read_at: float = 0.0
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)


class RuleCache:
    """The cached rules of users with runs in this process. It is also a ``MarkStore``."""

    def __init__(self, statements: Statements | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._statements: Statements = statements or ThreadStatements()
        self._clock = clock
        self._cached: dict[UUID, _CachedRules] = {}
        self._changes = 0
        self._listening = False

    def moment(self) -> Moment:
        """The present moment."""
        return Moment(changes=self._changes, at=self._clock())

    @contextmanager
    def run(self, user_id: UUID, before: RulesBefore | None = None) -> Iterator[None]:
        """A block in which the user has a run.

        Rules that were read ``before`` are used if no change of any user was noticed since.
        """
        cached = self._cached.setdefault(user_id, _CachedRules())
        cached.runs += 1
        cached.changes += 1
        if before is not None and before.moment.changes == self._changes:
            cached.rules, cached.read_after, cached.read_at = before.rules, cached.changes, before.moment.at
        try:
            yield
        finally:
            cached.runs -= 1
            if not cached.runs:
                del self._cached[user_id]

    def expire(self, user_id: UUID) -> None:
        """Have the next use read the user's rules again."""
        self._changes += 1
        if (cached := self._cached.get(user_id)) is not None:
            cached.changes += 1

    async def of(self, user_id: UUID) -> Rules:
        """The user's rules. Raises ``django.db.Error``."""
        cached = self._cached.get(user_id)
        if cached is None:
            return await self._read(user_id)
        if (rules := self._current(cached)) is not None:
            return rules
        async with cached.reading:
            if (rules := self._current(cached)) is None:
                # A change that is noticed during the read may be missing from it.
                changes, read_at = cached.changes, self._clock()
                rules = await self._read(user_id)
                cached.rules, cached.read_after, cached.read_at = rules, changes, read_at
        return rules

    async def policies(self, user_id: UUID) -> Policies:
        """The user's decisions about tools. Raises ``django.db.Error``."""
        return (await self.of(user_id)).policies

    async def marks(self, user_id: UUID) -> Marks:
        """As ``MarkStore.marks``."""
        try:
            return (await self.of(user_id)).marks
        except (AccountError, Error):
            raise Withheld(
                "What the user never shares cannot be known right now, so nothing was read or changed."
            ) from None

    def heard(self, payload: str) -> None:
        """Receive a notice that the rules of the user with this id have changed."""
        with suppress(ValueError):  # any database client can send on the channel
            self.expire(UUID(payload))

    def listening(self, *, live: bool) -> None:
        """Notices arrive from now on (``live``), or no longer. A change may have been missed, so all rules expire."""
        self._listening = live
        self._changes += 1
        for cached in self._cached.values():
            cached.changes += 1

    def _current(self, cached: _CachedRules) -> Rules | None:
        fresh = self._listening and self._clock() - cached.read_at < MAX_AGE_S
        return cached.rules if fresh and cached.read_after == cached.changes else None

    async def _read(self, user_id: UUID) -> Rules:
        return rules_in(user_id, await self._statements.rows(_RULES_OF_USER, [user_id] * 4))
