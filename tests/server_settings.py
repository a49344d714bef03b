"""Settings of the servers that tests and benchmarks start: the real ones, with cheap password hashing."""

from adiuva.settings import *  # noqa: F403
from adiuva.settings import MAIL_SERVER

PASSWORD_HASHERS = ["tests.hashers.CheapArgon2"]
# Not to the console: many accounts would fill a pipe that no one reads.
MAIL_ENABLED = MAIL_SERVER is not None
