"""``manage.py mcp_stdio``: an SDK client starts it as it starts any such server."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.end_to_end.conftest import Account, Running
from tests.end_to_end.mcp_clients import bearer, mcp_client, personal_token, text_of
from tests.end_to_end.test_device import device, drawn, in_file
from tests.forks import ROOT, completed

pytestmark = pytest.mark.end_to_end


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a client's machine: no settings, and a read-only data folder."""
    ours = ("ADIUVA_", "DJANGO_", "DATABASE_", "REDIS_", "AMQP_", "OPENAI_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, "ADIUVA_DATA_DIR": str(folder / "data"), **more}


@asynccontextmanager
async def started(url: str, folder: Path, token: str) -> AsyncIterator[Client]:
    (folder / "token").write_text(f"{token}\n")
    command = StdioServerParameters(
        command=sys.executable,
        args=["manage.py", "mcp_stdio", "--server", url, "--token-file", str(folder / "token")],
        env=environment(folder),
        cwd=ROOT,
    )
    async with Client(command) as client:
        yield client


def said(folder: Path, *arguments: str, **more: str) -> str:
    """The output of the command, which must refuse to start."""
    done = completed("manage.py", "mcp_stdio", *arguments, env=environment(folder, **more))
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


async def test_what_is_done_there_is_done_on_the_device_until_the_token_is_revoked(
    running: Running, alice: Account, tmp_path: Path
) -> None:
    data, title, token = tmp_path / "device.sqlite3", drawn("Água & “quotes”"), personal_token(running.url, alice)
    async with (
        device(running, alice, data),
        started(running.url, tmp_path, token.text) as client,
        mcp_client(running.url, token.text) as beside,
        httpx.AsyncClient(base_url=running.url, headers=bearer(alice.access), timeout=30) as rest,
    ):
        assert (await client.list_tools()).tools == (await beside.list_tools()).tools
        created = await client.call_tool("create_task", {"title": title})
        wrong = await client.call_tool("create_task", {})
        with pytest.raises(MCPError, match="no tool named"):
            await client.call_tool("turn_water_into_wine", {})
        assert (await rest.delete(f"/api/v1/auth/tokens/{token.id}")).status_code == 204
        with pytest.raises(MCPError, match="The token is not valid"):
            await client.call_tool("list_tasks", {})
    assert (created.is_error, wrong.is_error) == (False, True)
    assert "create_task are not right" in text_of(wrong)
    assert in_file(data, "SELECT title FROM tasks") == [(title,)]
    assert not (tmp_path / "data").exists()


def test_a_token_that_is_not_accepted_stops_it_with_a_sentence(running: Running, tmp_path: Path) -> None:
    error = said(tmp_path, "--server", running.url, ADIUVA_MCP_TOKEN="adv_" + "a" * 43)
    assert f"{running.url}/mcp does not accept the token" in error


@pytest.mark.parametrize(
    ("server", "told"),
    [
        ("http://127.0.0.1:9", "http://127.0.0.1:9/mcp cannot be reached"),
        ("nowhere", "'nowhere' is not the address of a server"),
        ("http://[::1", "is not the address of a server"),
    ],
)
def test_a_server_that_is_none_stops_it_with_a_sentence(tmp_path: Path, server: str, told: str) -> None:
    assert told in said(tmp_path, "--server", server, ADIUVA_MCP_TOKEN="adv_" + "a" * 43)


def test_an_address_that_is_not_of_our_server_is_reported(running: Running, tmp_path: Path) -> None:
    error = said(tmp_path, "--server", f"{running.url}/elsewhere", ADIUVA_MCP_TOKEN="adv_" + "a" * 43)
    assert "answers with 404: is this the address of an Adiuva server?" in error


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", "adv_ é".encode()])
def test_without_a_token_it_does_not_start(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    error = said(tmp_path, "--server", "http://127.0.0.1:9", "--token-file", str(file))
    assert str(file) in error
