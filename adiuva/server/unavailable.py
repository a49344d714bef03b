"""A page instead of an unknown error where a key cannot be opened or the database cannot be reached.

REST, MCP and sockets answer by themselves.
"""

import logging
from typing import Final

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin
from psycopg_pool import PoolTimeout

from accounts.errors import KEY_ERRORS

logger = logging.getLogger(__name__)

_DATABASE_ERRORS: Final = (OperationalError, InterfaceError, PoolTimeout)
_RETRY_S: Final = 5


class UnavailableMiddleware(MiddlewareMixin):
    """Answers 503 when a view, or the template of its answer, needs what is not available."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, KEY_ERRORS):
            logger.error("A page needs a key that cannot be opened: %s", exception)
            return render(request, "503.html", status=503)
        if isinstance(exception, _DATABASE_ERRORS):
            # The log leaves out the error's message, which may quote values (logs.py).
            logger.error("A page needs the database, which cannot be used", exc_info=exception)
            page = render(request, "503_database.html", status=503)
            page.headers["Retry-After"] = str(_RETRY_S)
            return page
        return None
