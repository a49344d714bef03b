"""Fixtures of all tests: a database per process, no network, the cast.

Nothing here imports Django before a test needs it: the device's tests run where Django is not installed.
"""

import gc
import ipaddress
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.effort import tries

if TYPE_CHECKING:
    from pytest_django import DjangoDbBlocker

    from accounts.models import User

# How long an example takes depends on how busy the machine is, not on the code. In CI the examples are the same
# in every run (Hypothesis' own "ci" profile), so that an unrelated change does not fail.
settings.register_profile(
    "adiuva",
    parent=settings.get_profile("ci") if os.environ.get("CI") == "true" else settings.default,
    deadline=None,
    max_examples=tries(50, long=1_000),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("adiuva")

PASSWORD = "correct horse battery staple"
_SERVICES = {"redis": ("Redis", 6379), "rabbitmq": ("RabbitMQ", 5672)}
# The headless shell, if installed, takes half the CPU of the whole browser, which renders windows that no one sees.
_BROWSERS = [Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium")]
CHROMIUM = next((path for path in _BROWSERS if path.exists()), _BROWSERS[-1])


class NetworkDenied(BaseException):
    """A test tried to connect to another machine. Not an ``Exception``, so that no library's retry swallows it."""


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


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slowest tests first."""
    items.sort(key=_precedence)


def pytest_collection() -> None:
    """Disable the garbage collector during imports: modules create permanent objects, so collecting finds nothing."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Freeze the objects that collection made: they stay until the end."""
    gc.collect()
    gc.freeze()
    gc.enable()


def _precedence(item: pytest.Item) -> int:
    """Short ones come last, so that no process is left alone with a long one."""
    kinds = [item.get_closest_marker("browser"), "benchmarks" in item.nodeid, item.get_closest_marker("end_to_end")]
    return next((place for place, kind in enumerate(kinds) if kind), len(kinds))


@pytest.fixture(autouse=True, scope="session")
def _interruptible() -> None:
    """Honour Ctrl-C here and in child processes, even if a shell that runs the tests in the background ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _closed_network() -> Iterator[None]:
    """Allow connections to loopback and Unix sockets only, so that no real model can be called by mistake."""

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
def _attempts_forgotten() -> Iterator[None]:
    """Reset the throttles before and after each test: they count by the process, whichever test made the attempts."""
    _forget_attempts()
    yield
    _forget_attempts()


def _forget_attempts() -> None:
    if "django.core.cache" in sys.modules:
        # Not at the top: see the module's docstring.
        from django.core.cache import cache

        cache.clear()


@pytest.fixture(autouse=True)
def _no_connection_left_behind() -> Iterator[None]:
    """Close what a test left open on the thread where asgiref runs synchronous code for every event loop.

    The next test may have no database access, and closing a connection left by another test counts as access.
    """
    yield
    if "django.db" not in sys.modules:
        return
    # Not at the top: see the module's docstring.
    from asgiref.sync import SyncToAsync
    from django.db import connections

    SyncToAsync.single_thread_executor.submit(connections.close_all).result(timeout=30)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose service or browser is missing; in CI, which must have it, fail instead."""
    for sentence in _missing(item):
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
def database_server(django_db_blocker: "DjangoDbBlocker") -> Iterator[None]:
    """The PostgreSQL of the session: the embedded one in ``var/test``, or the one of ``DATABASE_URL``."""
    # Not at the top: see the module's docstring.
    from django.conf import settings

    from adiuva.database.embedded import running
    from tests.databases import drop_orphans, migrated_template, prefer_speed

    with ExitStack() as server:
        if not settings.DATABASE_URL:
            server.enter_context(running(settings.DATA_DIR))
            drop_orphans()
            prefer_speed()
        with django_db_blocker.unblock():
            migrated_template()
        yield


@pytest.fixture(scope="session")
def django_db_setup(
    database_server: None, django_test_environment: None, django_db_blocker: "DjangoDbBlocker"
) -> Iterator[None]:
    """Replaces pytest-django's own, which migrates a database for each process: this copies one.

    ``empty_tables`` deletes the rows of tests that use their own transactions.
    """
    # Not at the top: see the module's docstring.
    from django.test import TransactionTestCase

    from tests.databases import django_connected_to_copy, empty_tables

    with (
        django_db_blocker.unblock(),
        django_connected_to_copy(),
        django_db_blocker.block(),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _: empty_tables())
        yield


@pytest.fixture
def fresh_database_url(database_server: None) -> Iterator[str]:
    """The ``DATABASE_URL`` of a database without rows, for a test that starts the real server process."""
    # Not at the top: see the module's docstring.
    from tests.databases import fresh_database

    with fresh_database() as url:
        yield url


@pytest.fixture
def alice(db: None) -> "User":
    """The owner of the data."""
    return _account("alice@example.com")


@pytest.fixture
def bob(db: None) -> "User":
    """The owner of other data."""
    return _account("bob@example.com")


@pytest.fixture
def sam(db: None) -> "User":
    """A staff member."""
    user = _account("sam@example.com")
    user.is_staff = True
    user.save(update_fields=["is_staff"])
    return user


def _account(email: str) -> "User":
    # Not at the top: see the module's docstring.
    from accounts.models import User

    return User.objects.create_user(email, PASSWORD)
