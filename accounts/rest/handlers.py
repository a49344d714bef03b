"""Django's error handlers, for what never reaches a view of REST framework: JSON below ``/api/``, pages elsewhere.

The root URLconf names them: ``handler404 = "accounts.rest.handlers.not_found"``, and so on.
"""

import sys

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views import defaults

from accounts.rest.errors import problem_of


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """For ``handler400``."""
    if _is_rest(request):
        return _told(exception)
    return defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """For ``handler403``."""
    if _is_rest(request):
        return _told(PermissionDenied())
    return defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """For ``handler404``."""
    if _is_rest(request):
        return _told(Http404())
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """For ``handler500``, which Django calls while it handles the error."""
    error = sys.exc_info()[1]
    if _is_rest(request) and isinstance(error, Exception):
        return _told(error)
    return defaults.server_error(request)


def _is_rest(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def _told(error: Exception) -> JsonResponse:
    problem = problem_of(error)
    return JsonResponse(problem.body, status=problem.status, headers=problem.all_headers)
