"""Throttles of all requests of one user, of those without authentication, and of those that ask for the password again.

``accounts/auth/attempts.py`` says how attempts are counted. No view is imported here: REST framework's views import
this module by its name in settings.
"""

import math
import time
from collections.abc import Callable
from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.addresses import normalised_address
from accounts.auth import attempts
from accounts.networks import ip_of
from accounts.rest.requests import user_of


class AttemptThrottle(BaseThrottle):
    """Limits the attempts of one ``scope`` by ``settings.ATTEMPT_RATES``: networks by the rate of that name,
    addresses by the rate with ``_address`` appended, if it exists.
    """

    scope: str

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._wait_s: float | None = None

    def allow_request(self, request: Request, view: Any) -> bool:  # noqa: ARG002 (REST framework passes it)
        ip, address = ip_of(request), self.address_in(request)
        self._wait_s = attempts.wait_s(self.scope, ip=ip, address=address, now=self._clock())
        return self._wait_s is None

    def wait(self) -> float | None:
        """Seconds until the next attempt is allowed."""
        return self._wait_s

    def address_in(self, request: Request) -> str | None:
        """The email address that an attempt names."""
        email = request.data.get("email") if isinstance(request.data, dict) else None
        return email if isinstance(email, str) else None


class UserThrottle(AttemptThrottle):
    """Counts requests with an access token, by the rate ``rest``. Where a view has a throttle of its own, that counts
    instead.
    """

    scope = "rest"

    def allow_request(self, request: Request, view: Any) -> bool:
        if request.auth is not None:
            count = attempts.count_of_user(self.scope, user_of(request).id, now=self._clock())
            self._wait_s = count.wait_s
            # The view adds these to its response.
            view.headers.update(_rate_limit_headers(self.scope, count))
        return self._wait_s is None


def _rate_limit_headers(name: str, count: attempts.Count) -> dict[str, str]:
    """As in the IETF's draft "RateLimit header fields for HTTP"."""
    remaining = max(0, count.limit - count.used)
    return {
        "RateLimit-Policy": f'"{name}";q={count.limit};w={count.period_s}',
        "RateLimit": f'"{name}";r={remaining};t={math.ceil(count.reset_s)}',
    }


class LoginThrottle(AttemptThrottle):
    scope = "login"


class PasswordThrottle(LoginThrottle):
    """For the password of a signed-in user: guesses count with those of signing in. ``confirm`` counts codes."""

    def address_in(self, request: Request) -> str | None:
        return user_of(request).email


class RegistrationThrottle(AttemptThrottle):
    scope = "register"


class RefreshThrottle(AttemptThrottle):
    """For everything that takes a refresh token."""

    scope = "refresh"


class PasskeyLoginThrottle(LoginThrottle):
    """For signing in with a passkey, which names no address."""

    def address_in(self, request: Request) -> str | None:  # noqa: ARG002 (it overrides)
        return None


class PasskeyThrottle(PasskeyLoginThrottle):
    """For everything that stores a challenge."""

    scope = "passkey"


class LinkThrottle(AttemptThrottle):
    """For asking for a link by e-mail, and for using one."""

    scope = "link"


class VerificationThrottle(LinkThrottle):
    """For asking for a link that verifies the address. Addresses count apart from those that ask for a new password:
    a verified one is sent nothing, and anyone may ask.
    """

    def address_in(self, request: Request) -> str | None:
        email = super().address_in(request)
        return None if email is None else f"{normalised_address(email)} verify"


class ExportThrottle(AttemptThrottle):
    scope = "export"

    def address_in(self, request: Request) -> str | None:
        return user_of(request).email


class PersonalTokenThrottle(AttemptThrottle):
    scope = "personal_token"
