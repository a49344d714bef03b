from django.apps import AppConfig
from django.contrib.admin import apps as admin


class AccountsConfig(AppConfig):
    """Users, tokens and keys."""

    name = "accounts"

    def ready(self) -> None:
        # Not at the top: these import models, which are not loaded while Django lists the apps.
        from accounts import audit, erasure_traces, signals  # noqa: F401
        from accounts.auth import (
            notices,  # noqa: F401
            passkeys,
            personal_tokens,
            second_factor,
            sessions,
        )
        from accounts.idempotency import IDEMPOTENT_ANSWERS
        from accounts.keys import custody
        from accounts.models import User
        from accounts.session_models import Device

        custody.register([second_factor.AUTHENTICATOR_APPS, second_factor.RECOVERY])
        custody.register([audit.AUDIT_EVENTS, personal_tokens.PERSONAL_TOKENS, passkeys.PASSKEYS, sessions.SESSIONS])
        custody.register([IDEMPOTENT_ANSWERS])
        custody.register(custody.EncryptedTable(model=model, part_of_account=True) for model in (User, Device))


class StaffAdminConfig(admin.AdminConfig):
    """Django's admin with a site of ours."""

    default = False
    default_site = "accounts.staff.site.StaffSite"
