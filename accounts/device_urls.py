"""Addresses of devices, below ``/api/v1/``."""

from django.urls import path

from accounts import device_api

urlpatterns = [
    path("devices", device_api.DevicesView.as_view()),
    path("devices/<uuid:device>", device_api.DeviceView.as_view()),
]
