"""Processes that encrypt side by side, for more rows than one processor should be left alone with."""

import gc
import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from threading import Thread
from typing import Final

from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

MOST: Final = 4
"""More of them would only wait for the database."""


@contextmanager
def crew(size: int) -> Iterator[Executor | None]:
    """So many processes until the end of the block; None for one, and where processes cannot be forked.

    To be begun before the process has other threads. What is handed to them is pickled.
    """
    if size < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield None
        return
    # Each has connections of its own: one that two processes write to is broken for both.
    close_connections()
    # What is there already is not looked through for garbage again and again, nor copied for that.
    gc.freeze()
    with ProcessPoolExecutor(size, mp_context=multiprocessing.get_context("fork"), initializer=_join) as pool:
        pool.submit(os.getpid).result()  # all of them are there from now on
        yield pool


def in_crew() -> bool:
    """Whether this process is one of a crew."""
    return multiprocessing.parent_process() is not None


def processors() -> int:
    """How many a crew should have here."""
    return min(os.cpu_count() or 1, MOST)


def close_connections() -> None:
    """Gives every connection back, and closes the pools. One that is left open goes on trying to reach a database that
    has been stopped; using the database again opens another.
    """
    connections.close_all()
    for connection in connections.all(initialized_only=True):
        if isinstance(connection, DatabaseWrapper):
            connection.close_pool()


def _join() -> None:
    # Ctrl-C reaches every process of a terminal: the first one decides, and lets batches that have begun be ended.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.disable()  # rows hold nothing that refers to itself
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """One that is killed cannot tell us; and nobody would take what we do."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
