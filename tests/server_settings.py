"""Settings of the servers that tests and benchmarks start: the real ones, with cheap password hashing."""

from adiuva.settings import *  # noqa: F403

PASSWORD_HASHERS = ["tests.hashers.CheapArgon2"]
