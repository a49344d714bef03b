"""The master keys of this installation, parsed once."""

from functools import lru_cache

from django.conf import settings

from accounts.keys import MasterKeys


def master_keys() -> MasterKeys:
    """Raises ``KeyConfigurationError`` when ``ADIUVA_MASTER_KEYS`` cannot be used."""
    return _parsed(settings.MASTER_KEYS)


@lru_cache(maxsize=1)
def _parsed(text: str) -> MasterKeys:
    return MasterKeys.parse(text)
