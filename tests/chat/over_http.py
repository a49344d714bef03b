"""Fixtures: the application with a scripted model over real HTTP, and a device with rows in a file."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.adapters.base import ModelSize
from agents.adapters.openai import OpenAIAdapter, openai_client
from tests.chat.rows import RowDevice, row_device
from tests.chat.sockets import WAIT_S, Server
from tests.model_server.server import ModelServer


@pytest.fixture
async def server(model_server: ModelServer) -> AsyncIterator[Server]:
    client = openai_client(api_key="sk-test", base_url=model_server.base_url, stall_s=10.0)
    adapter = OpenAIAdapter(client, dict.fromkeys(ModelSize, "model-1"))
    server = Server(model=adapter)
    try:
        yield server
    finally:
        await server.services.supervisor.drain(WAIT_S)
        await adapter.aclose()


@pytest.fixture
async def device(server: Server, tmp_path: Path) -> AsyncIterator[RowDevice]:
    async with row_device(server, tmp_path / "rows.sqlite3") as device:
        yield device
