"""Which tools programs can call: those of the user, as far as the scopes of the token allow."""

from collections.abc import Sequence

from accounts.auth.token_scopes import STAFF, Access, group_scope

# Importing a module registers its tools. All of them are needed here.
from agents.engine import roster  # noqa: F401
from agents.mcp import job_tools  # noqa: F401
from agents.tools import turn_log  # noqa: F401
from agents.tools.models import ChatWithModel
from agents.tools.spec import Agent, Risk, ToolSpec, registered_tools


def exposed_tools(*, staff: bool) -> Sequence[type[ToolSpec]]:
    """The tools that a user may call, in the same order in all processes. ``staff`` have some that others lack.

    The sidebar's tools are left out, because they depend on the page that the user is viewing.
    """
    tools = sorted(registered_tools().values(), key=lambda tool: list(Agent).index(tool.agent))
    return [tool for tool in tools if _is_exposed(tool, staff=staff)]


def exposed_tool(name: str, *, staff: bool) -> type[ToolSpec] | None:
    """The exposed tool with this name; None if there is none."""
    tool = registered_tools().get(name)
    return tool if tool is not None and _is_exposed(tool, staff=staff) else None


def _is_exposed(tool: type[ToolSpec], *, staff: bool) -> bool:
    return tool.agent is not Agent.SIDEBAR and (staff or not tool.staff_only)


def scopes_needed(tool: type[ToolSpec]) -> list[str]:
    """The scopes that a token needs to call the tool: that of its group, then those of other groups that it touches."""
    return [_own_scope(tool), *tool.further_scopes]


def group_scopes(*, staff: bool) -> list[str]:
    """The scopes of single groups that the user's tools need, each once.

    Those of models are included even if no model is configured.
    """
    tools: list[type[ToolSpec]] = [*exposed_tools(staff=staff), ChatWithModel]
    groups, needed = dict.fromkeys(map(_group, tools)), {_own_scope(tool) for tool in tools}
    scopes = (group_scope(group, access) for group in groups for access in Access)
    return [scope for scope in scopes if scope in needed]


def _own_scope(tool: type[ToolSpec]) -> str:
    return group_scope(_group(tool), Access.READ if tool.risk is Risk.READ else Access.WRITE)


def _group(tool: type[ToolSpec]) -> str:
    return STAFF if tool.staff_only else tool.group or tool.agent
