"""Fixtures and helpers of the account tests."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partialmethod
from threading import Barrier
from typing import TypeVar

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.core import mail as django_mail
from django.core.mail import EmailMessage
from django.db import connections, models
from django.db.models.signals import pre_save
from pytest_django import Settings
from rest_framework.test import APIClient

from accounts.auth import attempts, links, mail, notices, verification
from accounts.auth.mail import WriteEmail
from accounts.auth.tokens import issue_tokens
from accounts.models import User
from accounts.rest.throttles import AttemptThrottle
from adiuva.rates_setting import Rate

_Result = TypeVar("_Result")


@pytest.fixture
def anonymous() -> APIClient:
    """A client that sends no token."""
    return APIClient()


@pytest.fixture
def as_alice(alice: User) -> APIClient:
    """A client with an access token of Alice."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_tokens(alice).access}")
    return client


@pytest.fixture
def hashes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The name of every password hash that is computed, in order."""
    computed: list[str] = []

    def counted(name: str) -> Callable[..., object]:
        original = getattr(Argon2PasswordHasher, name)

        def call(*args: object, **kwargs: object) -> object:
            computed.append(name)
            return original(*args, **kwargs)

        return call

    for name in ("encode", "verify"):
        monkeypatch.setattr(Argon2PasswordHasher, name, counted(name))
    return computed


@pytest.fixture
def rates(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets rates by name, such as ``login="2/d"``. The throttles' clock stays at noon."""
    monkeypatch.setattr(attempts, "clock", lambda: 43_200.0)
    at_noon = partialmethod(AttemptThrottle.__init__, clock=lambda: 43_200.0)
    monkeypatch.setattr(AttemptThrottle, "__init__", at_noon)

    def change(**named: str) -> None:
        changed = {name: Rate.parse(text, name=name) for name, text in named.items()}
        settings.ATTEMPT_RATES = {**settings.ATTEMPT_RATES, **changed}

    return change


def at_once(first: Callable[[], _Result], second: Callable[[], _Result]) -> list[_Result]:
    """Run both in threads with database connections of their own and return both results."""

    def alone(job: Callable[[], _Result]) -> _Result:
        try:
            return job()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(alone, (first, second), timeout=120))


@contextmanager
def both_before_inserting(model: type[models.Model]) -> Iterator[None]:
    """Make two threads wait for each other before they insert a ``model``, so that neither sees the other's row."""
    barrier = Barrier(2)

    def wait(*, instance: models.Model, **_: object) -> None:
        if instance._state.adding:
            barrier.wait(timeout=20)

    pre_save.connect(wait, sender=model, weak=False)
    try:
        yield
    finally:
        pre_save.disconnect(wait, sender=model)


@pytest.fixture
def letters(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[EmailMessage]]:
    """Turns e-mail on. Calling it writes the waiting letters, in the test's transaction, and returns them."""
    settings.MAIL_ENABLED = True
    waiting: list[WriteEmail] = []
    for module in (links, notices, verification):
        monkeypatch.setattr(module, "send_later", lambda write, kind: waiting.append(write))

    def sent() -> list[EmailMessage]:
        django_mail.outbox.clear()
        for write in waiting:
            if (letter := write()) is not None:
                mail.deliver(letter)
        waiting.clear()
        return list(django_mail.outbox)

    return sent


def link_in(letter: EmailMessage) -> str:
    """The link in a letter, which is on a line of its own."""
    [link] = [line for line in str(letter.body).splitlines() if line.startswith("http")]
    return link
