"""Settings of the test session: the real ones, read from an environment independent of the developer's shell."""

import os
from pathlib import Path

_KEPT = {
    "ADIUVA_TEST_DATA_DIR",
    "ADIUVA_TEST_FIRST",
    "ADIUVA_TEST_LONG",
    "ADIUVA_TEST_PICTURES",
    "ADIUVA_TEST_SECOND",
    "DATABASE_URL",
}
_OURS = ("ADIUVA_", "OPENAI_", "LANGFUSE_", "DATABASE_", "REDIS_", "AMQP_", "DJANGO_SETTINGS_MODULE")

for name in [name for name in os.environ if name.startswith(_OURS) and name not in _KEPT]:
    del os.environ[name]
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
os.environ["ADIUVA_DEBUG"] = "1"
os.environ["ADIUVA_DATA_DIR"] = os.environ.get("ADIUVA_TEST_DATA_DIR") or str(
    Path(__file__).resolve().parent.parent / "var" / "test"
)

from adiuva.settings import *  # noqa: E402, F403 - after the environment is set

PASSWORD_HASHERS = ["tests.hashers.CheapArgon2"]
# Letters are written in a thread, which sees no rows of a test's transaction: tests of e-mail turn it on.
MAIL_ENABLED = False
