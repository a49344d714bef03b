from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """The memory: four tiers, recall, recording, embeddings."""

    name = "memory"

    def ready(self) -> None:
        # Not at the top: these need models, which are not loaded yet when apps are.
        from accounts.keys import custody
        from memory.custody import TABLES

        custody.register(TABLES)
