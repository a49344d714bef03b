"""Staff revoke one personal token of a user."""

from uuid import uuid4

import pytest
from django.test import Client

from accounts.audit import reason_of
from accounts.auth.personal_tokens import issue_personal_token
from accounts.credential_models import PersonalToken
from accounts.models import AuditEvent, User
from tests.accounts.admin.conftest import may, signed_in

TOKENS = "/admin/accounts/personaltoken/"
REASON = "They lost the laptop with this program."


def revoked(client: Client, token_id: object, reason: str = REASON) -> int:
    return client.post(f"{TOKENS}{token_id}/revoke-token/", {"confirmed": "yes", "reason": reason}).status_code


def test_one_token_is_revoked_and_recorded_and_others_stay(as_superuser: Client, alice: User) -> None:
    first, second = (issue_personal_token(alice, name=name) for name in ("Editor", "Phone"))
    AuditEvent.objects.all().delete()

    assert revoked(as_superuser, first.id) == 302

    assert list(PersonalToken.objects.values_list("id", flat=True)) == [second.id]
    event = AuditEvent.objects.get()
    assert (event.action, event.subject_id, event.object_id) == ("revoke-token", alice.id, first.id)
    assert reason_of(event) == REASON


def test_a_tokens_page_offers_to_revoke_it_and_asks_first(as_superuser: Client, alice: User) -> None:
    token = issue_personal_token(alice, name="Editor")
    address = f"{TOKENS}{token.id}/revoke-token/"

    assert address in as_superuser.get(f"{TOKENS}{token.id}/change/").content.decode()
    assert as_superuser.get(address).status_code == 200
    assert revoked(as_superuser, token.id, reason="") == 200
    assert PersonalToken.objects.exists()


def test_a_token_that_is_gone_is_not_found(as_superuser: Client) -> None:
    assert revoked(as_superuser, uuid4()) == 404


@pytest.mark.parametrize("rights", [("accounts.view_personaltoken",), ("accounts.change_user",)])
def test_revoking_takes_both_rights(sam: User, alice: User, rights: tuple[str, ...]) -> None:
    token = issue_personal_token(alice, name="Editor")
    may(sam, *rights)
    assert revoked(signed_in(sam), token.id) == 403
    assert PersonalToken.objects.exists()


def test_no_one_revokes_the_token_of_someone_with_more_rights(sam: User, bob: User) -> None:
    bob.is_superuser = bob.is_staff = True
    bob.save(update_fields=["is_superuser", "is_staff"])
    token = issue_personal_token(bob, name="Editor", scopes=["read"])
    may(sam, "accounts.view_personaltoken", "accounts.change_user")
    assert revoked(signed_in(sam), token.id) == 403
