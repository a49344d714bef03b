"""MCP Apps: the page that shows a result's rows in a client that can show pages."""

from agents.tools.spec import ToolSpec


def app_of(tool: type[ToolSpec]) -> str | None:  # noqa: ARG001
    """The address of the page that shows what the tool returns; None if it has none."""
    return None
