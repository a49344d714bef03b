from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.devices import DeviceFacts, register_device, remove_device
from accounts.models import User
from accounts.standing import Standing, revoked, standing_of, upheld
from accounts.tokens import revoke_all_tokens


@pytest.fixture
def here(alice: User) -> Standing:
    """One sign-in of Alice's, used on her laptop."""
    standing = standing_of(alice, family=uuid4())
    register_device(standing, DeviceFacts(device_id="laptop"))
    return standing


@pytest.fixture
def there(alice: User) -> Standing:
    """Another one, used on her phone."""
    standing = standing_of(alice, family=uuid4())
    register_device(standing, DeviceFacts(device_id="phone"))
    return standing


def test_standing_holds_with_its_user(alice: User, bob: User, here: Standing) -> None:
    bobs = standing_of(bob, family=uuid4())
    assert upheld([here, bobs]) == {here: alice, bobs: bob}
    assert revoked([here, bobs]) == set()


def signed_out_everywhere(user: User) -> None:
    revoke_all_tokens(user.id)


def deactivated(user: User) -> None:
    User.objects.filter(id=user.id).update(is_active=False)


def with_a_new_password(user: User) -> None:
    user.set_password("another fine passphrase")
    user.save(update_fields=["password"])


def erased(user: User) -> None:
    user.delete()


@pytest.mark.parametrize("change", [signed_out_everywhere, deactivated, with_a_new_password, erased])
def test_standings_end_with_all_of_a_users_access_and_only_that_users(
    alice: User, bob: User, here: Standing, there: Standing, change: Callable[[User], None]
) -> None:
    bobs = standing_of(bob, family=uuid4())
    change(alice)
    assert revoked([here, there, bobs]) == {here, there}


def test_standings_end_with_the_device_they_were_used_on_and_only_with_that(
    alice: User, here: Standing, there: Standing
) -> None:
    remove_device(alice.devices.get(device_id="laptop"))
    assert revoked([here, there]) == {here}


def test_standing_that_was_used_on_two_devices_ends_with_either(alice: User, here: Standing) -> None:
    register_device(here, DeviceFacts(device_id="tablet"))
    remove_device(alice.devices.get(device_id="laptop"))
    assert revoked([here]) == {here}


def test_standing_does_not_end_with_another_users_device_of_that_family(alice: User, bob: User, here: Standing) -> None:
    bobs = replace(standing_of(bob, family=uuid4()), family=here.family)
    register_device(bobs, DeviceFacts(device_id="laptop"))
    remove_device(bob.devices.get())
    assert revoked([here, bobs]) == {bobs}


@pytest.mark.parametrize("number", [1, 3])
def test_asking_costs_one_query_for_any_number(
    db: None, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    users = [User.objects.create_user(f"user{position}@example.com") for position in range(number)]
    standings = [standing_of(user, family=uuid4()) for user in users for _ in range(number)]
    for standing in standings:
        register_device(standing, DeviceFacts(device_id=str(standing.family)))
    remove_device(users[0].devices.get(device_id=str(standings[0].family)))
    with django_assert_num_queries(1):
        assert revoked(standings) == {standings[0]}


def test_asking_about_nobody_costs_nothing(django_assert_num_queries: DjangoAssertNumQueries, db: None) -> None:
    with django_assert_num_queries(0):
        assert revoked([]) == set()


def test_standing_shows_no_digest(here: Standing) -> None:
    assert here.password not in repr(here)
