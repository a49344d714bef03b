"""The viewed project is a boundary: changes beyond it need the user's consent.

The text of a page may contain instructions to the model. So while the user views a project's page, the assistant does
not change another project without asking.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Final, Protocol

from accounts.translations import gettext_noop, translations
from agents.calls import CallAction, Row, Table
from agents.errors import ClientError, ToolFailed
from agents.scopes import AnyScope, ProjectScope
from agents.tools.client import execute_on_client
from agents.tools.context import CallContext
from agents.tools.pages import CreatePageNote, CreatePageTask, CreateTimelineEvent
from agents.tools.spec import Risk, ToolSpec
from agents.tools.tasks import UpdateTask

_TITLE_CHARACTERS = 100


class ReasonToAsk(Protocol):
    """A reason to ask although the tool's risk does not require it."""

    async def __call__(self, tool: ToolSpec, context: CallContext) -> str | None:
        """A sentence in the user's language, or None if there is nothing to ask."""


class Beyond(Enum):
    """What is in another project than the viewed one."""

    TASK = "task"
    DESTINATION = "destination"
    NEW_TASK = "new task"
    NEW_NOTE = "new note"
    NEW_EVENT = "new event"


_NEW: Final = MappingProxyType(
    {
        CreatePageTask: Beyond.NEW_TASK,
        CreatePageNote: Beyond.NEW_NOTE,
        CreateTimelineEvent: Beyond.NEW_EVENT,
    }
)
_REASONS: Final[Mapping[Beyond, str]] = MappingProxyType(
    {
        Beyond.TASK: gettext_noop(
            "The task “{name}” belongs to another project than the one in front of you, “{viewed}”."
        ),
        Beyond.DESTINATION: gettext_noop("The task “{name}” would leave the project in front of you, “{viewed}”."),
        Beyond.NEW_TASK: gettext_noop(
            "The new task “{name}” would go to another project than the one in front of you, “{viewed}”."
        ),
        Beyond.NEW_NOTE: gettext_noop(
            "The new note “{name}” would go to another project than the one in front of you, “{viewed}”."
        ),
        Beyond.NEW_EVENT: gettext_noop(
            "The event “{name}” would go to another project than the one in front of you, “{viewed}”."
        ),
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Crossing:
    """A change beyond the viewed project. ``row`` is the row before the change; None for a new one."""

    beyond: Beyond
    name: str
    viewed: str
    project_id: str
    row: Row | None = None

    def reason(self, language: str) -> str:
        """One sentence for the user, in ``language`` (an IETF tag) if it is supported, else in English."""
        reason = translations(language).gettext(_REASONS[self.beyond])
        return reason.format(name=self.name[:_TITLE_CHARACTERS], viewed=self.viewed)


async def leaves_viewed_project(tool: ToolSpec, context: CallContext) -> str | None:
    """``crosses_boundary`` as a ``ReasonToAsk``."""
    crossing = await crosses_boundary(tool, context.scope)
    return None if crossing is None else crossing.reason(context.language)


async def crosses_boundary(tool: ToolSpec, scope: AnyScope | None) -> Crossing | None:
    """How ``tool`` would reach beyond the project whose page is ``scope``; None if it would not.

    Reads the row that would change from the device. Raises ``ToolFailed`` if that fails.
    """
    if not isinstance(scope, ProjectScope) or tool.risk is Risk.READ:
        return None
    match tool:
        case UpdateTask():
            return await _of_update(tool, scope)
        case CreatePageTask() | CreatePageNote() | CreateTimelineEvent():
            project_id = tool.given("project_id").get("project_id")
            return _crossing(_NEW[type(tool)], tool.title, project_id, scope)
        case _:
            return None


async def _of_update(tool: UpdateTask, scope: ProjectScope) -> Crossing | None:
    row = await _row(tool.task_id)
    if row is None:
        return None  # the tool itself reports that
    title = str(row.get("title"))
    is_now = _crossing(Beyond.TASK, title, row.get("projectId"), scope, row)
    moves_to = tool.given("project_id").get("project_id")
    return is_now or _crossing(Beyond.DESTINATION, title, moves_to, scope, row)


def _crossing(
    beyond: Beyond, name: str, project_id: object, scope: ProjectScope, row: Row | None = None
) -> Crossing | None:
    if not isinstance(project_id, str) or project_id in ("", scope.entityId):
        return None
    return Crossing(beyond=beyond, name=name, viewed=scope.entityName, project_id=project_id, row=row)


async def _row(task_id: str) -> Row | None:
    try:
        return (await execute_on_client(CallAction.GET, Table.TASKS, {"id": task_id})).row
    except ClientError:
        raise ToolFailed(
            "The user's device could not say which project the task belongs to, so nothing was changed. Tell the user."
        ) from None
