"""The names of the ASGI extensions that our server process offers to sockets, in their scope. Pure."""

from typing import Final

IS_OPEN: Final = "adiuva.is_open"
"""Returns whether the client is still connected, as far as is known."""
PACE_LARGE: Final = "adiuva.pace_large"
"""Sets the token bucket for reading large messages, once their user is known."""
SEND_NOW: Final = "adiuva.send_now"
"""Sends a text at once if the socket is open and not congested, and returns whether it did."""
TAKE_NOW: Final = "adiuva.take_now"
"""Sets a function that is called with each text while the application waits for one. The function returns whether it
has handled the text; otherwise the application receives it as usual."""
