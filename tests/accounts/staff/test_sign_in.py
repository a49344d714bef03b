"""What a password alone opens, and how often it can be guessed."""

import json
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.contrib import admin
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.models import Session
from django.test import Client, RequestFactory
from django.utils import timezone as clock
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.models import AuditEvent, User
from accounts.rest.throttles import LoginThrottle
from accounts.staff.session_store import SessionStore
from tests.accounts.admin.conftest import signed_in
from tests.accounts.authenticator import Authenticator
from tests.accounts.codes import code_of, passkey_of, with_app, wrong_code
from tests.accounts.staff.conftest import FACTOR, LOGIN, give_password, opens
from tests.conftest import PASSWORD

WRONG = {"username": "sam@example.com", "password": "wrong horse"}
PAGES = ("", "accounts/user/", "password_change/", "jsi18n/", "search/?s=u", "autocomplete/", "second-factor/own/")
ASKED = f"{FACTOR}?{urlencode({'next': '/admin/'})}"


def test_a_password_alone_opens_no_page(client: Client, sam: User) -> None:
    with_app(sam)
    assert give_password(client) == ASKED
    for page in PAGES:
        answer = client.get(f"/admin/{page}")
        assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (302, LOGIN)
    assert client.get(LOGIN).headers["Location"] == ASKED


def test_a_code_opens_what_was_asked_for(client: Client, sam: User) -> None:
    secret, _ = with_app(sam)
    then = give_password(client, then="/admin/password_change/")
    answer = client.post(then, {"code": code_of(secret, periods_ahead=1), "next": "/admin/password_change/"})
    assert answer.headers["Location"] == "/admin/password_change/"
    assert opens(client)


def test_no_page_elsewhere_is_led_to(client: Client, sam: User) -> None:
    secret, _ = with_app(sam)
    give_password(client)
    answer = client.post(FACTOR, {"code": code_of(secret, periods_ahead=1), "next": "https://evil.example/"})
    assert answer.headers["Location"] == "/admin/"


def test_a_wrong_code_opens_nothing(client: Client, sam: User) -> None:
    secret, _ = with_app(sam)
    give_password(client)
    answer = client.post(FACTOR, {"code": wrong_code(secret)})
    assert (answer.status_code, opens(client)) == (200, False)
    assert "This code is wrong, or was used already." in answer.content.decode()


def test_a_recovery_code_opens_the_admin(client: Client, sam: User) -> None:
    _, codes = with_app(sam)
    give_password(client)
    client.post(FACTOR, {"code": codes[0]})
    assert opens(client)


def test_a_passkey_opens_the_admin(client: Client, sam: User) -> None:
    with_app(sam)
    authenticator = Authenticator()
    passkey_of(sam, authenticator)
    give_password(client)
    options = client.get(FACTOR).context["passkey_options"]
    answer = client.post(FACTOR, {"passkey": json.dumps(authenticator.get(json.loads(options)))})
    assert (answer.status_code, opens(client)) == (302, True)


@pytest.mark.parametrize(
    "answer",
    ["{", "[]", "1", '"x"', "{}", '{"id": 1}', "[" * 19_000, "1" * 6_000, "x" * 30_000],
    ids=["torn", "list", "number", "text", "empty", "other", "deep", "digits", "long"],
)
def test_no_answer_of_a_passkey_opens_nothing(client: Client, sam: User, answer: str) -> None:
    with_app(sam)
    give_password(client)
    assert (client.post(FACTOR, {"passkey": answer}).status_code, opens(client)) == (200, False)


@pytest.mark.usefixtures("required")
def test_a_passkey_made_elsewhere_is_asked_for_and_no_other_can_be_added(client: Client, sam: User) -> None:
    authenticator = Authenticator()
    passkey_of(sam, authenticator)
    assert give_password(client) == ASKED
    assert client.get(f"{FACTOR}add/").headers["Location"] == ASKED
    options = json.loads(client.get(FACTOR).context["passkey_options"])
    answer = client.post(FACTOR, {"passkey": json.dumps(authenticator.get(options))})
    assert (len(answer.context["codes"]), opens(client)) == (10, True)


def test_the_session_gets_a_new_id_with_the_second_factor(client: Client, sam: User) -> None:
    secret, _ = with_app(sam)
    give_password(client)
    before = client.cookies["sessionid"].value
    client.post(FACTOR, {"code": code_of(secret, periods_ahead=1)})
    assert client.cookies["sessionid"].value != before


def test_a_password_alone_lasts_ten_minutes(client: Client, sam: User) -> None:
    secret, _ = with_app(sam)
    give_password(client)
    assert Session.objects.get().expire_date <= clock.now() + timedelta(minutes=10)
    Session.objects.update(expire_date=clock.now())
    assert client.post(FACTOR, {"code": code_of(secret, periods_ahead=1)}).headers["Location"] == LOGIN


@pytest.mark.parametrize("factor", [True, False])
def test_a_session_ends_at_a_fixed_time_however_much_it_is_used(
    client: Client, sam: User, settings: Settings, factor: bool
) -> None:
    assert settings.SESSION_COOKIE_AGE == 12 * 3600
    settings.SESSION_COOKIE_AGE = 3600
    secret = with_app(sam)[0] if factor else ""
    give_password(client)
    if factor:
        client.post(FACTOR, {"code": code_of(secret, periods_ahead=1)})
    end = Session.objects.get().expire_date
    assert clock.now() + timedelta(minutes=50) < end <= clock.now() + timedelta(hours=1)
    client.post(f"{FACTOR}password/", {"password": PASSWORD, "next": "/admin/"})  # changes the session
    app = client.get(f"{FACTOR}add/").context["app"]
    assert client.post(f"{FACTOR}add/", {"code": code_of(app.secret)}).status_code in {200, 302}
    assert (opens(client), Session.objects.get().expire_date <= end) == (True, True)
    Session.objects.update(expire_date=clock.now())
    assert not opens(client)


def test_the_password_again_does_not_prolong_a_session_without_the_second_factor(client: Client, sam: User) -> None:
    secret, _ = with_app(sam)
    give_password(client)
    client.post(FACTOR, {"code": code_of(secret, periods_ahead=1)})
    assert opens(client)
    assert give_password(client) == ASKED
    assert not opens(client)


def test_where_it_is_optional_a_passkey_made_elsewhere_is_asked_for(client: Client, sam: User) -> None:
    passkey_of(sam)
    assert give_password(client) == ASKED
    assert not opens(client)


def test_sign_ins_are_recorded(client: Client, sam: User) -> None:
    secret, _ = with_app(sam)
    AuditEvent.objects.all().delete()
    give_password(client)
    assert not AuditEvent.objects.exists()
    client.post(FACTOR, {"code": wrong_code(secret)})
    client.post(FACTOR, {"passkey": json.dumps(Authenticator().get({"challenge": "AA", "rpId": "localhost"}))})
    client.post(FACTOR, {"code": code_of(secret, periods_ahead=1)})
    assert opens(client)
    told = list(AuditEvent.objects.order_by("created_at").values_list("action", "actor", "subject_id"))
    assert told == [
        ("fail-second-factor", None, sam.id),
        ("fail-second-factor", None, sam.id),
        ("sign-in-to-admin", sam.id, sam.id),
    ]


def test_a_sign_in_with_a_password_alone_is_recorded_where_it_is_enough(client: Client, sam: User) -> None:
    give_password(client)
    client.get("/admin/login/")
    assert list(AuditEvent.objects.values_list("action", "actor")) == [("sign-in-to-admin", sam.id)]


def test_refused_guesses_at_staff_are_recorded_once_an_hour_and_name_no_one(
    client: Client, sam: User, alice: User, rates: Callable[..., None]
) -> None:
    rates(login="1/d")
    for address in ("SAM@example.com", "sam@example.com", "alice@example.com", "nobody@example.com", ""):
        client.post(LOGIN, {"username": address, "password": "wrong horse"})
    client.post(LOGIN, {"username": "sam@example.com", "password": "wrong horse"})
    [event] = AuditEvent.objects.all()
    assert (event.action, event.actor, event.subject_id) == ("refuse-sign-in-to-admin", None, sam.id)
    assert event.reason_encrypted == ""


def test_refusing_takes_as_many_queries_for_staff_as_for_anyone(
    sam: User, rates: Callable[..., None], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """What is recorded is recorded after the answer was sent."""
    rates(login="1/d")
    Client().post(LOGIN, WRONG)
    for address in ("sam@example.com", "nobody@example.com"):
        request = RequestFactory().post(LOGIN, {"username": address, "password": "wrong horse"})
        request.session = SessionStore()
        request.user = AnonymousUser()
        request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]  # as of the test client
        with django_assert_num_queries(0):
            answer = admin.site.login(request)
        assert answer.status_code == 429
    assert not AuditEvent.objects.exists()


def test_refused_codes_are_recorded(client: Client, sam: User, rates: Callable[..., None]) -> None:
    rates(second_factor="1/d")
    secret, _ = with_app(sam)
    AuditEvent.objects.all().delete()
    give_password(client)
    for _ in range(3):
        client.post(FACTOR, {"code": wrong_code(secret)})
    actions = list(AuditEvent.objects.order_by("created_at").values_list("action", flat=True))
    assert actions == ["fail-second-factor", "refuse-sign-in-to-admin"]


def test_one_can_sign_in_as_someone_else_before_the_second_factor(client: Client, sam: User) -> None:
    with_app(sam)
    give_password(client)
    assert client.post("/admin/logout/").status_code == 200
    assert client.get(LOGIN).status_code == 200


def test_a_session_from_before_the_first_factor_is_asked_for_it(sam: User) -> None:
    browser = signed_in(sam)
    assert opens(browser)
    with_app(sam)
    assert not opens(browser)


def test_users_who_are_no_staff_get_nowhere(client: Client, alice: User) -> None:
    assert give_password(client, "alice@example.com") == ""
    for page in ("", "add/", "own/", "codes/"):
        assert signed_in(alice).get(FACTOR + page).headers["Location"].partition("?")[0] == LOGIN


def test_stored_sessions_open_nothing(client: Client, sam: User) -> None:
    give_password(client)
    [stored] = Session.objects.values_list("session_key", flat=True)
    assert stored != client.cookies["sessionid"].value
    thief = Client()
    thief.cookies["sessionid"] = stored
    assert (opens(thief), opens(client)) == (False, True)
    client.post("/admin/logout/")
    assert not Session.objects.exists()


# Guessing


def test_guesses_are_refused_after_as_many_as_over_rest(client: Client, sam: User, rates: Callable[..., None]) -> None:
    rates(login="2/d")
    answers = [client.post(LOGIN, WRONG) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].headers["Retry-After"] == "43200"
    assert "Request was throttled. Expected available in 43200 seconds." in answers[2].content.decode()
    assert client.post(LOGIN, {**WRONG, "password": PASSWORD}).status_code == 429


def test_guesses_count_with_those_over_rest(
    client: Client, anonymous: Client, sam: User, rates: Callable[..., None]
) -> None:
    rates(login="100/d", login_address="2/d")
    for _ in range(2):
        anonymous.post("/api/v1/auth/token", {"email": "SAM@example.com", "password": "wrong"}, format="json")
    assert client.post(LOGIN, WRONG).status_code == 429
    other = client.post(LOGIN, {"username": "other@example.com", "password": "wrong horse"})
    assert (other.status_code, LoginThrottle.scope) == (200, "login")


def test_networks_are_counted_apart(client: Client, sam: User, rates: Callable[..., None]) -> None:
    rates(login="1/d")
    networks = ["192.0.2.1", "192.0.2.1", "192.0.2.2"]
    assert [client.post(LOGIN, WRONG, REMOTE_ADDR=each).status_code for each in networks] == [200, 429, 200]


def test_a_refused_guess_compares_nothing(
    client: Client, sam: User, rates: Callable[..., None], hashes: list[str]
) -> None:
    rates(login="1/d")
    client.post(LOGIN, WRONG)
    hashes.clear()
    client.post(LOGIN, WRONG)
    assert hashes == []


@pytest.mark.parametrize("rate", ["second_factor", "second_factor_address"])
def test_codes_and_recovery_codes_are_guessed_seldom(
    client: Client, sam: User, rates: Callable[..., None], rate: str
) -> None:
    rates(**{rate: "2/d"})
    _, codes = with_app(sam)
    give_password(client)
    answers = [client.post(FACTOR, {"code": code}) for code in ("wrong", "wrong-wrong", codes[0])]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert not opens(client)


def test_ones_own_password_is_not_guessed_in_an_open_session(sam: User, rates: Callable[..., None]) -> None:
    rates(login="1/d")
    browser, form = signed_in(sam), {"old_password": "wrong", "new_password1": "x", "new_password2": "x"}
    statuses = [browser.post("/admin/password_change/", form).status_code for _ in range(2)]
    statuses += [browser.post(f"{FACTOR}password/", {"password": PASSWORD}).status_code]
    assert statuses == [200, 429, 429]
