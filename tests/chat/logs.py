"""The implementations of frame logs, for tests that hold for each of them."""

from collections.abc import Mapping
from typing import Final

from chat.turns.supervisor import MakeLog, memory_log

LOGS: Final[Mapping[str, MakeLog]] = {"memory": memory_log}
