from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """What is remembered? Four tiers, recall, recording, embeddings."""

    name = "memory"
