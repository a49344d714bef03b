"""The tiers of one user as one statement reads them, encrypted, with the keys as of the same moment; and decrypted."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from accounts.keys.vault import StoredKey, Vault, vault_of
from accounts.statements import Found as Rows
from memory.fact_index import FactChanges, StoredFact
from memory.index import OUTDATED_AT
from memory.index_cache import Changes, StoredExchange
from memory.models import MemoryCore, MemoryEpisodic, MemoryProactive, opened, readable
from memory.recalled import ItemKind, RecalledItem

_ID_BYTES: Final = 16
# One statement, so that the keys fit the rows during a rotation. It finds nothing for a user who has turned the memory
# off. The second column is the order within a tier. The log has what was forgotten since; if it does not have all, the
# ids of what is left are read.
TIERS_OF: Final = """
    WITH owner AS MATERIALIZED (
        SELECT id, encryption_key, master_key_id, encryption_key_version, timezone, language FROM accounts_user
        WHERE id = %s AND memory_enabled
    ), counter AS MATERIALIZED (
        SELECT latest, forgotten FROM memory_memoryrevision WHERE user_id = (SELECT id FROM owner)
    ), asked AS MATERIALIZED (
        SELECT %s::bigint AS since
    ), log AS MATERIALIZED (
        SELECT revision, previous, row_ids FROM memory_forgottenrows
        WHERE user_id = (SELECT id FROM owner) AND revision > (SELECT since FROM asked)
    ), unlogged AS MATERIALIZED (
        SELECT forgotten FROM counter WHERE forgotten > (SELECT since FROM asked) AND (
            forgotten NOT IN (SELECT revision FROM log) OR EXISTS (
                SELECT FROM log WHERE previous > (SELECT since FROM asked) AND previous NOT IN (
                    SELECT revision FROM log
                )
            )
        )
    )
    SELECT 'key', 0::bigint, NULL::uuid, NULL::timestamptz, encryption_key, master_key_id, '', encryption_key_version
        FROM owner
    UNION ALL
    SELECT 'older key', 0, NULL, NULL, encryption_key, master_key_id, '', version
        FROM accounts_retiredkey WHERE user_id = (SELECT id FROM owner)
    UNION ALL
    SELECT 'owner', COALESCE((SELECT latest FROM counter), 0), NULL, NULL, timezone, language, '', 0 FROM owner
    UNION ALL
    SELECT 'core', row_number() OVER (ORDER BY updated_at DESC, id), id, updated_at, key_encrypted, value_encrypted,
        '', 0
        FROM memory_memorycore WHERE user_id = (SELECT id FROM owner)
    UNION ALL
    SELECT 'episode', row_number() OVER (ORDER BY created_at DESC, episode_id), episode_id, created_at,
        summary_encrypted, __OUTDATED__::text, '', 0
    FROM (
        SELECT id AS episode_id, created_at, summary_encrypted
        FROM memory_memoryepisodic WHERE user_id = (SELECT id FROM owner) ORDER BY created_at DESC, id LIMIT %s
    ) AS near
    UNION ALL
    SELECT 'habit', row_number() OVER (ORDER BY confidence DESC, id), id, updated_at, pattern_encrypted, '', '', 0
    FROM (
        SELECT id, updated_at, pattern_encrypted, confidence FROM memory_memoryproactive
        WHERE user_id = (SELECT id FROM owner) AND dismissed_at IS NULL AND confidence > %s
        ORDER BY confidence DESC, id LIMIT %s
    ) AS surest
    UNION ALL
    SELECT 'vectors', 0, NULL, NULL, '', '', '', 0 WHERE EXISTS (
        SELECT FROM memory_memoryassociative
        WHERE user_id = (SELECT id FROM owner) AND embedding_model = %s AND veil_version IS NOT NULL
    )
    UNION ALL
    SELECT 'facts', 0, NULL, NULL, '', '', '', 0 WHERE EXISTS (
        SELECT FROM memory_memoryassociative WHERE user_id = (SELECT id FROM owner) AND episode_id IS NULL
    )
    UNION ALL
    SELECT 'changed', changed.* FROM (
        SELECT revision, id, created_at, session_id, exchange_encrypted, summary_encrypted, 0
        FROM memory_memoryepisodic WHERE user_id = (SELECT id FROM owner) AND revision > %s ORDER BY revision LIMIT %s
    ) AS changed
    UNION ALL
    SELECT 'fact', fact.* FROM (
        SELECT revision, id, created_at, content_encrypted, details_encrypted, jsonb_build_array(
            evidence_encrypted, said_in_id, superseded_by_id, superseded_as, superseded_at, corrected_at, entity_type,
            entity_id
        )::text, 0
        FROM memory_memoryassociative
        WHERE user_id = (SELECT id FROM owner) AND episode_id IS NULL AND revision > %s ORDER BY revision DESC LIMIT %s
    ) AS fact
    UNION ALL
    SELECT 'forgotten', revision, NULL, NULL, (
        SELECT encode(string_agg(uuid_send(row_id), ''::bytea), 'hex') FROM unnest(row_ids) AS row_id
    ), '', '', 0 FROM log
    UNION ALL
    SELECT 'kept', 0, NULL, NULL, COALESCE((
        SELECT encode(string_agg(uuid_send(id), ''::bytea), 'hex') FROM memory_memoryepisodic
        WHERE user_id = (SELECT id FROM owner) AND created_at >= %s
    ), ''), '', '', 0 FROM unlogged WHERE forgotten > %s
    UNION ALL
    SELECT 'kept facts', 0, NULL, NULL, COALESCE((
        SELECT encode(string_agg(uuid_send(id), ''::bytea), 'hex') FROM (
            SELECT id FROM memory_memoryassociative
            WHERE user_id = (SELECT id FROM owner) AND episode_id IS NULL ORDER BY revision DESC LIMIT %s
        ) AS latest
    ), ''), '', '', 0 FROM unlogged WHERE forgotten > %s
""".replace("__OUTDATED__", OUTDATED_AT)


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredTiers:
    """What one statement has read, encrypted, and the keys as of the same moment.

    ``outdated`` says of the newest episodes since when something that was said in them is no longer true. Ids of rows
    are in hexadecimal, one after the other: ``forgotten`` has those of forgotten rows. If it does not have all of them,
    ``kept`` and ``kept_facts`` have those of the rows that are left. ``complete`` is whether there was a complete index
    before.
    """

    user_id: UUID
    keys: Sequence[StoredKey]
    core: Sequence[MemoryCore]
    episodes: Sequence[MemoryEpisodic]
    outdated: Mapping[UUID, datetime]
    habits: Sequence[MemoryProactive]
    has_vectors: bool
    has_facts: bool
    latest: int
    changed: Sequence[StoredExchange]
    forgotten: str
    kept: str | None
    changed_facts: Sequence[StoredFact]
    kept_facts: str | None
    zone: ZoneInfo
    language: str
    complete: bool

    @property
    def texts(self) -> int:
        return 2 * len(self.core) + len(self.episodes) + len(self.habits)

    @property
    def empty(self) -> bool:
        return not (self.texts or self.has_vectors or self.has_facts)

    def changes(self, vault: Vault) -> Changes:
        """The changes to exchanges. Takes milliseconds if thousands of rows are kept."""
        return Changes(
            latest=self.latest,
            rows=self.changed,
            forgotten=_ids(self.forgotten),
            kept=None if self.kept is None else _ids(self.kept),
            vault=vault,
            zone=self.zone,
            complete=self.complete,
        )

    def fact_changes(self, vault: Vault) -> FactChanges:
        return FactChanges(
            latest=self.latest,
            rows=self.changed_facts,
            forgotten=_ids(self.forgotten),
            kept=None if self.kept_facts is None else _ids(self.kept_facts),
            vault=vault,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Tiers:
    """What is recalled without a search: all preferences and the surest habits."""

    vault: Vault
    core: Sequence[RecalledItem]
    habits: Sequence[RecalledItem]


def stored_in(user_id: UUID, found: Rows, *, complete: bool) -> StoredTiers:
    """The tiers in the rows of ``TIERS_OF``. ``complete`` is whether the statement was sent for a complete index."""
    rows: defaultdict[str, list[Sequence[Any]]] = defaultdict(list)
    for kind, order, *columns in sorted(found, key=itemgetter(0, 1)):
        rows[kind].append((order, *columns))
    [(latest, _, _, zone, language, *_)] = rows["owner"] or [(0, None, None, "UTC", "en")]
    return StoredTiers(
        user_id=user_id,
        keys=[
            StoredKey(version, token, key_id)
            for _, _, _, token, key_id, _, version in (*rows["key"], *rows["older key"])
        ],
        core=[
            MemoryCore(id=row_id, user_id=user_id, updated_at=at, key_encrypted=key, value_encrypted=value)
            for _, row_id, at, key, value, *_ in rows["core"]
        ],
        episodes=[
            MemoryEpisodic(id=row_id, user_id=user_id, created_at=at, summary_encrypted=summary)
            for _, row_id, at, summary, *_ in rows["episode"]
        ],
        habits=[
            MemoryProactive(id=row_id, user_id=user_id, pattern_encrypted=pattern)
            for _, row_id, _, pattern, *_ in rows["habit"]
        ],
        outdated={row_id: datetime.fromisoformat(since) for _, row_id, _, _, since, *_ in rows["episode"] if since},
        has_vectors=bool(rows["vectors"]),
        has_facts=bool(rows["facts"]),
        latest=latest,
        changed=[StoredExchange(*columns[:5]) for _, *columns in rows["changed"]],
        forgotten="".join(ids or "" for _, _, _, ids, *_ in rows["forgotten"]),
        kept=next((ids for _, _, _, ids, *_ in rows["kept"]), None),
        changed_facts=[_fact(*columns) for _, *columns in rows["fact"]],
        kept_facts=next((ids for _, _, _, ids, *_ in rows["kept facts"]), None),
        zone=ZoneInfo(zone),
        language=language,
        complete=complete,
    )


def _ids(joined: str) -> frozenset[int]:
    """The ids as integers, because making tens of thousands of ``UUID`` takes tens of milliseconds."""
    found = bytes.fromhex(joined)
    return frozenset(int.from_bytes(found[begin : begin + _ID_BYTES]) for begin in range(0, len(found), _ID_BYTES))


def _fact(row_id: UUID, said_at: datetime, content: str, details: str, rest: str, _: int) -> StoredFact:
    evidence, said_in, by, relation, since, corrected_at, entity_type, entity_id = json.loads(rest)
    return StoredFact(
        id=row_id,
        said_at=said_at,
        content=content,
        details=details,
        evidence=evidence,
        said_in=UUID(said_in) if said_in else None,
        superseded_by=UUID(by) if by else None,
        superseded_as=relation,
        superseded_at=datetime.fromisoformat(since) if since else None,
        corrected_at=datetime.fromisoformat(corrected_at) if corrected_at else None,
        entity_type=entity_type,
        entity_id=entity_id,
    )


def opened_tiers(stored: StoredTiers) -> Tiers:
    """Decrypt what needs no search. Raises as ``open_vault``."""
    vault = vault_of(stored.user_id, stored.keys, owner=stored.user_id)
    read = partial(opened, vault)

    def preference(row: MemoryCore) -> RecalledItem:
        key, value = read(row, "key_encrypted"), read(row, "value_encrypted")
        return RecalledItem(id=row.id, kind=ItemKind.PREFERENCE, key=key, text=value, said_at=row.updated_at)

    return Tiers(
        vault=vault,
        core=list(readable(stored.core, preference)),
        habits=list(
            readable(
                stored.habits,
                lambda row: RecalledItem(id=row.id, kind=ItemKind.HABIT, text=read(row, "pattern_encrypted")),
            )
        ),
    )


def newest_summaries(stored: StoredTiers, vault: Vault) -> list[RecalledItem]:
    """The summaries of the newest exchanges that can be decrypted, newest first."""

    def summary(row: MemoryEpisodic) -> RecalledItem:
        said_at = row.created_at.astimezone(stored.zone)
        text = f"{said_at:%Y-%m-%d}: {opened(vault, row, 'summary_encrypted')}"
        why = ("latest",)
        return RecalledItem(id=row.id, kind=ItemKind.EXCHANGE, text=text, why=why, said_at=said_at, said_in=row.id)

    return list(readable(stored.episodes, summary))
