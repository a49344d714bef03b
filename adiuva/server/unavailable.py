"""A page instead of an unknown error where a key cannot be opened, or is gone, or the database cannot be reached.

REST, MCP and sockets answer by themselves.
"""

import logging

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from accounts.database import DATABASE_ERRORS, cause_of
from accounts.errors import KEY_ERRORS, AccountGone
from accounts.rest.errors import unreachable

logger = logging.getLogger(__name__)


class UnavailableMiddleware(MiddlewareMixin):
    """Answers 503 when a view, or the template of its answer, needs such a key or the database, and 410 when it needs
    the key of an account that is being erased."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, KEY_ERRORS):
            logger.error("A page needs a key that cannot be opened: %s", exception)
            return render(request, "503.html", status=503)
        if isinstance(exception, AccountGone):
            return render(request, "410.html", status=410)
        if isinstance(exception, DATABASE_ERRORS):
            logger.warning("a page needs the database, which cannot be used: %s", cause_of(exception))
            return unreachable(request)
        return None
