import json
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone as clock
from pytest_django import Settings
from rest_framework.test import APIClient

from accounts.auth.personal_tokens import issue_personal_token
from accounts.credential_models import PersonalToken
from accounts.models import User
from tests.accounts.admin.conftest import signed_in
from tests.statements import personal_token

TOKENS = "/api/v1/auth/tokens"


def test_a_token_is_shown_once(as_alice: APIClient, alice: User) -> None:
    answer = as_alice.post(TOKENS, {"name": " Editor "}, format="json")
    body = answer.json()
    assert (answer.status_code, answer["Cache-Control"]) == (201, "no-store")
    assert set(body) == {"id", "name", "created_at", "last_used_at", "expires_at", "scopes", "client_id", "token"}
    assert personal_token(body.pop("token")).user == alice
    [listed] = as_alice.get(TOKENS).json()["results"]
    assert listed.pop("last_used_at") is not None
    assert listed == {key: value for key, value in body.items() if key != "last_used_at"}
    assert (listed["name"], listed["scopes"]) == ("Editor", ["read", "write"])


def test_tokens_are_ones_own_the_newest_first(as_alice: APIClient, alice: User, bob: User) -> None:
    for user, name in ((alice, "first"), (bob, "another's"), (alice, "second")):
        issue_personal_token(user, name=name)
    assert [token["name"] for token in as_alice.get(TOKENS).json()["results"]] == ["second", "first"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": "  "}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "half \ud83d here"}, "name"),
        ({"name": "Editor", "expires_at": "tomorrow"}, "expires_at"),
        ({"name": "Editor", "expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        ({"name": "Editor", "expires_at": "9999-12-31T23:59:59-23:59"}, "expires_at"),
        ({"name": "Editor", "expires_at": "9999-12-31T00:00:00Z"}, "expires_at"),
        ({"name": "Editor", "scopes": []}, "scopes"),
        ({"name": "Editor", "scopes": "read"}, "scopes"),
        ({"name": "Editor", "scopes": ["tasks:read", "tasks:admin"]}, "scopes"),
        ({"name": "Editor", "scopes": ["Tasks:read"]}, "scopes"),
        ({"name": "Editor", "scopes": ["tasks:read tasks:write"]}, "scopes"),
        ({"name": "Editor", "scopes": ["staff:read"]}, "scopes"),
    ],
)
def test_a_wrong_wish_names_its_field(as_alice: APIClient, body: dict[str, object], field: str) -> None:
    answer = as_alice.post(TOKENS, json.dumps(body), content_type="application/json")
    assert (answer.status_code, answer.json()["code"], list(answer.json()["details"])) == (400, "invalid", [field])
    assert PersonalToken.objects.count() == 0


def test_an_unknown_scope_is_refused_with_the_known_ones(as_alice: APIClient) -> None:
    answer = as_alice.post(TOKENS, {"name": "Editor", "scopes": ["tasks:read", "everything"]}, format="json")
    [sentence] = answer.json()["details"]["scopes"]
    assert sentence.startswith("There is no scope 'everything'. The scopes are: read, write, tasks:read, tasks:write, ")
    assert "staff" not in sentence


def test_a_token_has_the_scopes_that_were_asked_for(as_alice: APIClient) -> None:
    asked = ["notes:write", "tasks:read", "tasks:read"]
    body = as_alice.post(TOKENS, {"name": "Editor", "scopes": asked}, format="json").json()
    assert body["scopes"] == ["tasks:read", "notes:write"]
    assert personal_token(body["token"]).scopes == ["tasks:read", "notes:write"]


def test_a_name_may_be_in_any_language(as_alice: APIClient) -> None:
    name = "Água & “quotes” 🎨"
    assert as_alice.post(TOKENS, {"name": name}, format="json").status_code == 201
    assert [token["name"] for token in as_alice.get(TOKENS).json()["results"]] == [name]


def test_a_token_may_have_an_end(as_alice: APIClient) -> None:
    until = (clock.now() + timedelta(days=30)).isoformat()
    body = as_alice.post(TOKENS, {"name": "Editor", "expires_at": until}, format="json").json()
    assert body["expires_at"] == until.replace("+00:00", "Z")


def test_a_token_without_an_end_lasts_as_long_as_settings_say(as_alice: APIClient, settings: Settings) -> None:
    for days, asked in ((90, {}), (7, {"expires_at": None})):
        settings.PERSONAL_TOKEN_DAYS = days
        body = as_alice.post(TOKENS, {"name": "Editor", **asked}, format="json").json()
        left = datetime.fromisoformat(body["expires_at"]) - clock.now()
        assert timedelta(days=days, minutes=-1) < left <= timedelta(days=days)
    settings.PERSONAL_TOKEN_DAYS = 0
    assert as_alice.post(TOKENS, {"name": "Editor"}, format="json").json()["expires_at"] is None


def test_an_end_is_at_most_as_late_as_settings_say(as_alice: APIClient, settings: Settings) -> None:
    later = {"name": "Editor", "expires_at": (clock.now() + timedelta(days=366)).isoformat()}
    answer = as_alice.post(TOKENS, later, format="json")
    assert answer.json()["details"] == {"expires_at": ["This must be within 365 days."]}
    settings.PERSONAL_TOKEN_MAX_DAYS = 0
    assert as_alice.post(TOKENS, later, format="json").status_code == 201


def test_too_many_are_refused_with_a_sentence(as_alice: APIClient, alice: User) -> None:
    for number in range(20):
        issue_personal_token(alice, name=str(number))
    answer = as_alice.post(TOKENS, {"name": "one more"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_tokens")
    assert "revoke one" in answer.json()["message"]


def test_revoked_anothers_and_unknown_tokens_read_the_same(as_alice: APIClient, alice: User, bob: User) -> None:
    own, anothers = issue_personal_token(alice, name="Editor"), issue_personal_token(bob, name="Editor")
    assert as_alice.delete(f"{TOKENS}/{own.id}").status_code == 204
    for token_id in (own.id, anothers.id, uuid4()):
        answer = as_alice.delete(f"{TOKENS}/{token_id}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert personal_token(anothers.text).user == bob


def test_a_token_makes_lists_and_revokes_none(anonymous: APIClient, alice: User) -> None:
    issued = issue_personal_token(alice, name="Editor")
    anonymous.credentials(HTTP_AUTHORIZATION=f"Bearer {issued.text}")
    statuses = [
        anonymous.post(TOKENS, {"name": "another"}, format="json").status_code,
        anonymous.get(TOKENS).status_code,
        anonymous.delete(f"{TOKENS}/{issued.id}").status_code,
        anonymous.get("/api/v1/auth/me").status_code,
    ]
    assert statuses == [401] * 4
    assert PersonalToken.objects.count() == 1


def test_making_tokens_is_limited_and_nothing_else_of_them(as_alice: APIClient, rates: Callable[..., None]) -> None:
    rates(personal_token="1/d")
    made = [as_alice.post(TOKENS, {"name": "Editor"}, format="json").status_code for _ in range(2)]
    assert (made, as_alice.get(TOKENS).status_code) == ([201, 429], 200)


def test_staff_see_whose_and_neither_name_nor_digest(sam: User, alice: User) -> None:
    sam.is_superuser = True
    sam.save(update_fields=["is_superuser"])
    issued = issue_personal_token(alice, name="Marmalade editor")
    row, client = PersonalToken.objects.get(), signed_in(sam)
    assert isinstance(client, Client)
    for page in ("", f"{issued.id}/change/"):
        shown = client.get(f"/admin/accounts/personaltoken/{page}").content.decode()
        assert "alice@example.com" in shown
        secrets = ("Marmalade", issued.text, row.digest, row.name_encrypted, row.password_digest)
        assert [secret for secret in secrets if secret in shown] == []
