"""``adiuva.asgi.application``, for any ASGI server (``adiuva/server/asgi.py``)."""

from adiuva.server.asgi import application

__all__ = ["application"]
