"""The MCP SDK's own server, whose tool answers at once: ``python -m benchmarks.sdk_server`` says its address first.

It speaks as ``/mcp`` does, without sessions, and its ``list_tasks`` gives a constant text of twenty rows.
"""

import asyncio
import socket
import sys
from contextlib import suppress
from typing import Any, Final

import mcp_types
import uvicorn
import uvloop
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from benchmarks.plans import ROWS

_TEXT: Final = "\n".join(f'- "{row["title"]}" ({row["status"]}, medium priority) [id {row["id"]}]' for row in ROWS)


async def list_tools(_context: object, _params: mcp_types.PaginatedRequestParams | None) -> mcp_types.ListToolsResult:
    """The one tool, with any arguments."""
    return mcp_types.ListToolsResult(tools=[mcp_types.Tool(name="list_tasks", input_schema={"type": "object"})])


async def call_tool(_context: object, _params: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
    """The rows."""
    return mcp_types.CallToolResult(content=[mcp_types.TextContent(type="text", text=_TEXT)])


async def run() -> None:
    """Serve on a free port of loopback; write the address to standard output first."""
    server = Server("floor", on_list_tools=list_tools, on_call_tool=call_tool, get_tool_input_schema=lambda _name: None)
    server.middleware.clear()
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        sys.stdout.write(f"http://127.0.0.1:{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        async with manager.run():
            handle: Any = manager.handle_request  # Starlette's and uvicorn's types of an application differ
            config = uvicorn.Config(
                handle, interface="asgi3", http="h11", lifespan="off", log_config=None, access_log=False
            )
            await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        uvloop.run(run())
