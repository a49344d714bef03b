"""What our server process offers to sockets beyond ASGI: the names of the extensions in their scope. Pure."""

from typing import Final

IS_OPEN: Final = "adiuva.is_open"
"""Says whether the client is still there, as far as is known."""
PACE_LARGE: Final = "adiuva.pace_large"
"""Takes the bucket by which large messages are read, once their user is known."""
SEND_NOW: Final = "adiuva.send_now"
"""Sends a text at once, if the client reads and the socket is open; returns whether it has."""
