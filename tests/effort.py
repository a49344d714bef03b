"""How hard tests try."""

import os
from typing import Final

LONG: Final = os.environ.get("ADIUVA_TEST_LONG") == "1"
"""Whether ``./dev test --long`` runs."""


def tries(usual: int, *, long: int) -> int:
    """How many inputs a law is tried with: ``long`` with ``./dev test --long``."""
    return long if LONG else usual
