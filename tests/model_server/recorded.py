"""The requests to the server, in a form that tests can inspect."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Recorded:
    """One received request. Header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    query: str = ""
    arrived_at: float = field(default_factory=time.monotonic)
    """Seconds of the monotonic clock."""
    abandoned: threading.Event = field(default_factory=threading.Event)
    """Set when the client disconnects before its answer has ended."""

    @property
    def is_chat(self) -> bool:
        """Whether it is a chat request, of any supported API."""
        return self.path.endswith(("/chat/completions", "/responses", "/messages"))

    @property
    def is_embedding(self) -> bool:
        return self.path.endswith("/embeddings")

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    @property
    def tools(self) -> list[str]:
        """The names of the offered tools."""
        return [tool["function"]["name"] for tool in self.body.get("tools", [])]

    @property
    def asked(self) -> str:
        """The user's latest message."""
        return next(str(message["content"]) for message in reversed(self.messages) if message["role"] == "user")

    @property
    def told(self) -> list[str]:
        """The results of the tools."""
        return [str(message["content"]) for message in self.messages if message["role"] == "tool"]

    @property
    def texts(self) -> list[str]:
        """The texts of a request for vectors."""
        given = self.body["input"]
        return [given] if isinstance(given, str) else list(given)
