import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.errors import LoginFailed
from accounts.login import log_in
from accounts.models import User
from tests.conftest import PASSWORD


def test_log_in_finds_the_user_however_the_address_is_written(alice: User) -> None:
    assert log_in(" Alice@EXAMPLE.com ", PASSWORD) == alice
    alice.refresh_from_db()
    assert alice.last_login is not None


@pytest.mark.parametrize("who", ["unknown", "wrong password", "inactive", "inactive, wrong password", "no password"])
def test_log_in_fails_alike_and_after_the_same_work(alice: User, hashes: list[str], who: str) -> None:
    if who.startswith("inactive"):
        User.objects.filter(id=alice.id).update(is_active=False)
    if who == "no password":
        alice.set_unusable_password()
        alice.save(update_fields=["password"])
    email = "nobody@example.com" if who == "unknown" else alice.email
    password = "not this one, sorry" if who.endswith("wrong password") else PASSWORD

    with CaptureQueriesContext(connection) as queries, pytest.raises(LoginFailed) as failed:
        log_in(email, password)

    assert str(failed.value) == "The address or the password is wrong."
    assert len(hashes) == 1
    assert len(queries) == 1
