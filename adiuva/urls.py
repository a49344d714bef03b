"""Addresses of the whole server; the probes ``/healthz`` and ``/readyz`` are answered before these (``health.py``)."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("api/v1/auth/", include("accounts.urls")),
    path("api/v1/", include("accounts.device_urls")),
]
