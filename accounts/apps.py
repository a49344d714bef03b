from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Who is it? Users, tokens, keys."""

    name = "accounts"

    def ready(self) -> None:
        # Not at the top: receivers need the models, which are not there while apps are being listed.
        from accounts import signals  # noqa: F401
