from uuid import uuid4

import pytest
from rest_framework_simplejwt.token_blacklist.models import BlacklistedToken, OutstandingToken

from accounts.devices import DeviceFacts, register_device
from accounts.erasure import erase_account
from accounts.errors import WrongPassword
from accounts.models import Device, TokenFamily, User
from accounts.standing import standing_of
from accounts.tokens import issue_tokens, rotate_refresh_token
from tests.conftest import PASSWORD


def _live_a_little(user: User) -> None:
    rotate_refresh_token(issue_tokens(user).refresh)
    register_device(standing_of(user, family=uuid4()), DeviceFacts(device_id="laptop"))


def test_erasing_leaves_nothing_of_the_user_and_all_of_others(alice: User, bob: User) -> None:
    for user in (alice, bob):
        _live_a_little(user)
    erase_account(alice, PASSWORD)
    assert list(User.objects.all()) == [bob]
    assert [device.user for device in Device.objects.all()] == [bob]
    assert TokenFamily.objects.count() == 1
    assert set(OutstandingToken.objects.values_list("user", flat=True)) == {bob.id}
    assert (OutstandingToken.objects.count(), BlacklistedToken.objects.count()) == (2, 1)


@pytest.mark.parametrize("password", ["not this one", "", f" {PASSWORD}"])
def test_erasing_with_a_wrong_password_does_nothing(alice: User, password: str) -> None:
    _live_a_little(alice)
    with pytest.raises(WrongPassword):
        erase_account(alice, password)
    assert (User.objects.count(), Device.objects.count(), OutstandingToken.objects.count()) == (1, 1, 2)


def test_erasing_twice_is_no_error(alice: User) -> None:
    same = User.objects.get()
    erase_account(alice, PASSWORD)
    erase_account(same, PASSWORD)
    assert not User.objects.exists()
