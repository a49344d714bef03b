"""System checks of the configuration, each with an id and a hint that says what to set.

E001 to E005, E008 and E009 also keep the server from starting (``refuse_bad_start``); ``manage.py check`` only lists
them.
"""

import os
from importlib.util import find_spec
from typing import Any

import psycopg
from django.conf import settings
from django.core import checks
from django.core.exceptions import ImproperlyConfigured

from accounts.cipher import MasterKeys
from accounts.errors import KeyConfigurationError
from accounts.keys.masters import key_problem, missing_master_keys_of_deployment
from agents.adapters.dialects import Api

TAG = "adiuva"
_MIN_SECRET_CHARS = 50
_MIN_DIFFERENT_CHARS = 5
_SAMPLE_PREFIX = "django-insecure-"


def refuse_bad_start() -> None:
    """Raises ``ImproperlyConfigured`` with one sentence if the server must not start with this configuration."""
    errors = [message for message in checks.run_checks(tags=[TAG]) if message.is_serious()]
    if errors:
        first = min(errors, key=lambda message: str(message.id))
        raise ImproperlyConfigured(f"{first.msg} {first.hint}")


@checks.register(TAG)
def check_secret_key(**_: object) -> list[checks.CheckMessage]:
    if settings.DEBUG:
        return []
    hint = "Set ADIUVA_SECRET_KEY to at least 50 random characters."
    if not settings.SECRET_KEY_IS_SET:
        return [checks.Error("There is no secret key.", hint=hint, id="adiuva.E001")]
    key = settings.SECRET_KEY
    if len(key) < _MIN_SECRET_CHARS or len(set(key)) < _MIN_DIFFERENT_CHARS or key.startswith(_SAMPLE_PREFIX):
        return [checks.Error("The secret key can be guessed.", hint=hint, id="adiuva.E002")]
    return []


@checks.register(TAG)
def check_master_keys(**_: object) -> list[checks.CheckMessage]:
    hint = "Set ADIUVA_MASTER_KEYS to Fernet keys, newest first, separated by commas."
    if not settings.MASTER_KEYS.strip():
        return [checks.Error("There are no master keys, so users' keys cannot be opened.", hint=hint, id="adiuva.E003")]
    try:
        MasterKeys.parse(settings.MASTER_KEYS)
    except KeyConfigurationError as error:
        return [checks.Error(str(error), hint=hint, id="adiuva.E004")]
    return []


@checks.register(TAG)
def check_allowed_hosts(**_: object) -> list[checks.CheckMessage]:
    hint = "Set ADIUVA_ALLOWED_HOSTS to the host names of this server, separated by commas."
    if settings.DEBUG or (settings.ALLOWED_HOSTS and "*" not in settings.ALLOWED_HOSTS):
        return []
    return [checks.Error("The server does not know by which host names it is called.", hint=hint, id="adiuva.E005")]


@checks.register(TAG)
def check_anthropic(**_: object) -> list[checks.CheckMessage]:
    wanted = settings.ANTHROPIC_API_KEY or any(model.api is Api.ANTHROPIC for model in settings.MODELS)
    if not wanted or find_spec("anthropic") is not None:
        return []
    hint = "Install it: pip install 'anthropic[aiohttp]'."
    return [checks.Error("The SDK of Anthropic's models is not installed.", hint=hint, id="adiuva.E008")]


@checks.register(TAG)
def check_authorities(**_: object) -> list[checks.CheckMessage]:
    """The OpenSSL in the package ``psycopg-binary`` looks for the system's authorities where no system has them."""
    database: Any = settings.DATABASES["default"]
    named = os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR")
    if database["OPTIONS"].get("sslrootcert") != "system" or named or psycopg.pq.__impl__ != "binary":
        return []
    hint = "Set SSL_CERT_FILE to their file, such as /etc/ssl/certs/ca-certificates.crt."
    why = "DATABASE_URL trusts the system's certificate authorities (sslrootcert=system), which psycopg does not find."
    return [checks.Error(why, hint=hint, id="adiuva.E009")]


@checks.register(checks.Tags.security, deploy=True)
def check_keys_in_database(**_: object) -> list[checks.CheckMessage]:
    """Without the tag of database checks, which run only when they are asked for."""
    hint = "Set ADIUVA_MASTER_KEYS to all master keys that are in use, the newest first."
    try:
        problem = key_problem(missing_master_keys_of_deployment)
    except psycopg.Error:
        why = "Whether the master keys fit the database is unknown: it cannot be reached, or has no tables yet."
        return [checks.Info(why, hint="Run the check again when the database is there.", id="adiuva.I001")]
    return [checks.Error(problem, hint=hint, id="adiuva.E007")] if problem else []


@checks.register(checks.Tags.security, deploy=True)
def check_debug(**_: object) -> list[checks.CheckMessage]:
    if not settings.DEBUG:
        return []
    return [checks.Error("Debugging is on.", hint="Remove ADIUVA_DEBUG, or set it to 0.", id="adiuva.E006")]


@checks.register(checks.Tags.security, deploy=True)
def check_second_factor(**_: object) -> list[checks.CheckMessage]:
    """The default outside development asks all staff for one."""
    if settings.STAFF_SECOND_FACTOR == "REQUIRED":
        return []
    hint = "Remove ADIUVA_STAFF_SECOND_FACTOR, or set it to required."
    return [checks.Warning("Staff may sign in with a password alone.", hint=hint, id="adiuva.W010")]


@checks.register(checks.Tags.database, deploy=True)
def check_embedded_database(**_: object) -> list[checks.CheckMessage]:
    if settings.DATABASE_URL:
        return []
    hint = "Set DATABASE_URL to a PostgreSQL with pgvector, which can be backed up and used by several processes."
    return [checks.Warning("The embedded database is in use.", hint=hint, id="adiuva.W001")]
