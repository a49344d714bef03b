"""The viewed project is a boundary: changes beyond it need the user's consent.

The text of a page can contain instructions to the model. So while the user views a project's page, the assistant asks
before it changes another project.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final, Protocol

from accounts.translations import gettext_noop, translations
from agents.calls import CallAction, Row, Table
from agents.errors import ClientError, ToolFailed
from agents.permissions.approvals.quoting import quoted_words
from agents.scopes import ProjectScope
from agents.tools.client import execute_on_client
from agents.tools.context import CallContext
from agents.tools.pages import CreatePageNote, CreatePageTask, CreateTimelineEvent
from agents.tools.rows import text
from agents.tools.spec import Risk, ToolSpec
from agents.tools.tasks import UpdateTask
from agents.tools.undo import UndoChanges

_MAX_TITLE_CHARS = 100
_LAST: Final = "last"
"""The argument that undoes what the user has just seen done."""
_UNDOES: Final = gettext_noop("It may also undo changes outside of the project in front of you, “{viewed}”.")


class ReasonToAsk(Protocol):
    """A reason to ask that does not depend on the tool's risk."""

    async def __call__(self, tool: ToolSpec, context: CallContext) -> str | None:
        """The reason as a sentence in the user's language, or None."""


class Beyond(Enum):
    """How a change reaches beyond the viewed project, as a sentence for the user."""

    TASK = gettext_noop("The task “{name}” belongs to another project than the one in front of you, “{viewed}”.")
    DESTINATION = gettext_noop("The task “{name}” would leave the project in front of you, “{viewed}”.")
    NEW_TASK = gettext_noop(
        "The new task “{name}” would go to another project than the one in front of you, “{viewed}”."
    )
    NEW_NOTE = gettext_noop(
        "The new note “{name}” would go to another project than the one in front of you, “{viewed}”."
    )
    NEW_EVENT = gettext_noop("The event “{name}” would go to another project than the one in front of you, “{viewed}”.")


async def leaves_viewed_project(tool: ToolSpec, context: CallContext) -> str | None:
    """The ``ReasonToAsk`` if ``tool`` would reach beyond the project whose page the user views.

    Reads the row that would change from the device. Raises ``ToolFailed`` if that fails.
    """
    scope = context.scope
    if not isinstance(scope, ProjectScope) or tool.risk is Risk.READ:
        return None
    if isinstance(tool, UndoChanges) and tool.what.strip().lower() != _LAST:
        viewed = quoted_words(scope.entityName, max_chars=_MAX_TITLE_CHARS)
        return translations(context.language).gettext(_UNDOES).format(viewed=viewed)
    name, touched = await _touched_by(tool)
    for beyond, project_id in touched:
        if isinstance(project_id, str) and project_id not in ("", scope.entityId):
            reason = translations(context.language).gettext(beyond.value)
            name, viewed = (quoted_words(title, max_chars=_MAX_TITLE_CHARS) for title in (name, scope.entityName))
            return reason.format(name=name, viewed=viewed)
    return None


async def _touched_by(tool: ToolSpec) -> tuple[str, Sequence[tuple[Beyond, object]]]:
    """The title of the row that ``tool`` would write, and the ids of the projects that the change concerns."""
    destination = tool.given("project_id").get("project_id")
    match tool:
        case UpdateTask():
            row = await _row(tool.task_id)
            if row is None:
                return "", ()  # the tool itself reports that
            return text(row, "title"), [(Beyond.TASK, row.get("projectId")), (Beyond.DESTINATION, destination)]
        case CreatePageTask():
            return tool.title, [(Beyond.NEW_TASK, destination)]
        case CreatePageNote():
            return tool.title, [(Beyond.NEW_NOTE, destination)]
        case CreateTimelineEvent():
            return tool.title, [(Beyond.NEW_EVENT, destination)]
        case _:
            return "", ()


async def _row(task_id: str) -> Row | None:
    try:
        return (await execute_on_client(CallAction.GET, Table.TASKS, {"id": task_id})).row
    except ClientError:
        raise ToolFailed(
            "The user's device could not say which project the task belongs to, so nothing was changed. Tell the user."
        ) from None
