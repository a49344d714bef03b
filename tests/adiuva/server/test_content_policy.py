"""The Content-Security-Policy of answers. ``tests/end_to_end/test_admin_pages.py`` looks for violations."""

from pathlib import Path

import pytest
from django.contrib import admin
from django.contrib.staticfiles import finders
from django.test import Client, RequestFactory
from unfold.sites import UnfoldAdminSite

from accounts.models import User
from accounts.staff.site import StaffSite

FORBIDDEN = ("'unsafe-inline'", "*", "http:", "https:")


def policy_of(path: str, client: Client | None = None) -> dict[str, str]:
    answer = (client or Client()).get(path)
    parts = answer.headers["Content-Security-Policy"].split("; ")
    return {name: sources for name, _, sources in (part.partition(" ") for part in parts)}


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/admin/login/", "/admin/", "/admin/no-such-page/", "/api/v1/auth/me", "/nowhere/"])
def test_every_answer_has_a_policy(path: str) -> None:
    policy = policy_of(path)
    assert (policy["default-src"], policy["object-src"], policy["base-uri"]) == ("'none'", "'none'", "'none'")
    assert (policy["frame-ancestors"], policy["form-action"]) == ("'none'", "'self'")
    policy.pop("style-src-attr", "")
    assert not [source for source in FORBIDDEN if source in " ".join(policy.values()).split()]


@pytest.mark.django_db
def test_only_the_admin_runs_scripts(sam: User) -> None:
    assert "script-src" not in policy_of("/api/v1/auth/me")
    assert policy_of("/admin/login/")["script-src"] == "'self' 'unsafe-eval'"


def test_a_page_with_a_policy_of_its_own_keeps_it() -> None:
    assert policy_of("/app/")["form-action"] == "'none'"


def test_the_admin_is_the_site_with_second_factors() -> None:
    assert isinstance(admin.site, StaffSite)


def test_the_colours_are_those_of_the_library() -> None:
    """Otherwise they would be a style in every page, which the policy forbids."""
    found = finders.find("adiuva/admin-colours.css")
    written = Path(str(found)).read_text(encoding="utf-8")
    colours = UnfoldAdminSite()._get_colors("COLORS", RequestFactory().get("/"))
    lines = [
        f"    --color-{name}-{weight}: {value};" for name, all_of in colours.items() for weight, value in all_of.items()
    ]
    assert written.splitlines()[2:-1] == lines
