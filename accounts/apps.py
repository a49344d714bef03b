from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users, tokens and keys."""

    name = "accounts"

    def ready(self) -> None:
        # Not at the top: these import models, which are not loaded while Django lists the apps.
        from accounts import audit, signals  # noqa: F401
        from accounts.auth import personal_tokens
        from accounts.keys import custody

        custody.register([audit.AUDIT_EVENTS, personal_tokens.PERSONAL_TOKENS])
