from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """What is remembered? Four tiers, recall, recording, embeddings."""

    name = "memory"

    def ready(self) -> None:
        # Not at the top: these need the models, which are not there while apps are being listed.
        from accounts import custody
        from memory.custody import TABLES

        custody.register(TABLES)
