"""Jobs as tasks of the tasks extension of MCP, for clients that have it.

The shapes are those of ``io.modelcontextprotocol/tasks`` in the revision 2026-07-28 (SEP-2663). The SDK has none of it.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import mcp_types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import JsonValue

from agents.jobs.models import JobState

EXTENSION: Final = "io.modelcontextprotocol/tasks"
POLL_MS: Final = 5_000
"""How often a client should ask, in milliseconds."""
WORKING: Final = "working"
"""The status of a task that is not over."""
_STATUS: Final = {
    JobState.DONE: "completed",
    JobState.DELIVERED: "completed",
    # Only an error of the protocol is a failed task.
    JobState.FAILED: "completed",
    JobState.CANCELLED: "cancelled",
}


class TaskParams(mcp_types.RequestParams):
    """The parameters of ``tasks/get`` and ``tasks/cancel``."""

    task_id: str


class TaskNotification(mcp_types.Notification[dict[str, Any], Literal["notifications/tasks"]]):
    """Its parameters are the task as ``tasks/get`` has it."""

    method: Literal["notifications/tasks"] = "notifications/tasks"


class TaskUpdateParams(TaskParams):
    """The parameters of ``tasks/update``."""

    input_responses: dict[str, Any]


def client_has_tasks(context: ServerRequestContext[Any, Any]) -> bool:
    """Whether the request says that its client knows tasks."""
    capabilities = context.session.client_capabilities
    return capabilities is not None and EXTENSION in (capabilities.extensions or {})


def check_has_tasks(context: ServerRequestContext[Any, Any]) -> None:
    """Raises ``MCPError`` unless the client knows tasks."""
    if not client_has_tasks(context):
        needed: dict[str, Any] = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        raise MCPError(
            mcp_types.MISSING_REQUIRED_CLIENT_CAPABILITY, "The client does not say that it knows tasks.", needed
        )


def created_task(job: Mapping[str, JsonValue]) -> dict[str, Any]:
    """The answer to the call that began the job."""
    return {"resultType": "task", **_task(job), "statusMessage": job["label"]}


def current_task(job: Mapping[str, JsonValue], result: mcp_types.CallToolResult) -> dict[str, Any]:
    """The job as a task; ``result`` is what a tool call that looks it up answers."""
    task = _task(job)
    if task["status"] == "completed":
        # The tool's own failure, and not one of looking it up.
        ended = result.model_copy(update={"is_error": job["state"] == JobState.FAILED})
        return {**task, "result": ended.model_dump(by_alias=True, mode="json", exclude_none=True)}
    [content] = result.content
    return {**task, "statusMessage": content.text} if isinstance(content, mcp_types.TextContent) else task


def _task(job: Mapping[str, JsonValue]) -> dict[str, Any]:
    return {
        "taskId": job["id"],
        "status": _STATUS.get(JobState(str(job["state"])), WORKING),
        "createdAt": job["createdAt"],
        "lastUpdatedAt": job["updatedAt"],
        # Jobs are kept for so many days after their end.
        "ttlMs": None,
        "pollIntervalMs": POLL_MS,
    }
