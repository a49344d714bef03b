"""``manage.py verify_erasure ID [--address ADDRESS] [--clean]``"""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.addresses import normalised_address
from accounts.encryption import master_keys
from accounts.erasure_traces import ErasureTrace, drop_old_traces, traces_of
from accounts.errors import KeyConfigurationError
from accounts.management.people import counted
from accounts.models import AuditEvent, User
from accounts.progress import shown
from adiuva.database import remains
from adiuva.database.remains import STATISTICS, WAL, Evidence, Remains

_ELSEWHERE: Final = (
    "Not searched: backups, which hold the user until they expire; copies of the disk; what PostgreSQL has compressed."
)
_NO_DIGESTS: Final = (
    "Ciphertexts of this user cannot be told from others: no digests of them are kept, or not any more "
    "(ADIUVA_KEEP_ERASURE_TRACES_DAYS)."
)
_EXTERNAL: Final = """The database is on another server (DATABASE_URL), and this command cannot look into its files.
Deleted rows stay in its tables until VACUUM FULL or until their space is used again, and in its write-ahead log until
that is recycled; its replicas, archives and backups keep them as long as they are kept. To rewrite the tables, which
locks each of them meanwhile:"""
_STATISTICS: Final = f"table {STATISTICS}"
_LASTS: Final = {
    WAL: "until PostgreSQL has written over the files, after some checkpoints; at once with --clean",
    _STATISTICS: "values of deleted rows, for the planner, until ANALYZE; at once with --clean",
}
_LAST: Final = "deleted rows, until VACUUM FULL, which --clean does, or until PostgreSQL uses their space again"
_TRIES: Final = 3
"""A transaction that is open meanwhile keeps deleted rows from being left out."""
_OTHER: Final = "until the file is deleted or written again"


class Command(BaseCommand):
    help = (
        "Searches the files of the embedded database, its write-ahead log included, for what can be known of an erased "
        "user, and says what remains where and for how long. With --clean it rewrites the tables and the log first, "
        "which needs as much free disk space as the largest of them. Exits with 1 if anything remains."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", type=UUID, metavar="ID", help="the user's id, which forget_user wrote")
        parser.add_argument("--address", action="append", default=[], help="an address of the user; may be repeated")
        parser.add_argument("--clean", action="store_true", help="remove what remains in tables and in the log")

    def handle(self, *, user: UUID, address: list[str], clean: bool, **_: object) -> None:
        if User.objects.filter(id=user).exists():
            raise CommandError("This account exists. Erase it with forget_user first.")
        drop_old_traces()
        if settings.DATABASE_URL:
            self._explain()
            return
        digests = traces_of(user)
        evidence = remains.evidence_of(
            user,
            addresses=[form for given in address for form in (given, normalised_address(given))],
            digests=digests,
            is_key=_key_test(user),
        )
        found = self._search(evidence, label="MiB")
        for _attempt in range(_TRIES if clean else 0):
            if not _left(found, _kept_on_purpose(user)):
                break
            remains.rewrite(found.tables)
            remains.renew_log()
            found = self._search(evidence, label="MiB, again")
        if not digests:
            self.stdout.write(_NO_DIGESTS)
        self._report(user, found)

    def _search(self, evidence: Evidence, *, label: str) -> Remains:
        remains.checkpoint()
        with shown(label) as progress:
            return remains.search(remains.cluster_folder(), evidence, progress=progress)

    def _report(self, user: UUID, found: Remains) -> None:
        """Raises ``CommandError`` if anything remains that is not kept on purpose."""
        kept = _kept_on_purpose(user)
        left = _left(found, kept)
        for place, number in kept.items():
            self.stdout.write(f"{place}: the id in {number:,} rows, kept on purpose. Nothing in them can be decrypted.")
        for place, counts in left.items():
            what = ", ".join(f"{kind} {counted(number, 'time')}" for kind, number in sorted(counts.items()))
            lasts = _LASTS.get(place) or (_LAST if place.startswith("table ") else _OTHER)
            self.stdout.write(f"{place}: {what}; {lasts}.")
        if any("wrapped key" in counts for counts in left.values()):
            self.stdout.write("With the wrapped key and a master key, ciphertexts of this user can still be decrypted.")
        if found.unread:
            self.stdout.write(f"{found.unread:,} files could not be read.")
        self.stdout.write(_ELSEWHERE)
        if left:
            raise CommandError("Something remains of this user.")
        self.stdout.write("In the files of the database nothing else was found.")

    def _explain(self) -> None:
        self.stdout.write(_EXTERNAL)
        self.stdout.write("  VACUUM (FULL, ANALYZE);")
        # Again, without what the first statement has replaced in it.
        self.stdout.write(f"  VACUUM FULL {STATISTICS};")
        self.stdout.write("Nothing was searched.")


def _kept_on_purpose(user: UUID) -> dict[str, int]:
    rows = {
        AuditEvent: AuditEvent.objects.for_user(user).count(),
        ErasureTrace: ErasureTrace.objects.filter(user_id=user).count(),
    }
    return {f"table {model._meta.db_table}": count for model, count in rows.items() if count}  # noqa: SLF001 - public


def _left(found: Remains, kept: Mapping[str, int]) -> dict[str, Mapping[str, int]]:
    """What was found by place, without the ids that are kept on purpose, and statistics of the rows with them."""
    kept_in = {*kept, *([_STATISTICS] if kept else [])}
    return {place: counts for place, counts in found.places.items() if place not in kept_in or counts.keys() != {"id"}}


def _key_test(user: UUID) -> Callable[[bytes], bool]:
    """Whether a token is a key of this user, wrapped by one of the master keys. Raises ``CommandError``."""
    try:
        return partial(master_keys().opens_key_of, user)
    except KeyConfigurationError as error:
        raise CommandError(str(error)) from error
