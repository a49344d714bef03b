"""The one way from the event loop to Django's database connections."""

import operator
from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

from channels.db import database_sync_to_async
from django.db import InterfaceError, OperationalError
from psycopg import Error
from psycopg_pool import PoolTimeout

_P = ParamSpec("_P")
_T = TypeVar("_T")


DATABASE_ERRORS: Final = (OperationalError, InterfaceError, PoolTimeout)
"""The database cannot be reached, or cannot do now what it is asked. Trying again may help."""
UNREACHABLE: Final = "The server cannot reach its database. Try again in a moment."
RETRY_AFTER_S: Final = 2
"""What clients are told after such an error."""


def cause_of(error: BaseException) -> str:
    """What the driver calls a database error, for the log, such as ``DiskFull (53100)``.

    Django has one class for a full disk, a database that is away, and much else.
    """
    cause = error.__cause__ if isinstance(error.__cause__, Error) else error
    state = getattr(cause, "sqlstate", None)
    return f"{type(cause).__name__} ({state})" if state else type(cause).__name__


async def in_database(work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Run ``work``, which uses the ORM, in a worker thread and return its result.

    Not thread-sensitive: one slow query must not stall every other turn of the process.
    """
    result: _T = await _in_thread(work, *args, **kwargs)
    return result


# Made once: asgiref inspects the function whenever such a wrapper is made.
_in_thread = database_sync_to_async(operator.call, thread_sensitive=False)
