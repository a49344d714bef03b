"""A pool of processes, for encrypting more rows than one processor should handle alone."""

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

MAX_PROCESSES: Final = 4
"""More would only wait for the database."""


@contextmanager
def process_pool(size: int) -> Iterator[Executor | None]:
    """A pool of forked processes for the block; None for a ``size`` of one, and where processes cannot be forked.

    Must start before the process has other threads. Arguments and results are pickled.
    """
    if size < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield None
        return
    # Each process has connections of its own: two processes that write to one connection break it for both.
    close_connections()
    # The collector would look through existing objects again and again in each process, and copy their memory.
    gc.freeze()
    with ProcessPoolExecutor(size, mp_context=multiprocessing.get_context("fork"), initializer=_start) as pool:
        pool.submit(os.getpid).result()  # all processes exist from now on
        yield pool


def in_pool() -> bool:
    """Whether this process belongs to a pool."""
    return multiprocessing.parent_process() is not None


def processors() -> int:
    """How many processes a pool should have on this machine."""
    return min(os.cpu_count() or 1, MAX_PROCESSES)


def close_connections() -> None:
    """Return every connection and close the pools; the next query opens them again.

    A pool that stays open keeps trying to reach a database that was stopped.
    """
    connections.close_all()
    for connection in connections.all(initialized_only=True):
        if isinstance(connection, DatabaseWrapper):
            connection.close_pool()


def _start() -> None:
    # Ctrl-C reaches every process of a terminal: the parent decides, and lets started batches finish.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.disable()  # rows hold no cycles
    Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    """A killed parent cannot say so, and no one would take our results."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
