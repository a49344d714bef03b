"""The pages that users see in place of the one they asked for."""

from typing import NoReturn

import pytest
from django.db import OperationalError, connection
from django.test import Client
from psycopg_pool import PoolTimeout

from accounts.models import User
from tests.accounts.admin.conftest import signed_in


@pytest.mark.parametrize(
    ("address", "status", "sentence"),
    [
        ("/admin/accounts/user/", 403, "You may not do this."),
        ("/admin/nothing/", 404, "There is no such page."),
        ("/nothing", 404, "There is no such page."),
    ],
)
def test_what_is_refused_is_said_with_a_way_back(sam: User, address: str, status: int, sentence: str) -> None:
    answer = signed_in(sam).get(address)
    shown = answer.content.decode()
    assert (answer.status_code, sentence in shown, 'href="/admin/"' in shown) == (status, True, True)


def test_refusal_page_is_public_and_names_nothing(client: Client) -> None:
    shown = client.get("/nothing").content.decode()
    assert ("There is no such page." in shown, "/nothing" in shown) == (True, False)


def test_a_stale_form_gets_a_page_of_ours() -> None:
    answer = Client(enforce_csrf_checks=True).post("/admin/login/", {"username": "sam@example.com", "password": "x"})
    assert (answer.status_code, "This form was not accepted." in answer.content.decode()) == (403, True)


@pytest.mark.parametrize("error", [OperationalError("no route: password=s3cret"), PoolTimeout()])
@pytest.mark.parametrize("address", ["/admin/", "/admin/login/", "/admin/accounts/user/"])
def test_a_page_without_the_database_says_so(sam: User, address: str, error: Exception) -> None:
    client = signed_in(sam)

    def refuse(*_: object, **__: object) -> NoReturn:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "cursor", refuse)
        answer = client.get(address)
    shown = answer.content.decode()
    assert (answer.status_code, "cannot reach its database" in shown, answer.headers["Retry-After"]) == (503, True, "2")
    assert "s3cret" not in shown
