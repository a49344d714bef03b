"""Jobs as tasks of the tasks extension of MCP, for clients that have it.

The shapes are those of ``io.modelcontextprotocol/tasks`` in the revision 2026-07-28 (SEP-2663), which the SDK lacks.
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
"""The interval at which a client should ask, in milliseconds."""
WORKING: Final = "working"
"""The status of a task that is not over."""
_STATUS: Final = {
    JobState.DONE: "completed",
    JobState.DELIVERED: "completed",
    # In the extension, a task fails only by an error of the protocol.
    JobState.FAILED: "completed",
    JobState.CANCELLED: "cancelled",
}


class TaskParams(mcp_types.RequestParams):
    """The parameters of ``tasks/get`` and ``tasks/cancel``."""

    task_id: str


class TaskNotification(mcp_types.Notification[dict[str, Any], Literal["notifications/tasks"]]):
    """Its parameters are the task, as in the answer to ``tasks/get``."""

    method: Literal["notifications/tasks"] = "notifications/tasks"


class TaskUpdateParams(TaskParams):
    """The parameters of ``tasks/update``."""

    input_responses: dict[str, Any]


def client_has_tasks(context: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client says that it supports tasks."""
    capabilities = context.session.client_capabilities
    return capabilities is not None and EXTENSION in (capabilities.extensions or {})


def check_has_tasks(context: ServerRequestContext[Any, Any]) -> None:
    """Raise ``MCPError`` unless the client supports tasks."""
    if not client_has_tasks(context):
        needed: dict[str, Any] = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        raise MCPError(
            mcp_types.MISSING_REQUIRED_CLIENT_CAPABILITY, "The client does not say that it supports tasks.", needed
        )


def created_task(job: Mapping[str, JsonValue]) -> dict[str, Any]:
    """The answer to the call that started the job."""
    return {"resultType": "task", **_task(job), "statusMessage": job["label"]}


def current_task(job: Mapping[str, JsonValue], result: mcp_types.CallToolResult) -> dict[str, Any]:
    """The job as a task. ``result`` is the result of ``get_job`` for it."""
    task = _task(job)
    if task["status"] == "completed":
        # ``result`` is that of looking the job up, which did not fail.
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
        # Unlimited: jobs are kept for days after they end.
        "ttlMs": None,
        "pollIntervalMs": POLL_MS,
    }
