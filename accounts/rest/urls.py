"""Addresses of accounts, below ``/api/v1/``."""

from django.urls import path

from accounts.rest import authenticator_apps, export, passkeys, recovery, sessions, views

urlpatterns = [
    path("auth/register", views.RegisterView.as_view()),
    path("auth/token", views.TokenView.as_view()),
    path("auth/token/refresh", views.RefreshView.as_view()),
    path("auth/logout", views.LogoutView.as_view()),
    path("auth/logout-everywhere", views.LogoutEverywhereView.as_view()),
    path("auth/tokens", views.PersonalTokensView.as_view()),
    path("auth/tokens/<uuid:token>", views.PersonalTokenView.as_view()),
    path("auth/passkeys", passkeys.PasskeysView.as_view()),
    path("auth/passkeys/options", passkeys.RegistrationOptionsView.as_view()),
    path("auth/passkeys/confirmation/options", passkeys.ConfirmationOptionsView.as_view()),
    path("auth/passkeys/sign-in/options", passkeys.SignInOptionsView.as_view()),
    path("auth/passkeys/sign-in", passkeys.SignInView.as_view()),
    path("auth/passkeys/<uuid:passkey>", passkeys.PasskeyView.as_view()),
    path("auth/authenticator-apps", authenticator_apps.AuthenticatorAppsView.as_view()),
    path("auth/authenticator-apps/<uuid:app>", authenticator_apps.AuthenticatorAppView.as_view()),
    path(
        "auth/authenticator-apps/<uuid:app>/confirmation",
        authenticator_apps.AuthenticatorAppConfirmationView.as_view(),
    ),
    path("auth/recovery-codes", authenticator_apps.RecoveryCodesView.as_view()),
    path("auth/sessions", sessions.SessionsView.as_view()),
    path("auth/sessions/<uuid:session>", sessions.SessionView.as_view()),
    path("auth/logout-others", sessions.LogoutOthersView.as_view()),
    path("auth/password", sessions.PasswordView.as_view()),
    path("auth/password/forgotten", recovery.ForgottenView.as_view()),
    path("auth/password/reset", recovery.ResetView.as_view()),
    path("auth/address/send-link", recovery.SendVerificationView.as_view()),
    path("auth/address/verify", recovery.VerifyView.as_view()),
    path("auth/me", views.MeView.as_view()),
    path("auth/me/export", export.ExportView.as_view()),
    path("devices", views.DevicesView.as_view()),
    path("devices/<uuid:device>", views.DeviceView.as_view()),
]
