from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.auth.devices import DeviceFacts, register_device, remove_device
from accounts.auth.sessions import begin_session, end_session
from accounts.auth.tokens import AccessGrant, grant_of, revoke_all_tokens, revoked, user_with
from accounts.models import User


@pytest.fixture
def here(alice: User) -> AccessGrant:
    """One sign-in of Alice's, used on her laptop."""
    grant = grant_of(alice, family=uuid4())
    register_device(grant, DeviceFacts(device_id="laptop"))
    return grant


@pytest.fixture
def there(alice: User) -> AccessGrant:
    """Another one, used on her phone."""
    grant = grant_of(alice, family=uuid4())
    register_device(grant, DeviceFacts(device_id="phone"))
    return grant


def ended(grants: list[AccessGrant]) -> set[AccessGrant]:
    """Those that are revoked, once both questions give the same answer."""
    found = revoked(grants)
    assert set(grants) - found == {grant for grant in grants if user_with(grant) is not None}
    return found


def test_grant_is_valid_for_its_user(alice: User, bob: User, here: AccessGrant) -> None:
    bobs = grant_of(bob, family=uuid4())
    assert [user_with(grant) for grant in (here, bobs)] == [alice, bob]
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
def test_grants_end_with_all_access_of_their_user_only(
    alice: User, bob: User, here: AccessGrant, there: AccessGrant, change: Callable[[User], None]
) -> None:
    bobs = grant_of(bob, family=uuid4())
    change(alice)
    assert ended([here, there, bobs]) == {here, there}


def test_grants_end_only_with_the_device_they_were_used_on(alice: User, here: AccessGrant, there: AccessGrant) -> None:
    remove_device(alice.devices.named(alice.id, "laptop").get())
    assert ended([here, there]) == {here}


def test_grants_end_with_their_session_only(alice: User, bob: User) -> None:
    first, second = begin_session(alice), begin_session(alice)
    grants = [grant_of(alice, family=session.id) for session in (first, second)]
    bobs = replace(grant_of(bob, family=uuid4()), family=first.id)
    end_session(alice, first.id)
    assert ended([*grants, bobs]) == {grants[0]}


def test_grant_that_never_was_is_none(here: AccessGrant) -> None:
    forged = [
        replace(here, password=here.password.lower()),
        replace(here, generation=here.generation + 1),
        replace(here, user_id=uuid4()),
    ]
    assert ended([here, *forged]) == set(forged)


def test_grant_used_on_two_devices_ends_with_either(alice: User, here: AccessGrant) -> None:
    register_device(here, DeviceFacts(device_id="tablet"))
    remove_device(alice.devices.named(alice.id, "laptop").get())
    assert ended([here]) == {here}


def test_grant_does_not_end_with_another_users_device_of_that_family(alice: User, bob: User, here: AccessGrant) -> None:
    bobs = replace(grant_of(bob, family=uuid4()), family=here.family)
    register_device(bobs, DeviceFacts(device_id="laptop"))
    remove_device(bob.devices.get())
    assert ended([here, bobs]) == {bobs}


@pytest.mark.parametrize("number", [1, 3])
def test_asking_costs_one_query_for_any_number(
    db: None, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    users = [User.objects.create_user(f"user{position}@example.com") for position in range(number)]
    grants = [grant_of(user, family=uuid4()) for user in users for _ in range(number)]
    for grant in grants:
        register_device(grant, DeviceFacts(device_id=str(grant.family)))
    remove_device(users[0].devices.named(users[0].id, str(grants[0].family)).get())
    with django_assert_num_queries(1):
        assert revoked(grants) == {grants[0]}


def test_no_grants_take_no_query(django_assert_num_queries: DjangoAssertNumQueries, db: None) -> None:
    with django_assert_num_queries(0):
        assert revoked([]) == set()


def test_grant_shows_no_digest(here: AccessGrant) -> None:
    assert here.password not in repr(here)
