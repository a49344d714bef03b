import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from accounts.demo import DEMO_EMAIL, DEMO_PASSWORD, ensure_demo_account
from accounts.login import log_in
from accounts.models import User
from accounts.timezones import machine_timezone

pytestmark = pytest.mark.django_db


def test_demo_account_is_made_once_and_can_sign_in(settings: Settings) -> None:
    settings.DEBUG = True
    first = ensure_demo_account()
    assert (first.email, first.language, first.timezone) == ("demo@adiuva.local", "en", machine_timezone())
    assert ensure_demo_account() == first
    assert User.objects.count() == 1
    assert log_in(DEMO_EMAIL, DEMO_PASSWORD) == first


def test_demo_account_costs_no_hash_when_it_is_there(settings: Settings, hashes: list[str]) -> None:
    settings.DEBUG = True
    for _ in range(3):
        ensure_demo_account()
    assert hashes == ["encode"]


def test_demo_account_that_was_changed_stays_as_it_is(settings: Settings) -> None:
    settings.DEBUG = True
    demo = ensure_demo_account()
    demo.timezone = "Asia/Tokyo"
    demo.save(update_fields=["timezone"])
    assert ensure_demo_account().timezone == "Asia/Tokyo"


def test_demo_account_is_refused_outside_development(settings: Settings) -> None:
    settings.DEBUG = False
    with pytest.raises(ImproperlyConfigured, match="The demo account is for development"):
        ensure_demo_account()
    assert not User.objects.exists()
