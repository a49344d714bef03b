"""The connections of a process to the servers of models, and the adapters over them.

The SDKs are imported where they are used: it takes 0.4 s, which a process without them can save.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.conf import settings

from agents.adapters.base import ModelAdapter, ModelSize
from agents.adapters.dialects import DIALECTS, HOSTED_STALL_S, Api, DialectName, Effort

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI

    from agents.adapters.openai import DialectDirectory


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelServer:
    """A server of models, and how it is asked. Without an address it is the provider's own.

    Without ``api``, ``dialect`` and ``efforts`` they are what suits the server and its models.
    """

    base_url: str = ""
    api_key: str = field(default="", repr=False)
    api: Api | None = None
    dialect: DialectName | None = None
    efforts: Mapping[ModelSize, Effort] = field(default_factory=dict)


class ModelServers:
    """The clients of a process, one for each address and key, and what it knows of their dialects."""

    def __init__(self) -> None:
        self._openai: dict[tuple[str, str], AsyncOpenAI] = {}
        self._anthropic: dict[tuple[str, str], AsyncAnthropic] = {}
        self._directory: DialectDirectory | None = None

    def client(self, server: ModelServer) -> "AsyncOpenAI":
        """The client of a server of OpenAI's kind."""
        from agents.adapters.openai import openai_client

        key = server.base_url, server.api_key
        if key not in self._openai:
            self._openai[key] = openai_client(
                api_key=server.api_key, base_url=server.base_url, stall_s=settings.OPENAI_STALL_S or HOSTED_STALL_S
            )
        return self._openai[key]

    def adapter(self, server: ModelServer, models: Mapping[ModelSize, str]) -> ModelAdapter:
        """Asks ``models`` on ``server``."""
        if server.api is Api.ANTHROPIC:
            return self._anthropic_adapter(server, models)
        from agents.adapters.openai import DialectDirectory, OpenAIAdapter

        client = self.client(server)
        self._directory = self._directory or DialectDirectory()
        if server.dialect is not None:
            self._directory.learn(client, DIALECTS[server.dialect])
        return OpenAIAdapter(
            client,
            models,
            directory=self._directory,
            api=server.api,
            efforts=server.efforts,
            first_byte_s=settings.FIRST_BYTE_S,
            stall_s=settings.OPENAI_STALL_S,
        )

    async def aclose(self) -> None:
        for client in self._openai.values():
            await client.close()
        for other in self._anthropic.values():
            await other.close()

    def _anthropic_adapter(self, server: ModelServer, models: Mapping[ModelSize, str]) -> ModelAdapter:
        from agents.adapters.anthropic import AnthropicAdapter, anthropic_client

        key = server.base_url, server.api_key
        if key not in self._anthropic:
            self._anthropic[key] = anthropic_client(
                api_key=server.api_key, base_url=server.base_url, stall_s=settings.OPENAI_STALL_S or HOSTED_STALL_S
            )
        return AnthropicAdapter(
            self._anthropic[key],
            models,
            efforts=server.efforts,
            max_tokens=settings.ANTHROPIC_MAX_TOKENS,
            first_byte_s=settings.FIRST_BYTE_S,
        )
