"""The admin's first page, as staff see it."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone as clock
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from accounts.session_models import Device
from tests.accounts.admin.conftest import may, signed_in
from tests.accounts.device_rows import stored_device
from tests.adiuva.dashboard.ledger import write_turns

HEADING = "How the assistant performs"
QUERIES = 9
"""Includes the queries of authentication and navigation."""


@pytest.fixture
def as_superuser(sam: User) -> Client:
    sam.is_superuser = True
    sam.save(update_fields=["is_superuser"])
    return signed_in(sam)


def page(client: Client, stretch: str = "") -> str:
    response = client.get("/admin/", {"stretch": stretch} if stretch else {})
    assert response.status_code == 200
    return response.content.decode()


def test_the_page_shows_what_happened(as_superuser: Client, alice: User) -> None:
    turns = write_turns([alice], until=clock.now(), days=1, number=30)

    shown = page(as_superuser, "month")
    tokens = sum(turn.input_tokens + turn.output_tokens for turn in turns)
    for expected in (HEADING, f"{tokens:,}", "alice@example.com", "search_notes", "gpt-4.1-mini", "Devices online"):
        assert expected in shown
    assert shown.count('class="chart"') == 4
    assert shown.count("Nothing in this period.") == 2  # jobs and devices


def test_without_turns_it_says_so(as_superuser: Client) -> None:
    shown = page(as_superuser)

    assert "No model was asked." in shown
    assert 'class="chart"' not in shown


@pytest.mark.parametrize(("stretch", "chosen"), [("day", "24 hours"), ("week", "7 days"), ("nonsense", "7 days")])
def test_the_stretch_is_the_address_s(as_superuser: Client, stretch: str, chosen: str) -> None:
    _, _, after = page(as_superuser, stretch).partition('aria-current="page"')

    assert after.partition("</a>")[0].endswith(f">{chosen}")


@pytest.mark.parametrize("number", [1, 300])
def test_it_takes_as_many_queries_for_many_turns_as_for_one(
    as_superuser: Client, alice: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    write_turns([alice, bob], until=clock.now(), days=20, number=number)

    with django_assert_num_queries(QUERIES):
        page(as_superuser, "month")


def test_staff_see_only_what_they_may(sam: User, alice: User) -> None:
    write_turns([alice], until=clock.now(), days=1, number=30)
    assert HEADING not in page(signed_in(sam))

    may(sam, "agents.view_turnrecord")
    shown = page(signed_in(User.objects.get(id=sam.id)))
    assert HEADING in shown
    assert "Models" in shown
    assert "alice@example.com" not in shown
    assert "Devices online" not in shown


def test_the_axis_of_shares_ends_at_all_of_them(as_superuser: Client, alice: User) -> None:
    write_turns([alice], until=clock.now(), days=1, number=30)
    charts = {chart.title: chart for chart in as_superuser.get("/admin/").context["dashboard"].charts}
    assert charts["Successful tool calls"].highest == 100
    assert page(as_superuser).count('data-highest="100"') == 1


def test_a_device_that_has_just_connected_is_in_the_chart_at_once(as_superuser: Client, alice: User) -> None:
    device = stored_device(alice, "laptop")
    Device.objects.filter(id=device.id).update(online_until=clock.now() + timedelta(minutes=1))

    dashboard = as_superuser.get("/admin/").context["dashboard"]

    [chart] = [chart for chart in dashboard.charts if chart.title == "Devices online at once, at most"]
    [series] = chart.series
    [figure] = [figure for figure in dashboard.figures if figure.title == "Devices online"]
    assert (series.values[-1], figure.value) == (1, "1")
