import asyncio
import io
import signal
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from adiuva.management.commands.mcp_stdio import VARIABLE
from tests.adiuva.servers import reserved_port
from tests.agents.mcp.worlds import ALICES, World, on_loopback


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.mark.parametrize("kept_in", ["variable", "file"])
async def test_command_serves_with_the_token_until_its_input_ends(
    kept_in: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, written = tmp_path / "token", io.BytesIO()
    file.write_text(f"{ALICES}\n")
    if kept_in == "variable":
        monkeypatch.setenv(VARIABLE, f" {ALICES}\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written))
    async with asyncio.timeout(30), on_loopback(World()) as url:
        # In a thread: the command runs its own loop.
        await asyncio.to_thread(call_command, "mcp_stdio", server=url, token_file=file if kept_in == "file" else None)
    assert written.getvalue() == b""


@pytest.mark.parametrize("content", [None, b"\xff\xfe"], ids=["missing", "no text"])
def test_token_file_that_cannot_be_read_is_named(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(CommandError) as refused:
        call_command("mcp_stdio", server="http://127.0.0.1:9", token_file=file)
    assert str(refused.value) == f"{file} cannot be read as a token."


@pytest.mark.parametrize("text", ["", " \n", "adv_ é", "adv_\x00", "adv_1\nadv_2"])
def test_file_without_a_token_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CommandError, match=f"^{file} holds no token: put there what POST /api/v1/auth/tokens"):
        call_command("mcp_stdio", server="http://127.0.0.1:9", token_file=file)


def test_variable_is_named_where_there_is_no_token() -> None:
    with pytest.raises(CommandError, match=r"^ADIUVA_MCP_TOKEN holds no token: "):
        call_command("mcp_stdio", server="http://127.0.0.1:9")


def test_invalid_address_of_a_server_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, ALICES)
    with pytest.raises(CommandError) as refused:
        call_command("mcp_stdio", server="nowhere")
    assert str(refused.value) == "'nowhere' is not the address of a server, such as https://adiuva.example."


def test_server_that_is_away_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, ALICES)
    with reserved_port() as port, pytest.raises(CommandError) as refused:
        call_command("mcp_stdio", server=f"http://127.0.0.1:{port}")
    assert str(refused.value).startswith(f"http://127.0.0.1:{port}/mcp cannot be reached")


def test_interrupt_while_the_server_is_silent_ends_the_command_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> socket.socket:
        connection, _ = silent.accept()
        signal.pthread_kill(command, signal.SIGINT)
        return connection

    command = threading.get_ident()
    monkeypatch.setenv(VARIABLE, ALICES)
    with socket.create_server(("127.0.0.1", 0)) as silent, ThreadPoolExecutor(1) as beside:
        silent.settimeout(30)
        accepted = beside.submit(interrupt)
        call_command("mcp_stdio", server=f"http://127.0.0.1:{silent.getsockname()[1]}")
        accepted.result().close()
