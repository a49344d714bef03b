"""What no page of the admin sends, but anyone may write into an address or a form."""

import pytest
from django.test import Client


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("accounts/auditevent", "created_at__year=99999"),
        ("accounts/auditevent", "created_at__year=0"),
        ("agents/turnrecord", "kind__exact=%00"),
        ("agents/turnrecord", "started_at__year=2026&started_at__month=13&started_at__day=1"),
    ],
)
def test_a_filter_that_fits_nothing_is_left_out(as_superuser: Client, page: str, query: str) -> None:
    address = f"/admin/{page}/"
    answer = as_superuser.get(f"{address}?{query}")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"{address}?e=1")
    assert as_superuser.get(f"{address}?e=1").status_code == 200


@pytest.mark.parametrize(
    ("page", "action"),
    [
        ("accounts/user", "deactivate"),
        ("auth/group", "delete_selected"),
        ("agents/toolpolicy", "delete_selected"),
        ("agents/userquota", "delete_selected"),
    ],
)
def test_an_action_on_what_is_no_row_is_refused(as_superuser: Client, page: str, action: str) -> None:
    answer = as_superuser.post(f"/admin/{page}/", {"action": action, "_selected_action": ["x"], "index": "0"})
    assert answer.status_code == 400
