"""The account of a development server, so that a newcomer needs none."""

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, transaction

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
    try:
        with transaction.atomic():
            return User.objects.create_user(DEMO_EMAIL, DEMO_PASSWORD, timezone=machine_timezone())
    except IntegrityError:
        return User.objects.get(email=DEMO_EMAIL)
