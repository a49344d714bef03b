from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone as clock
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from accounts.auth.devices import DeviceFacts, note_departure, register_device
from accounts.auth.tokens import bearer_of, grant_of, issue_tokens
from accounts.models import User
from accounts.session_models import Device

DEVICES = "/api/v1/devices"


def used_by(user: User, device_id: str, access: str | None = None) -> Device:
    """A device that said hello with this access token, or with one of another sign-in."""
    grant = grant_of(user, family=uuid4()) if access is None else bearer_of(access).grant
    return register_device(grant, DeviceFacts(device_id=device_id, platform="linux", app_version="1.0"))


def written(moment: object) -> str:
    return str(moment.isoformat()).replace("+00:00", "Z")  # type: ignore[attr-defined]


def test_devices_are_ones_own_the_latest_first(as_alice: APIClient, alice: User, bob: User) -> None:
    laptop, phone, _ = used_by(alice, "laptop"), used_by(alice, "phone"), used_by(bob, "tablet")
    Device.objects.filter(id=laptop.id).update(last_seen=clock.now() + timedelta(minutes=1))
    laptop.refresh_from_db()
    note_departure(alice.id, str(phone.id), since=clock.now())
    phone.refresh_from_db()
    answer = as_alice.get(DEVICES)
    assert answer.status_code == 200
    assert answer.json()["results"] == [
        {
            "id": str(device.id),
            "device_id": device.device_id,
            "platform": "linux",
            "app_version": "1.0",
            "first_seen": written(device.first_seen),
            "last_seen": written(device.last_seen),
            "online": online,
        }
        for device, online in ((laptop, True), (phone, False))
    ]


def test_device_of_a_killed_process_is_not_online_for_good(as_alice: APIClient, alice: User) -> None:
    used_by(alice, "laptop")
    Device.objects.update(online_until=clock.now() - timedelta(seconds=1))

    assert [device["online"] for device in as_alice.get(DEVICES).json()["results"]] == [False]


def test_device_that_cannot_be_opened_is_listed_and_can_be_removed(as_alice: APIClient, alice: User) -> None:
    good, bad = used_by(alice, "laptop"), used_by(alice, "phone")
    sealed = {"device_id_encrypted": good.device_id_encrypted, "platform_encrypted": good.platform_encrypted}
    Device.objects.filter(id=bad.id).update(**sealed)
    answer = as_alice.get(DEVICES)
    assert answer.status_code == 200
    assert {each["id"]: (each["device_id"], each["platform"]) for each in answer.json()["results"]} == {
        str(good.id): ("laptop", "linux"),
        str(bad.id): ("", ""),
    }
    assert as_alice.delete(f"{DEVICES}/{bad.id}").status_code == 204


@pytest.mark.parametrize("number", [1, 3])
def test_devices_cost_two_queries_for_any_number(
    as_alice: APIClient, alice: User, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    for position in range(number):
        used_by(alice, str(position))
    with django_assert_num_queries(2):
        assert len(as_alice.get(DEVICES).json()["results"]) == number


def test_removing_a_device_ends_its_tokens_and_no_others(anonymous: APIClient, alice: User) -> None:
    lost, kept = issue_tokens(alice), issue_tokens(alice)
    renewed = anonymous.post("/api/v1/auth/token/refresh", {"refresh": lost.refresh}, format="json").json()
    device = used_by(alice, "laptop", lost.access)
    used_by(alice, "phone", kept.access)

    anonymous.credentials(HTTP_AUTHORIZATION=f"Bearer {kept.access}")
    answer = anonymous.delete(f"{DEVICES}/{device.id}")
    assert (answer.status_code, answer.content) == (204, b"")
    assert [shown["device_id"] for shown in anonymous.get(DEVICES).json()["results"]] == ["phone"]
    sessions = anonymous.get("/api/v1/auth/sessions").json()["results"]
    assert [(shown["current"], shown["device"]["device_id"]) for shown in sessions] == [(True, "phone")]

    for access in (lost.access, renewed["access"]):
        anonymous.credentials(HTTP_AUTHORIZATION=f"Bearer {access}")
        assert (anonymous.get(DEVICES).status_code, anonymous.get(DEVICES).json()["code"]) == (401, "unauthorized")
    refreshed = [
        anonymous.post("/api/v1/auth/token/refresh", {"refresh": refresh}, format="json").status_code
        for refresh in (renewed["refresh"], kept.refresh)
    ]
    assert refreshed == [401, 200]


def test_device_that_is_anothers_or_gone_or_never_was_reads_the_same(
    as_alice: APIClient, alice: User, bob: User
) -> None:
    anothers, gone = used_by(bob, "laptop"), used_by(alice, "phone")
    assert as_alice.delete(f"{DEVICES}/{gone.id}").status_code == 204
    for device_id in (anothers.id, gone.id, uuid4()):
        answer = as_alice.delete(f"{DEVICES}/{device_id}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    anothers.refresh_from_db()
    assert anothers.removed_at is None


@pytest.mark.parametrize("address", ["laptop", "1", "00000000"])
def test_malformed_id_is_not_found(as_alice: APIClient, address: str) -> None:
    assert as_alice.delete(f"{DEVICES}/{address}").status_code == 404


def test_devices_are_for_those_who_are_signed_in(anonymous: APIClient, alice: User) -> None:
    device = used_by(alice, "laptop")
    assert anonymous.get(DEVICES).status_code == 401
    assert anonymous.delete(f"{DEVICES}/{device.id}").status_code == 401
