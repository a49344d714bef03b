"""The prompts of a project: read by name and label, listed, created."""

import threading
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from tests.langfuse_server.http import NOT_FOUND, Request, Response, Route, answer

WHEN = "2026-11-20T10:00:00.000Z"


@dataclass
class Prompt:
    """One version of a prompt. ``prompt`` is a text, or the messages of a chat prompt."""

    name: str
    version: int
    prompt: object
    labels: list[str]
    type: str = "text"

    @property
    def shown(self) -> dict[str, Any]:
        return {
            "id": f"{self.name}-{self.version}",
            "name": self.name,
            "version": self.version,
            "prompt": self.prompt,
            "type": self.type,
            "labels": self.labels,
            "tags": [],
            "config": {},
            "createdAt": WHEN,
            "updatedAt": WHEN,
        }


@dataclass
class Prompts:
    """Written by the test's thread and by the server's."""

    page_size: int = 100
    _all: list[Prompt] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, name: str, prompt: object, *, label: str = "production", kind: str = "text") -> Prompt:
        """Add a version; it takes the label away from the others, as in Langfuse."""
        with self._lock:
            versions = [each for each in self._all if each.name == name]
            for each in versions:
                each.labels = [had for had in each.labels if had != label]
            made = Prompt(name, len(versions) + 1, prompt, [label], kind)
            self._all.append(made)
            return made

    def remove(self, name: str) -> None:
        with self._lock:
            self._all = [each for each in self._all if each.name != name]

    def versions(self, name: str) -> list[Prompt]:
        with self._lock:
            return [each for each in self._all if each.name == name]

    @property
    def routes(self) -> list[Route]:
        return [
            Route("GET", r"/api/public/v2/prompts/([^/]+)", self._get),
            Route("GET", r"/api/public/v2/prompts", self._list),
            Route("POST", r"/api/public/v2/prompts", self._create),
        ]

    def _get(self, request: Request, name: str) -> Response:
        label = request.query.get("label", "production")
        found = [each for each in self.versions(unquote(name)) if label in each.labels]
        return answer(found[-1].shown) if found else NOT_FOUND

    def _list(self, request: Request) -> Response:
        with self._lock:
            names = list(dict.fromkeys(each.name for each in self._all))
        page, size = int(request.query.get("page", 1)), min(int(request.query.get("limit", 10)), self.page_size)
        return answer(
            {
                "data": [self._meta(name) for name in names[(page - 1) * size : page * size]],
                "meta": {
                    "page": page,
                    "limit": size,
                    "totalItems": len(names),
                    "totalPages": -(-len(names) // size),
                },
            }
        )

    def _meta(self, name: str) -> dict[str, Any]:
        versions = self.versions(name)
        return {
            "name": name,
            "type": versions[-1].type,
            "versions": [each.version for each in versions],
            "labels": sorted({label for each in versions for label in each.labels}),
            "tags": [],
            "lastUpdatedAt": WHEN,
            "lastConfig": {},
        }

    def _create(self, request: Request) -> Response:
        made = request.json
        label = (made.get("labels") or ["latest"])[0]
        return answer(self.put(made["name"], made["prompt"], label=label, kind=made.get("type") or "text").shown, 201)
