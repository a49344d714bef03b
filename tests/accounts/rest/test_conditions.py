"""What two places edit is changed only as it was read, where a client says how that was."""

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
