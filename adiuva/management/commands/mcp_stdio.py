"""``manage.py mcp_stdio --server URL [--token-file FILE]``"""

import asyncio
import os
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from agents.errors import NoMcpServer
from agents.mcp.proxy import mcp_address, serve_stdio

VARIABLE = "ADIUVA_MCP_TOKEN"


class Command(BaseCommand):
    help = (
        "An MCP server on standard input and output, for clients without HTTP: it forwards everything to /mcp of a "
        f"running server. It needs no database. The personal token comes from {VARIABLE} or from a file."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--server", required=True, metavar="URL", help="the server, such as https://adiuva.example")
        parser.add_argument("--token-file", type=Path, metavar="FILE", help=f"holds the token ({VARIABLE})")

    def handle(self, *, server: str, token_file: Path | None, **_: object) -> None:
        token = _token(token_file)
        try:
            asyncio.run(serve_stdio(mcp_address(server), token))
        except NoMcpServer as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            return


def _token(file: Path | None) -> str:
    try:
        text = os.environ.get(VARIABLE, "") if file is None else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise CommandError(f"{file} cannot be read as a token.") from None
    token = text.strip()
    if not token or not token.isascii() or not token.isprintable():
        where = VARIABLE if file is None else str(file)
        raise CommandError(f"{where} holds no token: put there what POST /api/v1/auth/tokens answered as its token.")
    return token
