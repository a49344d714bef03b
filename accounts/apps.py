from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Who is it? Users, tokens, keys."""

    name = "accounts"

    def ready(self) -> None:
        # Not at the top: these need the models, which are not there while apps are being listed.
        from accounts import audit, custody, personal_tokens, signals  # noqa: F401

        custody.register([audit.AUDIT_EVENTS, personal_tokens.PERSONAL_TOKENS])
