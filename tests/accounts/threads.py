"""Jobs in threads with database connections of their own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from django.db import connections

_T = TypeVar("_T")


def alone(job: Callable[[], _T]) -> _T:
    """The job's result; its thread's connection is given back."""
    try:
        return job()
    finally:
        connections.close_all()


def as_another_process(job: Callable[[], _T]) -> _T:
    """The job's result, run by somebody else as far as the database can tell."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(partial(alone, job)).result(timeout=30)
