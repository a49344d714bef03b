"""Reading at one moment: a user's keys and the rows they open, of which a rotation may be changing both."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_moment() -> Iterator[None]:
    """Everything read within the block is as it was at its first query, whatever is written meanwhile.

    Nothing can be written within it. Inside another transaction its rules hold, and this changes nothing.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
