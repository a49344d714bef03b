"""Django's own log of the admin names no one."""

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.test import Client

from accounts.admin.pages import Page, _logged
from accounts.models import User

pytestmark = pytest.mark.django_db


def test_rows_are_logged_by_their_ids(as_superuser: Client) -> None:
    as_superuser.post("/admin/auth/group/add/", {"name": "alice@example.com and friends"})
    group = Group.objects.get()
    as_superuser.post(f"/admin/auth/group/{group.id}/change/", {"name": "bob@example.com"})
    as_superuser.post(f"/admin/auth/group/{group.id}/delete/", {"post": "yes"})
    entries = LogEntry.objects.order_by("id")
    assert [entry.object_repr for entry in entries] == [f"group {group.id}"] * 3
    assert "example.com" not in "".join(entry.change_message for entry in entries)


def test_names_of_rows_changed_together_are_left_out(superuser: User, rf: object) -> None:
    request = type("Request", (), {"user": superuser})()
    message = [{"added": {"name": "device", "object": "alices laptop"}}, {"changed": {"fields": ["Name"]}}]
    entry = _logged(request, superuser, 2, message)
    assert entry.get_change_message() == "Added device “…”. Changed Name."


def test_every_page_of_the_admin_logs_that_way() -> None:
    assert [page for page in admin.site._registry.values() if not isinstance(page, Page)] == []
