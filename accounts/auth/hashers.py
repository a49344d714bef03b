"""How passwords are hashed: few at a time, so that sign-ins do not take the processor and the memory from requests."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final

from django.contrib.auth.hashers import Argon2PasswordHasher

_NICENESS: Final = 19
"""The least priority: what others wait for comes first."""


class BoundedArgon2Hasher(Argon2PasswordHasher):
    """Argon2id with 46 MiB and three passes (about 0.15 s) on one core; at a time as many as half the cores.

    OWASP's minimum is one pass over as much. Django's default takes 100 MiB and all cores.
    """

    time_cost = 3
    memory_cost = 47_104
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        encoded: str = _hashing().submit(super().encode, password, salt).result()
        return encoded

    def verify(self, password: str, encoded: str) -> bool:
        verified: bool = _hashing().submit(super().verify, password, encoded).result()
        return verified


@cache
def _hashing() -> ThreadPoolExecutor:
    at_once = max(1, (os.cpu_count() or 1) // 2)
    return ThreadPoolExecutor(at_once, thread_name_prefix="hashing", initializer=_give_way)


def _give_way() -> None:
    # Only on Linux a thread has a priority of its own.
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


# Threads do not survive a fork.
os.register_at_fork(after_in_child=_hashing.cache_clear)
