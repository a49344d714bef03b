"""No permission of staff can be turned into a right that they lack."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client
from pytest_django import Settings

from accounts.auth import links
from accounts.auth.mail import WriteEmail
from accounts.credential_models import PersonalToken
from accounts.models import AddressState, AuditEvent, User
from tests.accounts.admin.conftest import may, signed_in
from tests.accounts.admin.test_users import NO_DEVICES, USERS, page
from tests.conftest import PASSWORD

NEW = "another horse entirely"
CONFIRMED = {"confirmed": "yes", "reason": "They asked for it by letter."}


@pytest.fixture
def superior(bob: User) -> User:
    """Bob, staff with a permission that Sam lacks, by way of a group."""
    bob.is_staff = True
    bob.save(update_fields=["is_staff"])
    group = Group.objects.create(name="Readers")
    group.permissions.add(Permission.objects.get(codename="reveal_memoryepisodic"))
    bob.groups.add(group)
    return bob


@pytest.mark.parametrize("path", ["password/", "change/"])
@pytest.mark.parametrize("who", ["as_sam", "as_superuser"])
def test_staff_set_no_ones_password(request: pytest.FixtureRequest, alice: User, who: str, path: str) -> None:
    staff: Client = request.getfixturevalue(who)
    form = {"password": NEW, "password1": NEW, "password2": NEW, "usable_password": "true", "set-password": "1"}
    staff.post(f"{USERS}{alice.id}/{path}", {**form, "language": "en", "timezone": "UTC", **NO_DEVICES})
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)
    assert staff.get(f"{USERS}{alice.id}/password/").status_code == 404


@pytest.mark.parametrize("who", ["as_sam", "as_superuser"])
def test_staff_give_no_one_another_address_to_which_a_link_could_be_sent(
    request: pytest.FixtureRequest, alice: User, who: str
) -> None:
    staff: Client = request.getfixturevalue(who)
    staff.post(page(alice), {"email": "sam+alice@example.com", "language": "it", "timezone": "UTC", **NO_DEVICES})
    alice.refresh_from_db()
    assert (alice.email, alice.language) == ("alice@example.com", "it")


def test_a_user_made_by_staff_has_no_password_that_they_know(as_sam: Client) -> None:
    form = {"email": "carol@example.com", "language": "en", "timezone": "UTC", "password1": NEW, "password2": NEW}
    shown = as_sam.get(f"{USERS}add/").content.decode()
    assert as_sam.post(f"{USERS}add/", form).status_code == 302
    assert not User.objects.get_by_natural_key("carol@example.com").has_usable_password()
    assert 'type="password"' not in shown


@pytest.mark.parametrize("name", ["rotate-key", "sign-out", "deactivate", "reactivate", "delete", "change"])
def test_staff_touch_no_one_with_permissions_that_they_lack(as_sam: Client, superior: User, name: str) -> None:
    form = {"language": "it", "timezone": "UTC", **CONFIRMED, **NO_DEVICES}
    assert as_sam.post(page(superior, name), form).status_code == 403
    superior.refresh_from_db()
    assert (superior.is_active, superior.language, AuditEvent.objects.count()) == (True, "en", 0)


def test_that_holds_for_many_at_once_and_while_the_account_is_inactive(as_sam: Client, superior: User) -> None:
    form = {"action": "deactivate", "_selected_action": str(superior.id), **CONFIRMED}
    shown = as_sam.post(USERS, form).content.decode()
    superior.refresh_from_db()
    assert superior.is_active
    assert "They have permissions that you lack." in shown
    User.objects.filter(id=superior.id).update(is_active=False)
    assert as_sam.post(page(superior, "reactivate"), CONFIRMED).status_code == 403


def test_staff_act_on_colleagues_without_more_permissions(as_sam: Client, bob: User) -> None:
    bob.is_staff = True
    bob.save(update_fields=["is_staff"])
    may(bob, "accounts.view_user")
    assert as_sam.post(page(bob, "deactivate"), CONFIRMED).status_code == 302
    bob.refresh_from_db()
    assert not bob.is_active


def test_only_superusers_change_groups_whatever_else_staff_may(sam: User, as_superuser: Client) -> None:
    group = Group.objects.create(name="Support")
    sam.is_superuser = False
    sam.save(update_fields=["is_superuser"])
    may(sam, *(f"auth.{verb}_group" for verb in ("view", "add", "change", "delete")))
    sam.groups.add(group)
    staff, every = signed_in(sam), [str(each) for each in Permission.objects.values_list("pk", flat=True)]
    address = f"/admin/auth/group/{group.pk}"
    posted = [staff.post(f"{address}/change/", {"name": "Support", "permissions": every})]
    posted += [staff.post("/admin/auth/group/add/", {"name": "More", "permissions": every})]
    posted += [staff.post(f"{address}/delete/", {"post": "yes"})]
    assert [answer.status_code for answer in posted] == [403, 403, 403]
    assert staff.get(f"{address}/change/").status_code == 200
    assert not group.permissions.exists()


def test_a_history_is_for_those_who_may_see_the_user(sam: User, alice: User) -> None:
    assert signed_in(sam).get(page(alice, "history")).status_code == 403


@pytest.mark.parametrize(
    "lookup",
    [
        "encryption_key__startswith",
        "master_key_id",
        "password__startswith",
        "email_encrypted__contains",
        "groups__name",
    ],
)
def test_nothing_is_found_by_what_no_page_shows(as_sam: Client, alice: User, lookup: str) -> None:
    assert as_sam.get(USERS, {lookup: "v"}).status_code == 400


def test_tokens_are_not_found_by_their_digest(as_superuser: Client, alice: User) -> None:
    PersonalToken.objects.create(user=alice, digest="f" * 64, password_digest="0", generation=0)
    assert as_superuser.get("/admin/accounts/personaltoken/", {"digest__startswith": "f"}).status_code == 400


def test_what_pages_show_can_still_be_asked_for(as_superuser: Client, alice: User) -> None:
    asked = [(USERS, {"is_active__exact": "1"}), (USERS, {"id": str(alice.id)})]
    asked += [("/admin/accounts/auditevent/", {"subject_id": str(alice.id)})]
    assert [as_superuser.get(address, query).status_code for address, query in asked] == [200] * 3


def test_a_user_made_by_staff_is_sent_a_link_that_staff_do_not_see(
    as_sam: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MAIL_ENABLED = True
    sent: list[WriteEmail] = []
    monkeypatch.setattr(links, "send_later", lambda write, *, kind: sent.append(write))
    form = {"email": "carol@example.com", "language": "en", "timezone": "UTC"}
    shown = as_sam.post(f"{USERS}add/", form, follow=True).content.decode()
    letter = sent[0]()
    assert letter is not None
    assert (letter.to, "They are sent a link to choose a password." in shown) == ("carol@example.com", True)
    assert "/account/password/" in letter.body
    assert "/account/password/" not in shown


def test_without_mail_staff_are_told_so(as_sam: Client, settings: Settings) -> None:
    settings.MAIL_ENABLED = False
    form = {"email": "carol@example.com", "language": "en", "timezone": "UTC"}
    assert "This server sends no e-mail" in as_sam.post(f"{USERS}add/", form, follow=True).content.decode()


@pytest.mark.parametrize("state", [AddressState.UNVERIFIED, AddressState.VERIFIED])
def test_making_an_account_staff_whose_address_was_never_verified_is_warned_of(
    as_superuser: Client, alice: User, state: AddressState
) -> None:
    """Anyone may have registered it."""
    User.objects.filter(id=alice.id).update(address_state=state)
    form = {"language": "en", "timezone": "UTC", "is_staff": "on", **NO_DEVICES}
    shown = as_superuser.post(page(alice), form, follow=True).content.decode()
    assert User.objects.get(id=alice.id).is_staff
    assert ("was never verified" in shown) == (state == AddressState.UNVERIFIED)
