"""Which tools MCP clients get, and how they read there."""

from collections.abc import Sequence
from typing import Final

import mcp_types

# Tools enter the registry as their classes are made: all of them are wanted here.
from agents.engine import roster  # noqa: F401
from agents.tools import turns  # noqa: F401
from agents.tools.spec.tool import Agent, Risk, ToolSpec, registered_tools

_ANNOTATIONS: Final = {
    Risk.READ: mcp_types.ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True),
    Risk.WRITE: mcp_types.ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False),
    # What is gone is gone: to delete it again changes nothing.
    Risk.DESTRUCTIVE: mcp_types.ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True),
}


def exposed_tools(*, staff: bool) -> Sequence[type[ToolSpec]]:
    """The tools that a user may call, in the order in which they were declared; ``staff`` have some that others lack.

    Those of the sidebar are not among them: they go by the page in front of the user.
    """
    tools = registered_tools().values()
    return [tool for tool in tools if tool.agent is not Agent.SIDEBAR and (staff or not tool.staff_only)]


def definition_of(tool: type[ToolSpec]) -> mcp_types.Tool:
    """The tool as a client lists it: name, description and parameters are to the letter what a model gets."""
    schema = tool.schema()
    return mcp_types.Tool(
        name=schema.name,
        title=tool.label or None,
        description=schema.description,
        input_schema=dict(schema.parameters),
        annotations=_ANNOTATIONS[tool.risk],
    )
