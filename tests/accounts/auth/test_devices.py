from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from threading import Barrier
from uuid import UUID, uuid4

import pytest
from django.utils import timezone as clock
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.auth.devices import (
    KEPT,
    ONLINE_FOR,
    REPORT_EVERY,
    DeviceFacts,
    note_departure,
    note_online,
    register_device,
    remove_device,
    span_of,
)
from accounts.auth.tokens import grant_of, revoke_all_tokens, revoked
from accounts.errors import DeviceRemoved, DeviceUnfit, InvalidCredentials, TooManyDevices
from accounts.locks import lock_user
from accounts.models import User
from accounts.session_models import Device, DevicesOnline, TokenFamily
from tests.accounts.conftest import at_once
from tests.accounts.device_rows import stored_device
from tests.conftest import PASSWORD

LAPTOP = DeviceFacts(device_id="laptop", platform="linux", app_version="1.0")
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def families_of(device: Device) -> set[object]:
    return set(device.families.values_list("family", flat=True))


def test_device_is_known_from_its_first_hello(alice: User) -> None:
    grant = grant_of(alice, family=uuid4())
    device = register_device(grant, LAPTOP)
    device.refresh_from_db()
    assert (device.user, device.device_id, device.platform, device.app_version) == (alice, "laptop", "linux", "1.0")
    assert clock.now() - device.first_seen < timedelta(minutes=1)
    assert clock.now() - device.last_seen < timedelta(minutes=1)
    assert device.removed_at is None
    assert families_of(device) == {grant.family}
    assert str(device) == str(device.id)
    assert str(device.families.get()) == str(grant.family)


def test_device_that_comes_back_is_the_same_with_what_it_says_now(alice: User) -> None:
    first, second = (grant_of(alice, family=uuid4()) for _ in range(2))
    device = register_device(first, LAPTOP)
    Device.objects.update(first_seen=LONG_AGO, last_seen=LONG_AGO)
    for _ in range(2):
        assert register_device(second, DeviceFacts(device_id="laptop", app_version="1.1")) == device
    device.refresh_from_db()
    assert (device.platform, device.app_version, device.first_seen) == ("", "1.1", LONG_AGO)
    assert clock.now() - device.last_seen < timedelta(minutes=1)
    assert families_of(device) == {first.family, second.family}


@pytest.mark.parametrize("column", ["device_id_encrypted", "platform_encrypted"])
def test_device_whose_name_is_damaged_comes_back_and_says_it_anew(alice: User, column: str) -> None:
    device, other = register_device(grant_of(alice, family=uuid4()), LAPTOP), stored_device(alice, "phone")
    Device.objects.filter(id=device.id).update(**{column: getattr(other, column)})
    again = DeviceFacts(device_id="laptop", platform="macos")
    assert register_device(grant_of(alice, family=uuid4()), again) == device
    device.refresh_from_db()
    assert (device.device_id, device.platform) == ("laptop", "macos")


def test_two_users_may_have_devices_of_the_same_id(alice: User, bob: User) -> None:
    devices = [register_device(grant_of(user, family=uuid4()), LAPTOP) for user in (alice, bob)]
    assert [list(Device.objects.for_user(user.id)) for user in (alice, bob)] == [[devices[0]], [devices[1]]]


def test_removed_device_does_not_come_back(alice: User, bob: User) -> None:
    remove_device(register_device(grant_of(alice, family=uuid4()), LAPTOP))
    signed_in_again = grant_of(alice, family=uuid4())
    with pytest.raises(DeviceRemoved):
        register_device(signed_in_again, LAPTOP)
    assert not TokenFamily.objects.filter(family=signed_in_again.family).exists()
    assert register_device(signed_in_again, DeviceFacts(device_id="another")).removed_at is None
    assert register_device(grant_of(bob, family=uuid4()), LAPTOP).removed_at is None


def test_removing_twice_keeps_the_first_moment(alice: User) -> None:
    device = register_device(grant_of(alice, family=uuid4()), LAPTOP)
    remove_device(device)
    Device.objects.update(removed_at=LONG_AGO)
    remove_device(device)
    device.refresh_from_db()
    assert device.removed_at == LONG_AGO
    assert list(Device.objects.for_user(alice.id).present()) == []


def test_departure_is_when_a_device_was_last_seen(alice: User, bob: User) -> None:
    for user in (alice, bob):
        register_device(grant_of(user, family=uuid4()), LAPTOP)
    Device.objects.update(last_seen=LONG_AGO)
    note_departure(*named(alice, "laptop"), since=LONG_AGO)
    note_departure(alice.id, named(bob, "laptop")[1], since=LONG_AGO)
    assert [device.last_seen == LONG_AGO for device in Device.objects.order_by("user__date_joined")] == [False, True]


def test_device_is_not_taken_in_when_its_token_has_ended(alice: User) -> None:
    grant = grant_of(alice, family=uuid4())
    revoke_all_tokens(alice.id)
    with pytest.raises(InvalidCredentials):
        register_device(grant, LAPTOP)
    assert not Device.objects.exists()


@pytest.mark.parametrize("field", ["device_id", "platform", "app_version"])
def test_device_whose_words_cannot_be_stored_is_unfit(alice: User, field: str) -> None:
    facts = DeviceFacts(**{"device_id": "laptop", field: "a\0b"})
    with pytest.raises(DeviceUnfit):
        register_device(grant_of(alice, family=uuid4()), facts)


def test_longest_words_are_stored(alice: User) -> None:
    facts = DeviceFacts(device_id="😀" * 200, platform="p" * 100, app_version="v" * 100)
    assert register_device(grant_of(alice, family=uuid4()), facts).device_id == facts.device_id


@pytest.fixture
def both_are_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads have each seen that their device is not there before one of them adds it."""
    barrier = Barrier(2)

    def lock_after_both(user_id: UUID) -> User:
        barrier.wait(timeout=20)
        return lock_user(user_id)

    monkeypatch.setattr("accounts.auth.devices.lock_user", lock_after_both)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("both_are_new")
def test_device_that_says_hello_twice_at_once_is_one() -> None:
    alice = User.objects.create_user("alice@example.com", PASSWORD)
    grant = grant_of(alice, family=uuid4())
    first, second = at_once(*(lambda: register_device(grant, LAPTOP),) * 2)
    assert first == second == Device.objects.get()
    assert TokenFamily.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("both_are_new")
def test_devices_that_are_new_at_once_are_not_too_many(settings: Settings) -> None:
    settings.MAX_DEVICES = 1
    alice = User.objects.create_user("alice@example.com", PASSWORD)

    def arrives(device_id: str) -> bool:
        try:
            hello(alice, device_id)
        except TooManyDevices:
            return False
        return True

    assert sorted(at_once(lambda: arrives("laptop"), lambda: arrives("phone"))) == [False, True]
    assert len(present(alice)) == 1


@pytest.mark.django_db(transaction=True)
def test_device_of_an_account_that_is_erased_meanwhile_is_not_taken_in() -> None:
    alice = User.objects.create_user("alice@example.com", PASSWORD)
    grant = grant_of(alice, family=uuid4())
    alice.delete()
    with pytest.raises(InvalidCredentials):
        register_device(grant, LAPTOP)
    assert not Device.objects.exists()


NOW = datetime(2026, 3, 29, 10, 3, 20, tzinfo=UTC)


def device(user: User, device_id: str = "laptop") -> Device:
    return stored_device(user, device_id)


def named(user: User, name: str) -> tuple[UUID, str]:
    return user.id, str(Device.objects.named(user.id, name).get().id)


def counts() -> dict[datetime, int]:
    return dict(DevicesOnline.objects.values_list("at", "online"))


def test_a_device_is_online_for_as_long_as_it_is_said_again(alice: User, bob: User) -> None:
    hers, his = device(alice), device(bob)

    note_online([named(alice, "laptop")], now=NOW)
    assert list(Device.objects.online(NOW)) == [hers]

    later = NOW + REPORT_EVERY
    note_online([named(alice, "laptop"), named(bob, "laptop")], now=later)
    assert set(Device.objects.online(later + ONLINE_FOR - timedelta(seconds=1))) == {hers, his}
    assert not Device.objects.online(later + ONLINE_FOR)


def test_a_device_that_is_unknown_or_removed_is_not_online(alice: User) -> None:
    removed = device(alice)
    remove_device(removed)

    note_online([(alice.id, str(removed.id)), (alice.id, str(uuid4()))], now=NOW)

    assert not Device.objects.online(NOW)


def test_a_device_that_comes_is_online_at_once_and_one_that_leaves_is_not(alice: User) -> None:
    for _ in range(2):
        register_device(grant_of(alice, family=uuid4()), DeviceFacts(device_id="laptop"))
        assert Device.objects.online(clock.now()).count() == 1
        note_departure(*named(alice, "laptop"), since=clock.now())
        assert not Device.objects.online(clock.now())


def test_a_device_that_has_come_back_is_online_though_its_older_socket_ends(alice: User) -> None:
    laptop = DeviceFacts(device_id="laptop")
    register_device(grant_of(alice, family=uuid4()), laptop)
    first = clock.now()
    register_device(grant_of(alice, family=uuid4()), laptop)
    second = clock.now()

    note_departure(*named(alice, "laptop"), since=first)
    assert Device.objects.online(clock.now()).count() == 1
    note_departure(*named(alice, "laptop"), since=second)
    assert not Device.objects.online(clock.now())


def test_the_most_of_five_minutes_is_counted(alice: User) -> None:
    for name in ("laptop", "phone"):
        device(alice, name)

    note_online([named(alice, "laptop"), named(alice, "phone")], now=NOW)
    note_departure(*named(alice, "phone"), since=clock.now())
    note_online([named(alice, "laptop")], now=NOW + timedelta(seconds=60))
    note_online([named(alice, "laptop")], now=NOW + timedelta(seconds=120))

    first = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)
    assert counts() == {first: 2, first + timedelta(minutes=5): 1}


def test_another_process_adds_to_the_same_count(alice: User, bob: User) -> None:
    for user in (alice, bob):
        device(user)

    note_online([named(alice, "laptop")], now=NOW)
    note_online([named(bob, "laptop")], now=NOW + timedelta(seconds=1))
    note_online([], now=NOW + timedelta(seconds=2))

    assert list(counts().values()) == [2]


def test_old_counts_go(alice: User) -> None:
    note_online([], now=NOW)
    note_online([], now=NOW + KEPT + timedelta(minutes=5))

    assert list(counts()) == [span_of(NOW + KEPT + timedelta(minutes=5))]


def hello(user: User, device_id: str, *, needed: Collection[str] = ()) -> Device:
    facts = DeviceFacts(device_id=device_id)
    return register_device(grant_of(user, family=uuid4()), facts, needed=lambda _user_id: needed)


def away(user: User, *device_ids: str) -> None:
    """These devices have said hello and have gone again, one a day."""
    for days, device_id in enumerate(device_ids):
        hello(user, device_id)
        gone = Device.objects.named(user.id, device_id)
        gone.update(last_seen=LONG_AGO + timedelta(days=days), online_until=None)


def present(user: User) -> list[str]:
    return sorted(device.device_id for device in Device.objects.for_user(user.id).present())


def test_one_device_too_many_retires_the_one_that_has_been_away_longest(
    alice: User, bob: User, settings: Settings
) -> None:
    settings.MAX_DEVICES = 3
    away(alice, "first", "second")
    away(bob, "first", "second")
    hello(alice, "online")
    hello(alice, "second")
    assert present(alice) == ["first", "online", "second"]

    hello(alice, "new")
    assert present(alice) == ["new", "online", "second"]
    assert present(bob) == ["first", "second"]


def test_a_removed_device_counts_for_nothing_and_stays_removed(alice: User, settings: Settings) -> None:
    settings.MAX_DEVICES = 2
    away(alice, "lost", "kept")
    remove_device(Device.objects.named(alice.id, "lost").get())
    hello(alice, "new")
    assert present(alice) == ["kept", "new"]
    hello(alice, "newer")
    with pytest.raises(DeviceRemoved):
        hello(alice, "lost")


def test_a_retired_device_is_taken_in_again_with_the_token_that_it_has(alice: User, settings: Settings) -> None:
    settings.MAX_DEVICES = 1
    grant = grant_of(alice, family=uuid4())
    laptop = register_device(grant, LAPTOP)
    away(alice, "laptop")
    hello(alice, "phone")
    assert (present(alice), revoked([grant])) == (["phone"], set())

    away(alice, "phone")
    again = register_device(grant, LAPTOP)
    assert families_of(again) == {grant.family}
    # What waits for it knows it by this.
    assert again.id == laptop.id
    assert present(alice) == ["laptop"]


def test_a_device_that_a_job_waits_for_is_not_retired(alice: User, settings: Settings) -> None:
    settings.MAX_DEVICES = 2
    away(alice, "busy", "idle")
    hello(alice, "new", needed={named(alice, "busy")[1]})
    assert present(alice) == ["busy", "new"]


def test_no_device_is_taken_in_while_all_others_are_needed(alice: User, settings: Settings) -> None:
    settings.MAX_DEVICES = 2
    away(alice, "busy")
    hello(alice, "online")
    with pytest.raises(TooManyDevices):
        hello(alice, "new", needed={named(alice, "busy")[1]})
    assert present(alice) == ["busy", "online"]
    assert hello(alice, "busy", needed={named(alice, "busy")[1]}).device_id == "busy"


def test_a_lower_limit_is_reached_as_devices_come(alice: User, settings: Settings) -> None:
    away(alice, "1", "2", "3", "4")
    settings.MAX_DEVICES = 2
    hello(alice, "new")
    assert present(alice) == ["4", "new"]


def test_report_of_online_devices_costs_four_statements(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    laptop = register_device(grant_of(alice, family=uuid4()), LAPTOP)
    with django_assert_num_queries(4):
        note_online([(alice.id, str(laptop.id))])
    assert Device.objects.get().online_until is not None
