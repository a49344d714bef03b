"""How long names may be that the agents' rows hold."""

from typing import Final

MAX_TOOL_CHARS: Final = 100
MAX_NAME_CHARS: Final = 200
