from datetime import UTC, datetime, timedelta
from uuid import uuid4

from django.utils import timezone as clock

from accounts.attendance import KEPT, ONLINE_FOR, SAID_EVERY, note_online, span_of
from accounts.devices import DeviceFacts, note_departure, register_device, remove_device
from accounts.models import Device, DevicesOnline, User
from accounts.standing import standing_of

NOW = datetime(2026, 3, 29, 10, 3, 20, tzinfo=UTC)


def device(user: User, device_id: str = "laptop") -> Device:
    return Device.objects.create(user=user, device_id=device_id)


def counts() -> dict[datetime, int]:
    return dict(DevicesOnline.objects.values_list("at", "online"))


def test_a_device_is_online_for_as_long_as_it_is_said_again(alice: User, bob: User) -> None:
    hers, his = device(alice), device(bob)

    note_online([(alice.id, "laptop")], now=NOW)
    assert list(Device.objects.online(NOW)) == [hers]

    later = NOW + SAID_EVERY
    note_online([(alice.id, "laptop"), (bob.id, "laptop")], now=later)
    assert set(Device.objects.online(later + ONLINE_FOR - timedelta(seconds=1))) == {hers, his}
    assert not Device.objects.online(later + ONLINE_FOR)


def test_a_device_that_is_unknown_or_removed_is_not_online(alice: User) -> None:
    remove_device(device(alice))

    note_online([(alice.id, "laptop"), (alice.id, "phone"), (uuid4(), "laptop")], now=NOW)

    assert not Device.objects.online(NOW)


def test_a_device_that_comes_is_online_at_once_and_one_that_leaves_is_not(alice: User) -> None:
    for _ in range(2):
        register_device(standing_of(alice, family=uuid4()), DeviceFacts(device_id="laptop"))
        assert Device.objects.online(clock.now()).count() == 1
        note_departure(alice.id, "laptop", since=clock.now())
        assert not Device.objects.online(clock.now())


def test_a_device_that_has_come_back_is_online_though_its_older_socket_ends(alice: User) -> None:
    laptop = DeviceFacts(device_id="laptop")
    register_device(standing_of(alice, family=uuid4()), laptop)
    first = clock.now()
    register_device(standing_of(alice, family=uuid4()), laptop)
    second = clock.now()

    note_departure(alice.id, "laptop", since=first)
    assert Device.objects.online(clock.now()).count() == 1
    note_departure(alice.id, "laptop", since=second)
    assert not Device.objects.online(clock.now())


def test_the_most_of_five_minutes_is_counted(alice: User) -> None:
    for name in ("laptop", "phone"):
        device(alice, name)

    note_online([(alice.id, "laptop"), (alice.id, "phone")], now=NOW)
    note_departure(alice.id, "phone", since=clock.now())
    note_online([(alice.id, "laptop")], now=NOW + timedelta(seconds=60))
    note_online([(alice.id, "laptop")], now=NOW + timedelta(seconds=120))

    first = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)
    assert counts() == {first: 2, first + timedelta(minutes=5): 1}


def test_another_process_adds_to_the_same_count(alice: User, bob: User) -> None:
    for user in (alice, bob):
        device(user)

    note_online([(alice.id, "laptop")], now=NOW)
    note_online([(bob.id, "laptop")], now=NOW + timedelta(seconds=1))
    note_online([], now=NOW + timedelta(seconds=2))

    assert list(counts().values()) == [2]


def test_old_counts_go(alice: User) -> None:
    note_online([], now=NOW)
    note_online([], now=NOW + KEPT + timedelta(minutes=5))

    assert list(counts()) == [span_of(NOW + KEPT + timedelta(minutes=5))]
