"""Texts into rows and out of them: every ciphertext is bound to its table, its column and its row's id."""

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from django.db.models import Model

from accounts.errors import EncryptionError
from accounts.keys import Place
from accounts.vault import Vault
from memory.errors import UnreadableRow

logger = logging.getLogger(__name__)


_R = TypeVar("_R", bound=Model)
_T = TypeVar("_T")


def sealed(vault: Vault, row: Model, column: str, text: str) -> str:
    """``text`` as it may stand in ``column`` of ``row``."""
    return vault.encrypt(_place(row, column), text)


def opened(vault: Vault, row: Model, column: str) -> str:
    """The text in ``column`` of ``row``. Raises ``UnreadableRow``, which names the row and not what stands in it."""
    place = _place(row, column)
    try:
        return vault.decrypt(place, getattr(row, column))
    except EncryptionError as error:
        raise UnreadableRow(place.table, place.row_id, str(error)) from error


def readable(rows: Iterable[_R], read: Callable[[_R], _T]) -> Iterator[_T]:
    """What ``read`` makes of each row; a row that cannot be opened is left out, and the log says which."""
    for row in rows:
        try:
            value = read(row)
        except UnreadableRow as error:
            logger.warning("skipped: %s", error)
            continue
        yield value


def _place(row: Model, column: str) -> Place:
    return Place(table=row._meta.db_table, column=column, row_id=row.pk)  # noqa: SLF001 - Django's public name for it
