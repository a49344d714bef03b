"""How hard tests try."""

import os
from typing import Final

LONG: Final = os.environ.get("ADIUVA_TEST_LONG") == "1"
"""Whether the tests run with ``./dev test --long``."""


def tries(usual: int, *, long: int) -> int:
    """The number of examples for a property: ``long`` with ``./dev test --long``."""
    return long if LONG else usual
