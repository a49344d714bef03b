"""Which tools programs get: those that the user may call, as far as the scopes of the personal token go."""

from collections.abc import Sequence

from accounts.auth.token_scopes import STAFF, Access, group_scope

# Tools enter the registry as their classes are made: all of them are wanted here.
from agents.engine import roster  # noqa: F401
from agents.mcp import job_tools  # noqa: F401
from agents.tools import turn_log  # noqa: F401
from agents.tools.models import ChatWithModel
from agents.tools.spec import Agent, Risk, ToolSpec, registered_tools


def exposed_tools(*, staff: bool) -> Sequence[type[ToolSpec]]:
    """The tools that a user may call, in one order for all processes; ``staff`` have some that others lack.

    The sidebar's tools are left out: they depend on the page in front of the user.
    """
    tools = sorted(registered_tools().values(), key=lambda tool: list(Agent).index(tool.agent))
    return [tool for tool in tools if _is_exposed(tool, staff=staff)]


def exposed_tool(name: str, *, staff: bool) -> type[ToolSpec] | None:
    """The one of ``exposed_tools`` with this name."""
    tool = registered_tools().get(name)
    return tool if tool is not None and _is_exposed(tool, staff=staff) else None


def _is_exposed(tool: type[ToolSpec], *, staff: bool) -> bool:
    return tool.agent is not Agent.SIDEBAR and (staff or not tool.staff_only)


def scopes_needed(tool: type[ToolSpec]) -> list[str]:
    """The scopes without which a token may not call the tool: that of its group, then those of all else it touches."""
    return [_own_scope(tool), *tool.further_scopes]


def group_scopes(*, staff: bool) -> list[str]:
    """The scopes of single groups, each once: those that a tool of this user needs.

    Models have theirs also while none is configured.
    """
    tools: list[type[ToolSpec]] = [*exposed_tools(staff=staff), ChatWithModel]
    groups, needed = dict.fromkeys(map(_group, tools)), {_own_scope(tool) for tool in tools}
    scopes = (group_scope(group, access) for group in groups for access in Access)
    return [scope for scope in scopes if scope in needed]


def _own_scope(tool: type[ToolSpec]) -> str:
    return group_scope(_group(tool), Access.READ if tool.risk is Risk.READ else Access.WRITE)


def _group(tool: type[ToolSpec]) -> str:
    return STAFF if tool.staff_only else tool.group or tool.agent
