"""Addresses of the memory, below ``/api/v1/``."""

from collections.abc import Callable
from uuid import UUID

from django.urls import URLPattern, path

from memory.embedders.base import Embedder
from memory.rest import api


def addresses(embedder: Embedder, *, admit: Callable[[UUID], bool]) -> list[URLPattern]:
    """``admit`` counts a request of a user; whether it may begin."""
    return [
        path("memory", api.MemoryView.as_view()),
        path("memory/core", api.CoreListView.as_view()),
        path("memory/core/<path:key>", api.CoreView.as_view()),
        path("memory/associative", api.AssociativeView.as_view()),
        path("memory/associative/<uuid:row>", api.AssociativeRowView.as_view(embedder=embedder)),
        path("memory/episodic", api.EpisodicView.as_view()),
        path("memory/episodic/<uuid:row>", api.EpisodicRowView.as_view(embedder=embedder)),
        path("memory/proactive", api.ProactiveView.as_view()),
        path("memory/proactive/<uuid:row>", api.ProactiveRowView.as_view()),
        path("memory/search", api.SearchView.as_view(embedder=embedder, admit=admit)),
        path("memory/export", api.ExportView.as_view()),
    ]
