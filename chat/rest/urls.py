"""Addresses of the assistant and of the protocol's documents, below ``/api/v1/``."""

from django.urls import URLPattern, path

from chat.rest.api import ChatView
from chat.rest.assistant import AssistantView
from chat.rest.schemas import AsyncapiView, FrameSchemaView
from chat.services import ChatServices


def addresses(services: ChatServices) -> list[URLPattern]:
    """``services`` are those of the process, the same that its sockets use."""
    return [
        path("chat", ChatView.as_view(services=services)),
        path("assistant", AssistantView.as_view(assistant=services.assistant)),
        path("ws/schema.json", FrameSchemaView.as_view()),
        path("ws/asyncapi.json", AsyncapiView.as_view()),
    ]
