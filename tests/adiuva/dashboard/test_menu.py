"""The admin's menu, and the page of the documents that explains it."""

import re

import pytest
from django.http import HttpRequest

from accounts.models import User
from adiuva.dashboard.page import navigation
from tests.forks import ROOT

pytestmark = pytest.mark.contracts


def test_admin_md_explains_every_page_of_the_menu_in_its_order() -> None:
    request = HttpRequest()
    request.user = User(is_superuser=True, is_staff=True, is_active=True)
    menu = [str(item["title"]) for section in navigation(request) for item in section["items"]]
    table = (ROOT / "docs" / "admin.md").read_text(encoding="utf-8").split("| page |")[1].split("\n\n")[0]
    explained = re.findall(r"^\| (\w[^|]*?) \|", table, re.MULTILINE)
    assert explained == [title[0].upper() + title[1:] for title in menu]
