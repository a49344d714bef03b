"""Adding, removing and losing second factors."""

import json
import re

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.auth.passkeys import remove_passkey
from accounts.auth.passwords import change_password
from accounts.auth.second_factor import check_code, factors_of
from accounts.auth.tokens import bearer_of, issue_tokens
from accounts.credential_models import AuthenticatorApp
from accounts.models import User
from tests.accounts.authenticator import Authenticator
from tests.accounts.codes import code_of, passkey_of, with_app
from tests.accounts.staff.conftest import FACTOR, LOGIN, give_password, opens
from tests.conftest import PASSWORD

ADD, OWN, CODES = f"{FACTOR}add/", f"{FACTOR}own/", f"{FACTOR}codes/"


def passed(user: User, secret: str) -> Client:
    """A session of ``user`` that has given a code."""
    client = Client()
    give_password(client, user.email)
    client.post(FACTOR, {"code": code_of(secret, periods_ahead=1)})
    return client


@pytest.fixture
def sams(sam: User) -> Client:
    return passed(sam, with_app(sam)[0])


def enter_password(client: Client, then: str) -> None:
    assert client.get(then).headers["Location"].startswith(f"{FACTOR}password/")
    assert client.post(f"{FACTOR}password/", {"password": PASSWORD, "next": then}).headers["Location"] == then


@pytest.mark.usefixtures("required")
def test_staff_without_one_add_it_before_they_see_anything(client: Client, sam: User) -> None:
    give_password(client)
    assert not opens(client)
    shown = client.get(FACTOR, follow=True)
    assert shown.redirect_chain[0][0].startswith(ADD)
    app = shown.context["app"]
    assert app.secret in shown.content.decode()
    assert "<svg" in shown.content.decode()
    answer = client.post(ADD, {"code": code_of(app.secret), "name": "Phone"})
    assert len(answer.context["codes"]) == 10
    assert "no-store" in answer.headers["Cache-Control"]
    assert (opens(client), [each.name for each in factors_of(sam).apps]) == (True, ["Phone"])
    check_code(sam, answer.context["codes"][0])


@pytest.mark.usefixtures("required")
def test_a_passkey_can_be_the_first(client: Client, sam: User) -> None:
    give_password(client)
    options = client.get(ADD).context["passkey_options"]
    made = Authenticator().create(json.loads(options))
    answer = client.post(ADD, {"passkey": json.dumps(made), "name": "Key"})
    assert (len(answer.context["codes"]), opens(client)) == (10, True)
    assert [passkey.name for passkey in factors_of(sam).passkeys] == ["Key"]


def test_removing_a_factor_ends_the_other_sessions_in_the_admin(sam: User) -> None:
    secret, codes = with_app(sam)
    sams, elsewhere = passed(sam, secret), Client()
    give_password(elsewhere)
    elsewhere.post(FACTOR, {"code": codes[0]})
    assert (opens(sams), opens(elsewhere)) == (True, True)
    older = factors_of(sam).apps[0]
    address = f"{FACTOR}remove/{older.id}/"
    enter_password(sams, address)
    sams.post(address)
    assert (opens(sams), opens(elsewhere)) == (True, False)


def test_removing_a_passkey_over_rest_ends_the_sessions_in_the_admin_and_no_others(sam: User) -> None:
    sams, tokens = passed(sam, with_app(sam)[0]), issue_tokens(sam)
    passkey = passkey_of(sam)
    assert opens(sams)
    remove_passkey(sam, passkey.id)
    assert (opens(sams), bearer_of(tokens.access).user) == (False, sam)


def test_a_new_password_over_rest_ends_the_sessions_in_the_admin(sam: User) -> None:
    secret, codes = with_app(sam)
    sams = passed(sam, secret)
    family = bearer_of(issue_tokens(sam).access).grant.family
    change_password(sam, password=PASSWORD, code=codes[0], new_password="another fine passphrase", family=family)
    assert not opens(sams)


@pytest.mark.usefixtures("required")
def test_a_wrong_code_adds_nothing_and_the_secret_stays(client: Client, sam: User) -> None:
    give_password(client)
    first = client.get(ADD).context["app"]
    again = client.post(ADD, {"code": "12345"})
    assert (again.context["app"], opens(client), AuthenticatorApp.objects.count()) == (first, False, 1)


@pytest.mark.usefixtures("required")
def test_another_session_does_not_see_the_secret(client: Client, sam: User) -> None:
    thief = Client()
    for each in (client, thief):
        give_password(each)
    secret = client.get(ADD).context["app"].secret
    assert thief.get(ADD).context["app"].secret != secret
    client.post(ADD, {"code": code_of(secret)})
    assert thief.get(ADD).headers["Location"].startswith(FACTOR)
    assert not opens(thief)


def test_where_it_is_optional_staff_are_not_led_to_it(client: Client, sam: User) -> None:
    assert give_password(client) == "/admin/"
    assert opens(client)


def test_every_change_asks_for_the_password_again(sams: Client, sam: User) -> None:
    [app] = factors_of(sam).apps
    for page in (ADD, CODES, f"{FACTOR}remove/{app.id}/"):
        for answer in (sams.get(page), sams.post(page)):
            assert answer.headers["Location"].startswith(f"{FACTOR}password/")
    wrong = sams.post(f"{FACTOR}password/", {"password": "wrong"})
    assert (wrong.status_code, "The password is wrong." in wrong.content.decode()) == (200, True)
    assert factors_of(sam).apps == [app]


def test_staff_add_another_and_remove_the_first(sams: Client, sam: User) -> None:
    [older] = factors_of(sam).apps
    enter_password(sams, ADD)
    app = sams.get(ADD).context["app"]
    assert sams.post(ADD, {"code": code_of(app.secret), "name": "Tablet"}).headers["Location"] == OWN
    assert "Phone" in sams.get(f"{FACTOR}remove/{older.id}/").content.decode()
    assert sams.post(f"{FACTOR}remove/{older.id}/").headers["Location"] == OWN
    assert sams.get(f"{FACTOR}remove/{older.id}/").status_code == 404
    shown = sams.get(OWN).content.decode()
    assert re.findall(r"Phone|Tablet|\d+ recovery codes? left", shown)[0] == "Tablet"
    assert "10 recovery codes left" in shown
    assert opens(sams)


def test_the_last_one_stays_where_it_is_required(sams: Client, sam: User, settings: Settings) -> None:
    settings.STAFF_SECOND_FACTOR = "REQUIRED"
    [app] = factors_of(sam).apps
    enter_password(sams, f"{FACTOR}remove/{app.id}/")
    shown = sams.post(f"{FACTOR}remove/{app.id}/", follow=True).content.decode()
    assert "This is your only second factor: add another one first." in shown
    assert factors_of(sam).apps == [app]


def test_new_recovery_codes_are_shown_once(sams: Client, sam: User) -> None:
    enter_password(sams, CODES)
    codes = sams.post(CODES).context["codes"]
    check_code(sam, codes[3])
    assert codes[4] not in sams.get(OWN).content.decode()


def test_the_menu_leads_to_ones_own(sams: Client) -> None:
    assert OWN in sams.get("/admin/").content.decode()
    assert LOGIN not in sams.get(OWN).content.decode()
