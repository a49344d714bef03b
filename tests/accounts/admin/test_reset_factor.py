"""A superuser helps a colleague who has lost a second factor."""

from django.test import Client

from accounts.auth.second_factor import factors_of
from accounts.models import AuditEvent, User
from tests.accounts.codes import passkey_of, with_app
from tests.accounts.staff.conftest import give_password, opens
from tests.accounts.staff.test_factor_pages import passed


def test_a_superuser_resets_a_colleagues_with_a_reason(as_superuser: Client, superuser: User, bob: User) -> None:
    bob.is_staff = True
    bob.save(update_fields=["is_staff"])
    bobs = passed(bob, with_app(bob)[0])
    passkey_of(bob)
    address = f"/admin/accounts/user/{bob.id}/reset-second-factor/"
    assert as_superuser.post(address, {"confirmed": "yes", "reason": "short"}).status_code == 200
    assert opens(bobs)
    form = {"confirmed": "yes", "reason": "Lost the phone, called back by phone."}
    assert as_superuser.post(address, form).status_code == 302
    bob.refresh_from_db()
    assert (bob.second_factor_since, opens(bobs)) == (None, False)
    event = AuditEvent.objects.get(action="reset-second-factor")
    assert (event.actor, event.subject_id) == (superuser, bob.id)
    assert give_password(Client(), bob.email) == "/admin/"


def test_other_staff_reset_no_ones(as_sam: Client, bob: User) -> None:
    bob.is_staff = True
    bob.save(update_fields=["is_staff"])
    with_app(bob)
    form = {"confirmed": "yes", "reason": "Lost the phone, called back by phone."}
    address = f"/admin/accounts/user/{bob.id}/reset-second-factor/"
    assert as_sam.post(address, form).status_code == 403
    assert factors_of(bob).apps


def test_no_one_resets_their_own(superuser: User) -> None:
    secret, _ = with_app(superuser)
    form = {"confirmed": "yes", "reason": "I would rather have none."}
    address = f"/admin/accounts/user/{superuser.id}/reset-second-factor/"
    assert passed(superuser, secret).post(address, form).status_code == 403
