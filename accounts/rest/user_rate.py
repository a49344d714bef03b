"""The throttle of all requests of one user.

It imports no view of REST framework's, which imports this module by its name in settings.
"""

import time
from collections.abc import Callable
from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.auth import attempts
from accounts.rest.requests import user_of


class UserThrottle(BaseThrottle):
    """Counts requests with an access token by the rate ``rest``. Views with a throttle of their own go without."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._wait_s: float | None = None

    def allow_request(self, request: Request, view: Any) -> bool:  # noqa: ARG002 (REST framework passes it)
        if request.auth is not None:
            self._wait_s = attempts.user_wait_s("rest", user_of(request).id, now=self._clock())
        return self._wait_s is None

    def wait(self) -> float | None:
        """Seconds until the next request is allowed."""
        return self._wait_s
