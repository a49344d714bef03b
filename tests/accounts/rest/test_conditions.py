"""What two places edit is changed only as it was read, and read again only if it was changed, if a client says so."""

import pytest
from rest_framework.test import APIClient

ME = "/api/v1/auth/me"


def test_a_change_of_what_was_changed_meanwhile_is_refused(as_alice: APIClient) -> None:
    read = as_alice.get(ME)
    first = as_alice.patch(ME, {"language": "it"}, format="json", HTTP_IF_MATCH=read["ETag"])
    second = as_alice.patch(ME, {"language": "en"}, format="json", HTTP_IF_MATCH=read["ETag"])

    assert (first.status_code, second.status_code) == (200, 412)
    assert second.json()["code"] == "changed_meanwhile"
    assert as_alice.get(ME).json()["language"] == "it"
    assert as_alice.get(ME)["ETag"] == first["ETag"] != read["ETag"]


@pytest.mark.parametrize("match", [None, "*", '"other", {}'])
def test_a_change_without_a_condition_or_with_one_that_holds_is_made(as_alice: APIClient, match: str | None) -> None:
    headers = {} if match is None else {"If-Match": match.format(as_alice.get(ME)["ETag"])}

    assert as_alice.patch(ME, {"language": "it"}, format="json", headers=headers).json()["language"] == "it"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("known", ["{}", "W/{}", '"other", {}', "*"])
def test_what_the_client_has_is_not_sent_again(as_alice: APIClient, method: str, known: str) -> None:
    read = as_alice.get(ME)
    again = as_alice.generic(method, ME, headers={"If-None-Match": known.format(read["ETag"])})

    assert (again.status_code, again.content, again["ETag"]) == (304, b"", read["ETag"])
    assert again.has_header("RateLimit")
    assert not again.has_header("Content-Type")


@pytest.mark.parametrize("known", ['"other"', "other", ""])
def test_what_the_client_does_not_have_is_sent(as_alice: APIClient, known: str) -> None:
    assert as_alice.get(ME, headers={"If-None-Match": known}).json()["email"] == "alice@example.com"


@pytest.mark.parametrize("match", ["W/{}", "{}x", "other"])
def test_a_weak_tag_is_not_enough_for_a_change(as_alice: APIClient, match: str) -> None:
    """A weak tag may name another answer (RFC 9110, 13.1.1)."""
    headers = {"If-Match": match.format(as_alice.get(ME)["ETag"])}

    assert as_alice.patch(ME, {"language": "it"}, format="json", headers=headers).status_code == 412
