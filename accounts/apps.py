from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Who is it? Users, tokens, keys."""

    name = "accounts"
