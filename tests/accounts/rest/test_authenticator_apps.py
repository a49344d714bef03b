"""Authenticator apps over REST: added, used for confirming, and removed."""

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from accounts.auth.tokens import issue_tokens
from accounts.credential_models import AuthenticatorApp, RecoveryCode
from accounts.models import AuditEvent, User
from tests.accounts.codes import code_of, passkey_of, with_app, wrong_code
from tests.conftest import PASSWORD

if TYPE_CHECKING:
    from rest_framework.response import _MonkeyPatchedResponse as Answer  # what the test client returns

APPS = "/api/v1/auth/authenticator-apps"
CODES = "/api/v1/auth/recovery-codes"
PASSKEYS = "/api/v1/auth/passkeys"
pytestmark = pytest.mark.django_db


def post(client: APIClient, path: str, **body: object) -> "Answer":
    return client.post(path, body, format="json")


def begun(client: APIClient, **proof: object) -> dict[str, str]:
    answer = post(client, APPS, **(proof or {"password": PASSWORD}))
    assert answer.status_code == 201
    found: dict[str, str] = answer.json()
    return found


def confirmed(client: APIClient, app: dict[str, str], **body: object) -> "Answer":
    return post(client, f"{APPS}/{app['id']}/confirmation", **{"code": code_of(app["secret"]), **body})


def refusal(answer: "Answer") -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def client_of(user: User) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_tokens(user).access}")
    return client


def test_app_counts_once_its_code_is_confirmed_and_brings_recovery_codes(as_alice: APIClient, alice: User) -> None:
    app = begun(as_alice)
    address = urlsplit(app["address"])
    assert (address.scheme, parse_qs(address.query)["secret"]) == ("otpauth", [app["secret"]])
    assert as_alice.get(APPS).json()["results"] == []
    assert refusal(confirmed(as_alice, app, code=wrong_code(app["secret"]))) == (403, "wrong_code")
    added = confirmed(as_alice, app, name="Phone")
    assert (added.status_code, len(added.json()["recovery_codes"])) == (200, 10)
    [listed] = as_alice.get(APPS).json()["results"]
    assert (listed["id"], listed["name"]) == (app["id"], "Phone")
    assert as_alice.get(CODES).json() == {"left": 10}
    assert AuditEvent.objects.filter(action="add-authenticator-app", object_id=app["id"]).exists()


def test_qr_code_is_the_square_of_the_address(as_alice: APIClient) -> None:
    rows = begun(as_alice)["qr_code"]
    assert {len(row) for row in rows} == {len(rows)}
    # The three finder patterns, of which a QR code has one in each corner but the last.
    corners = [(0, 0), (0, len(rows) - 7), (len(rows) - 7, 0)]
    for top, left in corners:
        finder = [row[left : left + 7] for row in rows[top : top + 7]]
        assert finder == ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]


def test_a_second_app_brings_no_new_recovery_codes_and_needs_a_code(alice: User) -> None:
    secret, _ = with_app(alice)
    client = client_of(alice)
    assert refusal(post(client, APPS, password=PASSWORD)) == (403, "passkey_needed")
    tablet = begun(client, password=PASSWORD, code=code_of(secret, periods_ahead=1))
    assert confirmed(client, tablet).json() == {"recovery_codes": []}


def test_what_a_password_alone_began_ends_with_the_first_factor(alice: User, bob: User) -> None:
    thief, owner = client_of(alice), client_of(alice)
    by_thief = begun(thief)
    assert confirmed(owner, begun(owner)).status_code == 200
    assert refusal(confirmed(thief, by_thief)) == (404, "not_found")
    thief = client_of(bob)
    by_thief = begun(thief)
    passkey_of(bob)
    assert refusal(confirmed(thief, by_thief)) == (404, "not_found")


def test_removing_the_last_app_takes_a_code_and_ends_recovery_codes(alice: User, settings: Settings) -> None:
    # It is staff who must keep one.
    settings.STAFF_SECOND_FACTOR = "REQUIRED"
    secret, _ = with_app(alice)
    client, path = client_of(alice), f"{APPS}/{AuthenticatorApp.objects.get().id}"
    assert refusal(client.delete(path, {"password": PASSWORD}, format="json")) == (403, "passkey_needed")
    proof = {"password": PASSWORD, "code": code_of(secret, periods_ahead=1)}
    assert client.delete(path, proof, format="json").status_code == 204
    assert not RecoveryCode.objects.exists()
    assert User.objects.get(id=alice.id).second_factor_since is None


def test_a_passkey_may_be_the_last_factor_to_go(alice: User) -> None:
    _, recovery_codes = with_app(alice)
    client, passkey, app = client_of(alice), passkey_of(alice), AuthenticatorApp.objects.get()
    for path, code, left in (
        (f"{APPS}/{app.id}", recovery_codes[0], 9),
        (f"{PASSKEYS}/{passkey.id}", recovery_codes[1], 0),
    ):
        answer = client.delete(path, {"password": PASSWORD, "code": code}, format="json")
        assert (answer.status_code, RecoveryCode.objects.count()) == (204, left)
    assert User.objects.get(id=alice.id).second_factor_since is None
    assert post(client, APPS, password=PASSWORD).status_code == 201


def test_staff_keep_the_last_passkey(sam: User, settings: Settings) -> None:
    settings.STAFF_SECOND_FACTOR = "REQUIRED"
    _, recovery_codes = with_app(sam)
    client, passkey, app = client_of(sam), passkey_of(sam), AuthenticatorApp.objects.get()
    proof = {"password": PASSWORD, "code": recovery_codes[0]}
    assert client.delete(f"{APPS}/{app.id}", proof, format="json").status_code == 204
    proof = {"password": PASSWORD, "code": recovery_codes[1]}
    assert refusal(client.delete(f"{PASSKEYS}/{passkey.id}", proof, format="json")) == (409, "last_factor")


def test_staff_add_the_first_in_the_admin_and_keep_the_last(sam: User, settings: Settings) -> None:
    settings.STAFF_SECOND_FACTOR = "REQUIRED"
    assert refusal(post(client_of(sam), APPS, password=PASSWORD)) == (403, "passkey_needed")
    secret, _ = with_app(sam)
    proof = {"password": PASSWORD, "code": code_of(secret, periods_ahead=1)}
    path = f"{APPS}/{AuthenticatorApp.objects.get().id}"
    assert refusal(client_of(sam).delete(path, proof, format="json")) == (409, "last_factor")


def test_only_its_owner_sees_and_removes_an_app(alice: User, bob: User) -> None:
    with_app(alice)
    client = client_of(bob)
    assert client.get(APPS).json()["results"] == []
    path = f"{APPS}/{AuthenticatorApp.objects.get().id}"
    assert refusal(client.delete(path, {"password": PASSWORD}, format="json")) == (404, "not_found")


def test_a_passkey_is_not_removed_as_an_app(alice: User) -> None:
    secret, _ = with_app(alice)
    path = f"{APPS}/{passkey_of(alice).id}"
    proof = {"password": PASSWORD, "code": code_of(secret, periods_ahead=1)}
    assert refusal(client_of(alice).delete(path, proof, format="json")) == (404, "not_found")


def test_recovery_codes_are_renewed_by_one_with_a_factor(as_alice: APIClient, alice: User) -> None:
    assert refusal(post(as_alice, CODES, password=PASSWORD)) == (409, "no_factor")
    _, codes = with_app(alice)
    renewed = post(as_alice, CODES, password=PASSWORD, code=codes[0])
    assert (renewed.status_code, len(renewed.json()["recovery_codes"])) == (200, 10)
    assert refusal(post(as_alice, CODES, password=PASSWORD, code=codes[1])) == (403, "wrong_code")


def test_at_most_five_apps_are_added(alice: User) -> None:
    _, codes = with_app(alice)
    client = client_of(alice)
    for code in codes[:4]:
        assert confirmed(client, begun(client, password=PASSWORD, code=code)).status_code == 200
    assert refusal(post(client, APPS, password=PASSWORD, code=codes[4])) == (409, "too_many_apps")


def test_guesses_of_a_password_are_limited(as_alice: APIClient, rates: Callable[..., None]) -> None:
    rates(login="2/d")
    answers = [post(as_alice, APPS, password="wrong").status_code for _ in range(3)]
    assert answers == [403, 403, 429]
