"""A clock and ids that a test controls."""

from dataclasses import dataclass


@dataclass
class ManualClock:
    """A clock that always shows ``now``, in milliseconds."""

    now: int = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now


@dataclass
class SequentialIds:
    """Valid UUIDs that count from 1; see ``uuid_of``."""

    made: int = 0

    def __call__(self) -> str:
        self.made += 1
        return uuid_of(self.made)


def uuid_of(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"
