"""MCP clients: the SDK's, over real HTTP, with a personal token created through REST."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

import httpx
import httpx2
import mcp_types
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.end_to_end.conftest import Account


@dataclass(frozen=True)
class PersonalToken:
    """A token and its id in REST."""

    id: str
    text: str


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def personal_token(url: str, account: Account, *scopes: str) -> PersonalToken:
    """A new personal token of the account, for all that is its user's own unless there are ``scopes``."""
    address, headers = f"{url}/api/v1/auth/tokens", bearer(account.access)
    answer = httpx.post(
        address, json={"name": "Editor", **({"scopes": scopes} if scopes else {})}, headers=headers, timeout=30
    )
    assert answer.status_code == 201, answer.text
    return PersonalToken(id=answer.json()["id"], text=answer.json()["token"])


@asynccontextmanager
async def mcp_client(url: str, token: str, *, mode: Literal["auto", "legacy"] = "auto") -> AsyncIterator[Client]:
    """The SDK's client at ``/mcp``; ``legacy`` uses the revisions that begin with a handshake."""
    async with (
        httpx2.AsyncClient(headers=bearer(token), timeout=30, trust_env=False) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


def text_of(result: mcp_types.CallToolResult) -> str:
    """The only text of a result."""
    [content] = result.content
    assert isinstance(content, mcp_types.TextContent)
    return content.text
