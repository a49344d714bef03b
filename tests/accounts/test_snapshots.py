import pytest
from django.db import InternalError

from accounts.models import User
from accounts.snapshots import one_moment
from tests.accounts.threads import as_another_process


@pytest.mark.django_db(transaction=True)
def test_within_one_moment_nothing_changes(alice: User) -> None:
    def change() -> None:
        User.objects.update(language="it")

    with one_moment():
        assert User.objects.get().language == "en"
        as_another_process(change)
        assert User.objects.get().language == "en"
    assert User.objects.get().language == "it"


@pytest.mark.django_db(transaction=True)
def test_within_one_moment_nothing_is_written(alice: User) -> None:
    with pytest.raises(InternalError, match="read-only"), one_moment():
        User.objects.update(language="it")
    User.objects.update(language="it")


def test_within_a_transaction_its_rules_hold(alice: User) -> None:
    with one_moment():
        User.objects.update(language="it")
    assert User.objects.get().language == "it"
