from collections.abc import Callable, Iterator
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks

from accounts.auth.devices import DeviceFacts, register_device, remove_device
from accounts.auth.tokens import grant_of, revoke_all_tokens
from accounts.erasure import forget
from accounts.models import User
from accounts.signals import access_revoked
from tests.conftest import PASSWORD

Told = tuple[UUID, str | None]


@pytest.fixture
def told(django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks) -> Iterator[Callable[..., list[Told]]]:
    """The signals that a function causes, collected on commit."""
    heard: list[Told] = []

    def listen(*, user_id: UUID, device_id: str | None, **_: object) -> None:
        heard.append((user_id, device_id))

    def call(act: Callable[..., object], *args: object, **values: object) -> list[Told]:
        heard.clear()
        with django_capture_on_commit_callbacks() as callbacks:
            act(*args, **values)
        assert heard == []
        for callback in callbacks:
            callback()
        return heard

    access_revoked.connect(listen)
    yield call
    access_revoked.disconnect(listen)


def test_signing_out_everywhere_sends_access_revoked(alice: User, told: Callable[..., list[Told]]) -> None:
    assert told(revoke_all_tokens, alice.id) == [(alice.id, None)]


def test_erasure_sends_access_revoked_twice(alice: User, told: Callable[..., list[Told]]) -> None:
    alice_id = alice.id
    # Once as access ends, and again when the account is deleted.
    assert told(forget, alice.id) == [(alice_id, None), (alice_id, None)]


def test_removing_device_sends_access_revoked_once(alice: User, told: Callable[..., list[Told]]) -> None:
    device = register_device(grant_of(alice, family=uuid4()), DeviceFacts(device_id="laptop"))
    assert told(remove_device, device) == [(alice.id, str(device.id))]
    assert told(remove_device, device) == []


def change(user: User, **values: object) -> None:
    for name, value in values.items():
        setattr(user, name, value)
    user.save()


def test_deactivation_sends_access_revoked_and_activation_does_not(
    alice: User, told: Callable[..., list[Told]]
) -> None:
    for user in (alice, User.objects.get()):
        assert told(change, user, is_active=False) == [(alice.id, None)]
        assert told(change, user, language="it") == []
        assert told(change, user, is_active=True) == []


def test_setting_password_sends_access_revoked_and_other_changes_do_not(
    alice: User, told: Callable[..., list[Told]]
) -> None:
    def set_password(user: User) -> None:
        user.set_password(PASSWORD)
        user.save(update_fields=["password"])

    assert told(set_password, User.objects.get()) == [(alice.id, None)]
    assert told(change, User.objects.get(), language="it") == []


def test_unsaved_deactivation_sends_no_signal(alice: User, told: Callable[..., list[Told]]) -> None:
    alice.is_active = False
    assert told(lambda: alice.save(update_fields=["language"])) == []
    assert told(lambda: alice.save(update_fields=["is_active"])) == [(alice.id, None)]


def test_deactivating_user_with_deferred_fields_sends_access_revoked(
    alice: User, told: Callable[..., list[Told]]
) -> None:
    user = User.objects.only("email").get()
    user.is_active = False
    assert told(lambda: user.save(update_fields=["is_active"])) == [(alice.id, None)]


def test_creating_user_sends_no_signal(db: None, told: Callable[..., list[Told]]) -> None:
    assert told(User.objects.create_user, "alice@example.com", PASSWORD) == []


def test_rolled_back_revocation_sends_no_signal(alice: User, told: Callable[..., list[Told]]) -> None:
    def in_vain() -> None:
        with transaction.atomic():
            revoke_all_tokens(alice.id)
            transaction.set_rollback(True)

    assert told(in_vain) == []


def test_admin_deactivation_and_deletion_send_access_revoked(
    alice: User, sam: User, told: Callable[..., list[Told]]
) -> None:
    change(sam, is_superuser=True)
    client = Client()
    client.force_login(sam)
    form = {"confirmed": "yes", "reason": "They asked for it by letter."}
    assert told(client.post, f"/admin/accounts/user/{alice.id}/deactivate/", form) == [(alice.id, None)]
    assert set(told(client.post, f"/admin/accounts/user/{alice.id}/delete/", form)) == {(alice.id, None)}


def test_failing_listener_does_not_stop_others(alice: User, told: Callable[..., list[Told]]) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("not my day")

    access_revoked.connect(fail)
    try:
        assert told(revoke_all_tokens, alice.id) == [(alice.id, None)]
    finally:
        access_revoked.disconnect(fail)
