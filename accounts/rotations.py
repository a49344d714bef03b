"""The keys of many users, one after another or side by side."""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor, as_completed
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from accounts.crews import crew
from accounts.errors import AccountGone, EncryptionError, RotationUnderWay
from accounts.progress import SILENT, Progress
from accounts.rotation import Rotation, rotate_user_key, rows_to_renew

_WORTH_PROCESSES: Final = 5_000
_MANY_ROWS: Final = 20_000
"""A user with fewer is one process's work; the rows of one with more are shared out. It is some seconds' work: longer
than the last process should be alone at, and longer than the progress bar should stand still.
"""


@dataclass(frozen=True, slots=True)
class Failed:
    """A user whose key was not rotated, and why; without a reason the account was erased meanwhile."""

    user_id: UUID
    why: str = ""


def count_rows(users: Iterable[UUID]) -> dict[UUID, dict[str, int]]:
    """How many rows are to be encrypted again, by user and table. Who was erased meanwhile is left out."""
    found: dict[UUID, dict[str, int]] = {}
    for user_id in users:
        try:
            found[user_id] = rows_to_renew(user_id)
        except AccountGone:
            continue
    return found


def workers(rows: int, *, processes: int) -> AbstractContextManager[Executor | None]:
    """So many processes for so many rows; None where they would not be worth their starting."""
    return crew(processes if rows >= _WORTH_PROCESSES else 1)


def rotate_users(
    rows: Mapping[UUID, int], *, progress: Progress = SILENT, executor: Executor | None = None
) -> Iterator[Rotation | Failed]:
    """Gives these users new keys, of whom each has about so many rows."""
    few = {user_id for user_id, number in rows.items() if executor and number < _MANY_ROWS}
    if executor:
        yield from _shared_out(executor, few, rows, progress)
    for user_id in rows:
        if user_id not in few:
            yield _rotated(user_id, progress, executor)


def _shared_out(
    executor: Executor, users: Iterable[UUID], rows: Mapping[UUID, int], progress: Progress
) -> Iterator[Rotation | Failed]:
    begun = [executor.submit(_rotated, user_id) for user_id in users]
    try:
        for one in as_completed(begun):
            outcome = one.result()
            progress.advance(rows[outcome.user_id])
            yield outcome
    finally:
        for one in begun:
            one.cancel()


def _rotated(user_id: UUID, progress: Progress = SILENT, executor: Executor | None = None) -> Rotation | Failed:
    try:
        return rotate_user_key(user_id, progress=progress, executor=executor)
    except AccountGone:
        return Failed(user_id)
    except (EncryptionError, RotationUnderWay) as error:
        return Failed(user_id, str(error))
