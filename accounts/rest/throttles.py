"""Throttles for requests that need no authentication, and for requests that ask for the password again.

An attempt counts for the network it comes from and then, if it names one, for the email address it is about. Networks
have the lower limit and are checked first; an attempt refused there does not count for the address, so one network
alone cannot lock out an address. Counters are incremented atomically in Django's cache (docs/decisions.md).
"""

import hashlib
import math
import time
from collections.abc import Callable, Iterator
from ipaddress import IPv6Network, ip_address

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts.models import normalised_address
from accounts.rest.requests import user_of


class AttemptThrottle(BaseThrottle):
    """Limits the attempts of one ``scope`` by ``settings.ATTEMPT_RATES``: networks by the rate of that name,
    addresses by the rate with ``_address`` appended, if it exists.
    """

    scope: str

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._wait_s: float | None = None

    def allow_request(self, request: Request, view: APIView) -> bool:  # noqa: ARG002 (REST framework passes it)
        return all(self._admits(name, subject) for name, subject in self._subjects(request))

    def wait(self) -> float | None:
        """Seconds until the next attempt is allowed."""
        return self._wait_s

    def address_in(self, request: Request) -> str | None:
        """The email address that an attempt names."""
        email = request.data.get("email") if isinstance(request.data, dict) else None
        return normalised_address(email) if isinstance(email, str) else None

    def _subjects(self, request: Request) -> Iterator[tuple[str, str]]:
        """Each with the name of its rate."""
        yield self.scope, network_of(str(self.get_ident(request)))
        address = self.address_in(request)
        if address is not None and f"{self.scope}_address" in settings.ATTEMPT_RATES:
            yield f"{self.scope}_address", address

    def _admits(self, name: str, subject: str) -> bool:
        """Count one attempt in the current period."""
        rate, now = settings.ATTEMPT_RATES[name], self._clock()
        # A digest, because subjects may be long, and private in a shared cache.
        digest = hashlib.sha256(subject.encode("utf-8", "replace")).hexdigest()
        key = f"attempts:{name}:{digest}:{math.floor(now / rate.period_s)}"
        cache.add(key, 0, timeout=rate.period_s)
        # Atomic: concurrent attempts are all counted.
        if cache.incr(key) <= rate.limit:
            return True
        self._wait_s = rate.period_s - now % rate.period_s
        return False


class LoginThrottle(AttemptThrottle):
    scope = "login"


class PasswordThrottle(LoginThrottle):
    """For the password of a signed-in user: guesses count with those of signing in."""

    def address_in(self, request: Request) -> str | None:
        return user_of(request).email


class RegistrationThrottle(AttemptThrottle):
    scope = "register"


class RefreshThrottle(AttemptThrottle):
    """For everything that takes a refresh token."""

    scope = "refresh"


class PersonalTokenThrottle(AttemptThrottle):
    scope = "personal_token"


def network_of(ident: str) -> str:
    """The network of one customer: an IPv4 address or the /64 of an IPv6 address; anything else unchanged."""
    try:
        address = ip_address(ident)
    except ValueError:
        return ident
    if address.version == 4:
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((int(address), 64), strict=False))
