"""Addresses below ``/api/v1/auth/``."""

from django.urls import path

from accounts import api, token_api

urlpatterns = [
    path("register", api.RegisterView.as_view()),
    path("token", api.TokenView.as_view()),
    path("token/refresh", api.RefreshView.as_view()),
    path("logout", api.LogoutView.as_view()),
    path("logout-everywhere", api.LogoutEverywhereView.as_view()),
    path("tokens", token_api.PersonalTokensView.as_view()),
    path("tokens/<uuid:token>", token_api.PersonalTokenView.as_view()),
    path("me", api.MeView.as_view()),
]
