"""Standard input and output are forwarded to a server's ``/mcp``, unchanged in both directions."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Literal, TextIO

import anyio
import httpx2
import mcp_types
import pytest
from mcp.client import Client
from mcp.client.extension import advertise
from mcp.client.streamable_http import streamable_http_client
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from accounts.errors import InvalidCredentials
from agents.calls import Table
from agents.errors import NoMcpServer
from agents.mcp.apps import BLOCKS
from agents.mcp.calling import Caller
from agents.mcp.job_tasks import EXTENSION as TASKS
from agents.mcp.prompts import PROMPTS
from agents.mcp.proxy import RemoteServer, mcp_address, proxy, serve_stdio
from agents.mcp.resources import KINDS
from agents.mcp.server import INSTRUCTIONS
from agents.mcp.tools import REQUEST_ID
from tests.adiuva.servers import reserved_port
from tests.agents.mcp.worlds import ALICE, ALICES, SAM, HangingClient, World, on_loopback, stoppable

WAIT_S = 30


@pytest.fixture
def world() -> World:
    """An endpoint whose device has a task."""
    world = World()
    assert world.client is not None
    world.client.rows[Table.TASKS].append({"id": "t1", "title": "Pay the “rent” ∑", "status": "todo"})
    return world


@asynccontextmanager
async def connected(world: World) -> AsyncIterator[tuple[Client, RemoteServer]]:
    """The SDK's client for the world's endpoint, and the proxy's, without a network."""
    world.endpoint.begin()
    bearer = {"Authorization": f"Bearer {ALICES}"}
    transport = httpx2.ASGITransport(world.endpoint)
    async with (
        httpx2.AsyncClient(transport=transport, headers=bearer) as http,
        Client(streamable_http_client("http://localhost/mcp", http_client=http)) as client,
    ):
        yield client, RemoteServer(http, "http://localhost/mcp")
    await world.endpoint.aclose(5)


@contextmanager
def pipe() -> Iterator[tuple[TextIO, TextIO]]:
    """A pair of files: one reads what is written to the other."""
    reading, writing = os.pipe()
    with os.fdopen(reading, encoding="utf-8") as reader, os.fdopen(writing, "w", encoding="utf-8") as writer:
        yield reader, writer


@asynccontextmanager
async def on_stdio(address: str, patch: pytest.MonkeyPatch) -> AsyncIterator[Client]:
    """The SDK's client connected to this process's standard input and output, which the proxy serves meanwhile."""
    async with asyncio.timeout(WAIT_S):
        with pipe() as (stdin, asking), pipe() as (answers, stdout):
            patch.setattr(sys, "stdin", stdin)
            patch.setattr(sys, "stdout", stdout)
            serving = asyncio.create_task(serve_stdio(address, ALICES))
            async with Client(stdio_server(anyio.wrap_file(answers), anyio.wrap_file(asking))) as client:
                try:
                    yield client
                finally:
                    asking.close()
                    await asyncio.wait({serving}, timeout=WAIT_S)
                    stdout.close()
            await serving


def text_of(result: mcp_types.CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, mcp_types.TextContent)
    return content.text


@pytest.mark.parametrize(
    ("server", "address"),
    [
        ("https://adiuva.example", "https://adiuva.example/mcp"),
        ("https://adiuva.example/", "https://adiuva.example/mcp"),
        ("https://adiuva.example/mcp", "https://adiuva.example/mcp"),
        ("https://adiuva.example/mcp/", "https://adiuva.example/mcp"),
        ("https://example.org/adiuva", "https://example.org/adiuva/mcp"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/mcp"),
        ("http://[::1]:8000", "http://[::1]:8000/mcp"),
    ],
)
def test_endpoint_is_derived_from_server_address(server: str, address: str) -> None:
    assert mcp_address(server) == address


@pytest.mark.parametrize("server", ["http://adiuva.example", "http://10.0.0.1:8000", "http://localhost@adiuva.example"])
def test_unencrypted_remote_address_is_refused(server: str) -> None:
    with pytest.raises(NoMcpServer, match="is not encrypted: use https://"):
        mcp_address(server)


@pytest.mark.parametrize(
    "server",
    [
        *("", "nowhere", "adiuva.example", "adiuva.example:8000", "ftp://adiuva.example", "https://", "http://[::1"),
        *("https://adiuva.example:0", "https://adiuva.example:65536", "https://adiuva.example:port"),
        *("https://adiuva.example/?token=1", "https://adiuva.example/#mcp"),
    ],
)
def test_invalid_server_address_is_refused(server: str) -> None:
    with pytest.raises(NoMcpServer) as refused:
        mcp_address(server)
    assert str(refused.value) == f"{server!r} is not the address of a server, such as https://adiuva.example."


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_proxy_mirrors_its_server(world: World, mode: Literal["auto", "legacy"]) -> None:
    async with connected(world) as (direct, remote), Client(await proxy(remote), mode=mode) as client:
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.title) == ("adiuva", "Adiuva")
        assert client.instructions == INSTRUCTIONS
        listed = (await client.list_tools()).tools
        assert listed == (await direct.list_tools()).tools
    assert "create_task" in {tool.name for tool in listed}


async def test_call_and_result_are_forwarded(world: World) -> None:
    async with connected(world) as (_, remote), Client(await proxy(remote)) as client:
        created = await client.call_tool("create_task", {"title": "Água", "priority": "high"})
        listed = await client.call_tool("list_tasks", {})
    assert (created.is_error, listed.is_error) == (False, False)
    assert world.client is not None
    assert [(row["title"], row.get("priority")) for row in world.client.rows[Table.TASKS][1:]] == [("Água", "high")]
    assert "Pay the “rent” ∑" in text_of(listed)
    assert listed.meta is not None
    assert listed.meta[REQUEST_ID] == world.released[-1]


async def test_error_of_tool_is_forwarded_unchanged(world: World) -> None:
    async with connected(world) as (direct, remote), Client(await proxy(remote)) as client:
        wrong = await client.call_tool("create_task", {"colour": "red"})
        direct_wrong = await direct.call_tool("create_task", {"colour": "red"})
    assert wrong.is_error
    assert text_of(wrong).startswith("The arguments of create_task are not right:")
    assert wrong.content == direct_wrong.content


async def test_unknown_tool_gets_json_rpc_error(world: World) -> None:
    async with connected(world) as (_, remote), Client(await proxy(remote)) as client:
        with pytest.raises(MCPError, match="There is no tool named 'turn_water_into_wine'") as refused:
            await client.call_tool("turn_water_into_wine", {})
    assert refused.value.error.code == mcp_types.INVALID_PARAMS


@pytest.mark.parametrize("name", ["tè", "∑", "a\r\nb", " spaced "])
async def test_name_that_is_invalid_in_header_is_forwarded(world: World, name: str) -> None:
    async with connected(world) as (_, remote), Client(await proxy(remote)) as client:
        with pytest.raises(MCPError) as refused:
            await client.get_prompt(name)
    assert str(refused.value) == f"There is no prompt named {name!r}: list the prompts."


async def test_stdio_is_served_until_input_ends(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with on_loopback(world) as url, on_stdio(mcp_address(url), monkeypatch) as client:
        assert client.instructions == INSTRUCTIONS
        created = await client.call_tool("create_task", {"title": "Água & “quotes”"})
        with pytest.raises(MCPError, match="no tool named"):
            await client.call_tool("turn_water_into_wine", {})
    assert created.is_error is False
    assert world.client is not None
    assert [row["title"] for row in world.client.rows[Table.TASKS]] == ["Pay the “rent” ∑", "Água & “quotes”"]


async def test_resources_prompts_and_completion_are_forwarded(world: World) -> None:
    async with connected(world) as (direct, remote), Client(await proxy(remote)) as through:
        for client in (direct, through):
            listed = [each.uri for each in (await client.list_resources()).resources]
            [contents] = (await client.read_resource("adiuva://task/t1")).contents
            found = await client.complete(
                mcp_types.ResourceTemplateReference(uri="adiuva://task/{id}"), {"name": "id", "value": "t"}
            )
            prompt = await client.get_prompt("task_brief", {"task": "t1"})
            assert listed == ["adiuva://task/t1"]
            assert isinstance(contents, mcp_types.TextResourceContents)
            assert contents.text == '"Pay the “rent” ∑" (todo) [id t1]'
            assert found.completion.values == ["t1"]
            assert "Pay the “rent” ∑" in str(prompt.messages)
            assert len((await client.list_resource_templates()).resource_templates) == len(KINDS)
            assert len((await client.list_prompts()).prompts) == len(PROMPTS)


async def test_program_with_apps_extension_gets_blocks_but_no_tasks(world: World) -> None:
    shows = advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})
    async with connected(world) as (_, remote):
        async with Client(await proxy(remote), extensions=[shows, advertise(TASKS)]) as showing:
            with_blocks = await showing.call_tool("list_tasks")
            begun = await showing.call_tool("weekly_review")
        async with Client(await proxy(remote)) as other:
            without = await other.call_tool("list_tasks")
    assert [BLOCKS in (result.meta or {}) for result in (with_blocks, without)] == [True, False]
    assert "It is job" in text_of(begun)


async def test_tool_list_is_not_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    callers = [ALICE]

    class Promoting(World):
        async def authenticate(self, token: str) -> Caller:
            return callers[-1]

    async with on_loopback(Promoting()) as url, on_stdio(mcp_address(url), monkeypatch) as client:
        before = {tool.name for tool in (await client.list_tools()).tools}
        callers.append(SAM)
        after = {tool.name for tool in (await client.list_tools()).tools}
    assert after - before == {"turn_log"}


async def test_token_revoked_meanwhile_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    revoked = asyncio.Event()

    class Revoking(World):
        async def authenticate(self, token: str) -> Caller:
            if revoked.is_set():
                raise InvalidCredentials
            return await super().authenticate(token)

    async with on_loopback(Revoking()) as url, on_stdio(mcp_address(url), monkeypatch) as client:
        revoked.set()
        for _ in range(2):
            with pytest.raises(MCPError, match="The token is not valid"):
                await client.call_tool("list_tasks", {})


async def test_invalid_token_is_reported_at_start() -> None:
    async with on_loopback(World()) as url:
        with pytest.raises(NoMcpServer, match=f"^{url}/mcp does not accept the token: "):
            await serve_stdio(mcp_address(url), "adv_nobodys")


async def test_wrong_address_is_reported() -> None:
    async with on_loopback(World()) as url:
        with pytest.raises(NoMcpServer) as refused:
            await serve_stdio(mcp_address(f"{url}/elsewhere"), ALICES)
    assert str(refused.value) == f"{url}/elsewhere/mcp answers with 404: is this the address of an Adiuva server?"


async def test_unreachable_server_is_reported() -> None:
    with reserved_port() as port, pytest.raises(NoMcpServer) as refused:
        await serve_stdio(mcp_address(f"http://127.0.0.1:{port}"), ALICES)
    assert str(refused.value) == (
        f"http://127.0.0.1:{port}/mcp cannot be reached (ConnectError). Is the server running?"
    )


async def test_proxy_survives_restart_of_server(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with reserved_port() as port:
        async with (
            stoppable(world, port) as (url, stop),
            on_stdio(mcp_address(url), monkeypatch) as client,
        ):
            assert not (await client.call_tool("list_tasks", {})).is_error
            await stop()
            with pytest.raises(MCPError, match="/mcp cannot be reached"):
                await client.call_tool("list_tasks", {})
            async with on_loopback(World(), port):
                assert not (await client.call_tool("list_tasks", {})).is_error


async def test_call_interrupted_by_server_stop_gets_error(monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = HangingClient()
    async with (
        stoppable(World(client=hanging)) as (url, stop),
        on_stdio(mcp_address(url), monkeypatch) as client,
    ):
        calling = asyncio.create_task(client.call_tool("list_tasks", {}))
        await hanging.asked.wait()
        stopping = asyncio.ensure_future(stop())
        with pytest.raises(MCPError):
            await calling
        await stopping


async def test_ledger_records_name_of_program_behind_proxy(world: World) -> None:
    named = mcp_types.Implementation(name="claude-code", version="3")
    async with connected(world) as (_, remote), Client(await proxy(remote), client_info=named) as client:
        await client.call_tool("list_tasks", {})
    assert {sent.model for _, sent in world.disclosures.kept} == {"mcp: claude-code"}


async def test_rate_limit_is_reported_in_words_of_server() -> None:
    async with on_loopback(World(allowed=0)) as url:
        with pytest.raises(NoMcpServer) as refused:
            await serve_stdio(mcp_address(url), ALICES)
    assert str(refused.value).startswith(f"{url}/mcp answers with 429: ")


async def test_refusal_during_discovery_is_reported_in_one_sentence() -> None:
    async with on_loopback(World(allowed=1)) as url:
        with pytest.raises(NoMcpServer, match=f"^{url}/mcp: "):
            await serve_stdio(mcp_address(url), ALICES)
