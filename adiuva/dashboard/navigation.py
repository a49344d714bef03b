"""The admin's navigation, from the section, icon and purpose of each page."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

_SECTIONS: Final = ("People", "Memory", "Assistant", "Oversight")
_OTHER: Final = "More"

Section = Mapping[str, Any]
"""As django-unfold takes it: a title and items with title, link and icon."""


def navigation(request: HttpRequest) -> list[Section]:
    """The pages that this member of staff may see, by section."""
    sections: dict[str, list[Section]] = {name: [] for name in (*_SECTIONS, _OTHER)}
    for app in admin.AdminSite.get_app_list(admin.site, request):
        for model in app["models"]:
            page = admin.site.get_model_admin(model["model"])
            section = getattr(page, "section", "")
            sections[section if section in sections else _OTHER].append(
                {
                    "title": model["name"],
                    "first": getattr(page, "listed_first", False),
                    "link": model["admin_url"],
                    "icon": getattr(page, "icon", "table_rows"),
                    "purpose": getattr(page, "purpose", ""),
                }
            )
    for items in sections.values():
        items.sort(key=lambda item: (not item["first"], item["title"]))
    first: Section = {"items": [{"title": "Overview", "link": reverse("admin:index"), "icon": "home"}]}
    return [first, *({"title": name, "separator": True, "items": items} for name, items in sections.items() if items)]
