"""Run jobs in threads with their own database connections."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from django.db import connections

_T = TypeVar("_T")


def alone(job: Callable[[], _T]) -> _T:
    """Return the result of ``job``, and close its thread's connections."""
    try:
        return job()
    finally:
        connections.close_all()


def as_another_process(job: Callable[[], _T]) -> _T:
    """The result of ``job``, run on a database connection of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(partial(alone, job)).result(timeout=30)
