"""Addresses below ``/api/v1/storage/``."""

from collections.abc import Callable
from uuid import UUID

from django.urls import URLPattern, path

from agents.rest.vectors.api import EmbedView
from agents.rest.vectors.embedding import Embedding


def addresses(embedding: Embedding, *, admit: Callable[[UUID], bool]) -> list[URLPattern]:
    """``admit`` counts a request of a user; whether it may begin."""
    return [path("vectors/embed", EmbedView.as_view(embedding=embedding, admit=admit))]
