"""The account of a development server, so that a newcomer needs none."""

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ImproperlyConfigured

from accounts.models import User
from accounts.timezones import machine_timezone

DEMO_EMAIL = "demo@adiuva.local"
DEMO_PASSWORD = "adiuva-demo-2026"  # noqa: S105 (written in the documentation, and refused outside DEBUG)


def ensure_demo_account() -> User:
    """The demo account, made if there is none; one that exists stays as it is.

    Raises ``ImproperlyConfigured`` outside DEBUG: everybody knows the password.
    """
    if not settings.DEBUG:
        raise ImproperlyConfigured("The demo account is for development: it is made with ADIUVA_DEBUG=1 only.")
    return User.objects.filter(email=DEMO_EMAIL).first() or _made()


def _made() -> User:
    # Not create_user: two servers may start at once.
    defaults = {"password": make_password(DEMO_PASSWORD), "timezone": machine_timezone()}
    user, _ = User.objects.get_or_create(email=DEMO_EMAIL, defaults=defaults)
    return user
