"""Names that the agents' rows hold: of tools, and those that clients make up."""

from typing import Final

MAX_TOOL_CHARS: Final = 100
MAX_NAME_CHARS: Final = 200


def storable(name: str) -> str:
    """A name that a client made up, without what the database cannot hold."""
    return name.encode("utf-8", "replace").decode().replace("\0", "")
