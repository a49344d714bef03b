from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Tools, model adapters, the loop, approvals."""

    name = "agents"
    verbose_name = "Assistant"

    def ready(self) -> None:
        # Not at the top: these import models, which are not loaded while Django lists the apps.
        from accounts.auth import token_scopes
        from accounts.keys import custody
        from agents.custody import TABLES

        # Imports every tool, so that a wrong declaration fails at the start.
        from agents.mcp.exposure import group_scopes

        custody.register(TABLES)
        token_scopes.register(group_scopes)
