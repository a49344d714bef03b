"""A page instead of an unknown error where a key cannot be opened. REST, MCP and sockets answer by themselves."""

import logging

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from accounts.errors import KEY_ERRORS

logger = logging.getLogger(__name__)


class KeyErrorsMiddleware(MiddlewareMixin):
    """Answers 503 when a view, or the template of its answer, needs a key that cannot be opened."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, KEY_ERRORS):
            return None
        logger.error("A page needs a key that cannot be opened: %s", exception)
        return render(request, "503.html", status=503)
