"""Settings of the servers that benchmarks start: those of tests, with tokens that outlast each of them."""

from datetime import timedelta

from tests.server_settings import *  # noqa: F403
from tests.server_settings import SIMPLE_JWT as _TOKENS

SIMPLE_JWT = {**_TOKENS, "ACCESS_TOKEN_LIFETIME": timedelta(hours=1)}
