"""The offline assistant: a model adapter that needs no model."""

from agents.offline.adapter import OfflineAdapter

__all__ = ["OfflineAdapter"]
