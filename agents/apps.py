from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """How is an answer made? Tools, model adapters, the loop, approvals."""

    name = "agents"
    verbose_name = "Assistant"

    def ready(self) -> None:
        # Not at the top: these need the models, which are not there while apps are being listed.
        from accounts import custody
        from agents.custody import PLAIN_TABLES, TABLES

        # Declares every tool, so that a wrong declaration is found at the start and every name is known.
        from agents.engine import roster  # noqa: F401

        custody.register(TABLES)
        custody.register_plain(PLAIN_TABLES)
