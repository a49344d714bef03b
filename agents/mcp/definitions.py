"""The tools as clients list them. Names, descriptions and parameters are exactly those that a model is sent."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import mcp_types

from agents.mcp.apps import view_meta
from agents.mcp.structured import JOB_SCHEMA, ROWS_SCHEMA
from agents.tools.spec import Agent, Execution, Risk, ToolSpec
from agents.tools.undo import UndoChanges


# The result depends only on the class.
@cache
def definition_of(tool: type[ToolSpec]) -> mcp_types.Tool:
    """The tool for a list of tools."""
    schema, output = tool.schema(), output_schema(tool)
    return mcp_types.Tool(
        name=schema.name,
        title=title_of(tool),
        description=schema.description,
        input_schema=dict(schema.parameters),
        output_schema=None if output is None else dict(output),
        annotations=annotations_of(tool),
        _meta=view_meta() if output is ROWS_SCHEMA else None,
    )


def title_of(tool: type[ToolSpec]) -> str:
    """What a person reads in a list of tools: ``List tasks due today``."""
    if tool.agent is Agent.MODELS:
        return f"Chat with {tool.tool_name.removeprefix('chat_with_')}"
    return tool.tool_name.replace("_", " ").capitalize()


def annotations_of(tool: type[ToolSpec]) -> mcp_types.ToolAnnotations:
    """What a call may do, for a client that asks its user before it calls."""
    destroys = tool.risk is Risk.DESTRUCTIVE or tool.overwrites
    # Each call of a queued tool starts another job, a model answers differently, and another undo goes further back.
    repeats = tool.execution is Execution.QUEUED or tool.agent is Agent.MODELS or issubclass(tool, UndoChanges)
    return mcp_types.ToolAnnotations(
        read_only_hint=tool.risk is Risk.READ and tool.execution is Execution.INLINE and tool.agent is not Agent.MODELS,
        destructive_hint=destroys,
        idempotent_hint=not repeats and (tool.risk is Risk.READ or destroys),
        # A model knows more than the user's data.
        open_world_hint=tool.agent is Agent.MODELS,
    )


_WITHOUT_ROWS: Final = (Agent.MODELS, Agent.STAFF)


def output_schema(tool: type[ToolSpec]) -> Mapping[str, Any] | None:
    """The schema of ``structuredContent``; None for tools whose result is only text."""
    if tool.execution is Execution.QUEUED or tool.agent is Agent.PROGRAMS:
        return JOB_SCHEMA
    return None if tool.agent in _WITHOUT_ROWS or tool.group == "memory" else ROWS_SCHEMA
