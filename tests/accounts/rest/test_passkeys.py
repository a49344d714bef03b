"""Passkeys over REST: added, used, renamed and removed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from accounts.auth.passkeys import register_passkey, registration_options
from accounts.auth.tokens import bearer_of, issue_tokens
from accounts.credential_models import Passkey
from accounts.models import User
from tests.accounts.authenticator import Authenticator
from tests.conftest import PASSWORD

if TYPE_CHECKING:
    from rest_framework.response import _MonkeyPatchedResponse as Answer  # what the test client returns

PASSKEYS = "/api/v1/auth/passkeys"
SIGN_IN = f"{PASSKEYS}/sign-in"
pytestmark = pytest.mark.django_db


def post(client: APIClient, path: str, **body: object) -> "Answer":
    return client.post(path, body, format="json")


def add(client: APIClient, authenticator: Authenticator, name: str = "Laptop", **proof: object) -> "Answer":
    options = post(client, f"{PASSKEYS}/options", **(proof or {"password": PASSWORD}))
    return post(client, PASSKEYS, name=name, credential=authenticator.create(options.json()))


def proof_by(client: APIClient, authenticator: Authenticator) -> dict[str, Any]:
    return {"passkey": authenticator.get(post(client, f"{PASSKEYS}/confirmation/options").json())}


def sign_in(client: APIClient, authenticator: Authenticator) -> "Answer":
    return post(client, SIGN_IN, credential=authenticator.get(post(client, f"{SIGN_IN}/options").json()))


def code_of(answer: "Answer") -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


@pytest.fixture
def laptop(as_alice: APIClient) -> Authenticator:
    laptop = Authenticator()
    assert add(as_alice, laptop).status_code == 201
    return laptop


@pytest.fixture
def as_sam(sam: User) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_tokens(sam).access}")
    return client


def test_passkey_is_added_listed_and_signs_in(as_alice: APIClient, anonymous: APIClient, alice: User) -> None:
    laptop = Authenticator()
    made = add(as_alice, laptop, " Laptop ")
    assert (made.status_code, made.json()["name"], made.json()["last_used_at"]) == (201, "Laptop", None)
    assert made.json()["transports"] == ["internal", "hybrid"]
    signed_in = sign_in(anonymous, laptop)
    assert (signed_in.status_code, set(signed_in.json())) == (200, {"access", "refresh"})
    assert bearer_of(signed_in.json()["access"]).user == alice
    [listed] = as_alice.get(PASSKEYS).json()["results"]
    assert listed.pop("last_used_at") is not None
    assert listed == {key: value for key, value in made.json().items() if key != "last_used_at"}


def test_only_its_owner_sees_renames_and_removes_a_passkey(
    as_alice: APIClient, bob: User, laptop: Authenticator, anonymous: APIClient
) -> None:
    as_bob = APIClient()
    as_bob.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_tokens(bob).access}")
    address = f"{PASSKEYS}/{Passkey.objects.get().id}"
    assert as_bob.get(PASSKEYS).json()["results"] == []
    assert code_of(as_bob.patch(address, {"name": "Mine"}, format="json")) == (404, "not_found")
    assert code_of(as_bob.delete(address, {"password": PASSWORD}, format="json")) == (404, "not_found")
    assert as_alice.patch(address, {"name": "Old laptop"}, format="json").json()["name"] == "Old laptop"
    assert as_alice.delete(address, proof_by(as_alice, laptop), format="json").status_code == 204
    assert code_of(sign_in(anonymous, laptop)) == (401, "login_failed")


@pytest.mark.parametrize("path", ["", "/options", "/confirmation/options"])
def test_passkeys_need_an_access_token(anonymous: APIClient, path: str) -> None:
    assert code_of(post(anonymous, PASSKEYS + path, password=PASSWORD)) == (401, "unauthorized")


def test_user_is_asked_again_before_adding_and_removing(as_alice: APIClient, laptop: Authenticator) -> None:
    address = f"{PASSKEYS}/{Passkey.objects.get().id}"
    for ask in (as_alice.post, as_alice.delete):
        path = f"{PASSKEYS}/options" if ask == as_alice.post else address
        stale = {"passkey": laptop.get(post(as_alice, f"{SIGN_IN}/options").json())}
        bodies = [{}, {"password": "wrong"}, stale, {"password": PASSWORD, **proof_by(as_alice, laptop)}]
        answers = [code_of(ask(path, body, format="json")) for body in bodies]
        assert answers == [(400, "invalid"), (403, "wrong_password"), (403, "wrong_passkey"), (400, "invalid")]
    assert Passkey.objects.count() == 1


def test_user_without_password_is_asked_for_a_passkey(
    as_alice: APIClient, alice: User, laptop: Authenticator, anonymous: APIClient
) -> None:
    alice.set_unusable_password()
    alice.save(update_fields=["password"])
    access = sign_in(anonymous, laptop).json()["access"]
    as_alice.credentials(HTTP_AUTHORIZATION=f"Bearer {access}")
    address = f"{PASSKEYS}/{Passkey.objects.get().id}"
    last = as_alice.delete(address, proof_by(as_alice, laptop), format="json")
    assert code_of(last) == (409, "last_sign_in")
    assert add(as_alice, Authenticator(), "Phone", **proof_by(as_alice, laptop)).status_code == 201
    assert as_alice.delete(address, proof_by(as_alice, laptop), format="json").status_code == 204


def test_user_without_password_sets_one_and_erases_the_account_with_a_passkey(
    as_alice: APIClient, alice: User, laptop: Authenticator, anonymous: APIClient
) -> None:
    alice.set_unusable_password()
    alice.save(update_fields=["password"])
    as_alice.credentials(HTTP_AUTHORIZATION=f"Bearer {sign_in(anonymous, laptop).json()['access']}")
    changed = post(
        as_alice, "/api/v1/auth/password", new_password="another fine passphrase", **proof_by(as_alice, laptop)
    )
    assert changed.status_code == 200
    as_alice.credentials(HTTP_AUTHORIZATION=f"Bearer {changed.json()['access']}")
    forged = {"passkey": Authenticator().get(post(as_alice, f"{PASSKEYS}/confirmation/options").json())}
    assert code_of(as_alice.delete("/api/v1/auth/me", forged, format="json")) == (403, "wrong_passkey")
    assert as_alice.delete("/api/v1/auth/me", proof_by(as_alice, laptop), format="json").status_code == 204
    assert not User.objects.exists()


def test_staff_change_passkeys_with_a_passkey_alone(as_sam: APIClient, sam: User) -> None:
    """Otherwise a stolen password would be enough to add a second factor for the admin."""
    refused = post(as_sam, f"{PASSKEYS}/options", password=PASSWORD)
    assert code_of(refused) == (403, "passkey_needed")
    assert code_of(post(as_sam, f"{PASSKEYS}/options", password="wrong")) == (403, "wrong_password")
    User.objects.filter(id=sam.id).update(is_staff=False)
    key = Authenticator()
    add(as_sam, key)
    User.objects.filter(id=sam.id).update(is_staff=True)
    address = f"{PASSKEYS}/{Passkey.objects.get().id}"
    assert code_of(as_sam.delete(address, {"password": PASSWORD}, format="json")) == (403, "passkey_needed")
    assert add(as_sam, Authenticator(), **proof_by(as_sam, key)).status_code == 201


def test_staff_confirm_a_token_for_staff_with_a_passkey(as_sam: APIClient, sam: User, settings: Settings) -> None:
    settings.STAFF_SECOND_FACTOR = "REQUIRED"
    key = Authenticator()
    register_passkey(sam, key.create(registration_options(sam)), name="Key")
    asked = {"name": "Editor", "scopes": ["staff:read"]}
    assert code_of(post(as_sam, "/api/v1/auth/tokens", **asked)) == (403, "passkey_needed")
    assert post(as_sam, "/api/v1/auth/tokens", **asked, **proof_by(as_sam, key)).status_code == 201


def test_passkey_that_cannot_be_added_says_so(as_alice: APIClient, laptop: Authenticator) -> None:
    for unfit in (laptop, Authenticator(verifies=False)):
        assert code_of(add(as_alice, unfit, **proof_by(as_alice, laptop))) == (400, "passkey_unfit")
    long = post(as_alice, PASSKEYS, name="x" * 101, credential=Authenticator().get({"challenge": "", "rpId": ""}))
    assert set(long.json()["details"]) == {"name", "credential.response.attestationObject"}


def test_signing_in_is_limited_like_passwords(
    anonymous: APIClient, laptop: Authenticator, rates: Callable[..., None]
) -> None:
    rates(login="2/d", passkey="4/d")
    assert [sign_in(anonymous, laptop).status_code for _ in range(3)] == [200, 200, 429]
    answers = [post(anonymous, f"{SIGN_IN}/options").status_code for _ in range(2)]
    assert answers == [200, 429]


def test_server_without_host_name_says_so(as_alice: APIClient, settings: Settings) -> None:
    settings.WEBAUTHN_RP_ID = ""
    assert code_of(post(as_alice, f"{SIGN_IN}/options")) == (503, "passkeys_unavailable")
    assert code_of(post(as_alice, f"{PASSKEYS}/options", password=PASSWORD)) == (503, "passkeys_unavailable")
