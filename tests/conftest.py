"""What every test stands on: a database of its own, a closed network, the cast.

Nothing here imports Django before a test asks for it: the device's tests run where Django does not exist.
"""

import ipaddress
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pytest_django import DjangoDbBlocker

    from accounts.models import User

# How long an example takes says how busy the machine is, not whether the code is right. In CI the examples are the same
# at every run (Hypothesis' own "ci" profile), so that a change is not blamed for what it did not do.
settings.register_profile(
    "adiuva",
    parent=settings.get_profile("ci") if os.environ.get("CI") == "true" else settings.default,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("adiuva")

PASSWORD = "correct horse battery staple"
_SERVICES = {"redis": ("Redis", 6379), "rabbitmq": ("RabbitMQ", 5672)}
CHROMIUM = Path("/usr/bin/chromium")


class NetworkDenied(BaseException):
    """A test tried to leave this machine. Not an ``Exception``, so that no retry of a library swallows it."""


def _stays_here(address: object) -> bool:
    if not isinstance(address, tuple):
        return True  # a Unix socket
    host = str(address[0])
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True, scope="session")
def _interruptible() -> None:
    """Ctrl-C counts, here and in what tests start, though a shell that ran them in the background has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _closed_network() -> Iterator[None]:
    """Connections go to loopback and Unix sockets only, so no real model can be asked by mistake."""

    def guarded(connect: Callable[..., object]) -> Callable[..., object]:
        def guard(self: socket.socket, address: object) -> object:
            if not _stays_here(address):
                raise NetworkDenied(f"tests may not connect to {address!r}")
            return connect(self, address)

        return guard

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded(socket.socket.connect))
        patch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex))
        yield


@pytest.fixture(autouse=True)
def _no_connection_left_behind() -> Iterator[None]:
    """Gives back what a test left open on the thread where asgiref runs synchronous code for every event loop.

    The next test may be one that may not touch the database, and tidying up a stranger's connection is touching it.
    """
    yield
    if "django.db" not in sys.modules:
        return
    # Not at the top: see the module's docstring.
    from asgiref.sync import SyncToAsync
    from django.db import connections

    SyncToAsync.single_thread_executor.submit(connections.close_all).result(timeout=30)


@pytest.fixture(autouse=True)
def _needed_services(request: pytest.FixtureRequest) -> None:
    """Skips a test whose service or browser is not there; in CI, where it must be, the test fails instead."""
    for sentence in _missing(request.node):
        if os.environ.get("CI") == "true":
            pytest.fail(sentence)
        pytest.skip(sentence)


def _missing(test: pytest.Item) -> Iterator[str]:
    for mark, (name, port) in _SERVICES.items():
        if test.get_closest_marker(mark) and not _listens(port):
            yield f"needs {name} at 127.0.0.1:{port}, which is not running"
    if test.get_closest_marker("browser") and not CHROMIUM.exists():
        yield f"needs Chromium at {CHROMIUM}, which is not installed"


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="session")
def database_server() -> Iterator[None]:
    """The PostgreSQL of the session: the embedded one in ``var/test``, or the one ``DATABASE_URL`` names."""
    # Not at the top: see the module's docstring.
    from django.conf import settings

    from adiuva.embedded_postgres import running
    from tests.databases import drop_orphans

    if settings.DATABASE_URL:
        yield
        return
    with running(settings.DATA_DIR):
        drop_orphans()
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(database_server: None) -> None:
    """Has pytest-django wait for the server before it makes the test database."""


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: "DjangoDbBlocker") -> Iterator[None]:
    """pytest-django's own, whose test database can be dropped though a thread still holds a connection to it.

    What sockets ask the database runs on threads that outlive the test which asked.
    """
    yield
    # Not at the top: see the module's docstring.
    from tests.databases import end_other_sessions

    with django_db_blocker.unblock():
        end_other_sessions()


@pytest.fixture
def fresh_database_url(database_server: None) -> Iterator[str]:
    """The ``DATABASE_URL`` of an empty database, for a test that starts the real server process."""
    # Not at the top: see the module's docstring.
    from tests.databases import fresh_database

    with fresh_database() as url:
        yield url


@pytest.fixture
def alice(db: None) -> "User":
    """Who owns it."""
    return _account("alice@example.com")


@pytest.fixture
def bob(db: None) -> "User":
    """Who owns another."""
    return _account("bob@example.com")


@pytest.fixture
def sam(db: None) -> "User":
    """Who is staff."""
    user = _account("sam@example.com")
    user.is_staff = True
    user.save(update_fields=["is_staff"])
    return user


def _account(email: str) -> "User":
    # Not at the top: see the module's docstring.
    from accounts.models import User

    return User.objects.create_user(email, PASSWORD)
