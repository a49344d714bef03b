"""Addresses below ``/api/v1/storage/``."""

from collections.abc import Callable
from uuid import UUID

from django.urls import URLPattern, path

from memory.api import EmbedView
from memory.embedders.base import Embedder


def addresses(embedder: Embedder, *, admit: Callable[[UUID], bool]) -> list[URLPattern]:
    """``admit`` counts a request of a user; whether it may begin."""
    return [path("vectors/embed", EmbedView.as_view(embedder=embedder, admit=admit))]
