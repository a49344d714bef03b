"""Addresses of accounts, below ``/api/v1/``."""

from django.urls import path

from accounts.rest import views

urlpatterns = [
    path("auth/register", views.RegisterView.as_view()),
    path("auth/token", views.TokenView.as_view()),
    path("auth/token/refresh", views.RefreshView.as_view()),
    path("auth/logout", views.LogoutView.as_view()),
    path("auth/logout-everywhere", views.LogoutEverywhereView.as_view()),
    path("auth/tokens", views.PersonalTokensView.as_view()),
    path("auth/tokens/<uuid:token>", views.PersonalTokenView.as_view()),
    path("auth/me", views.MeView.as_view()),
    path("devices", views.DevicesView.as_view()),
    path("devices/<uuid:device>", views.DeviceView.as_view()),
]
