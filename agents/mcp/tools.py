"""Requests about tools: their list, their calls, and the jobs of slow ones as tasks."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import mcp_types
from mcp.server.apps import client_supports_apps
from mcp.shared.exceptions import MCPError
from pydantic import JsonValue

from accounts.auth.token_scopes import missing_scopes
from accounts.database import DATABASE_ERRORS, cause_of
from agents.mcp.addresses import issuer_of
from agents.mcp.apps import BLOCKS, QUESTION, BlocksOf, no_blocks
from agents.mcp.calling import Caller, CallResult, McpCalls, ledger_name
from agents.mcp.definitions import definition_of, output_schema
from agents.mcp.exposure import exposed_tool, exposed_tools, scopes_needed
from agents.mcp.job_tasks import (
    TaskParams,
    TaskUpdateParams,
    check_has_tasks,
    client_has_tasks,
    created_task,
    current_task,
)
from agents.mcp.job_tools import CancelJob, GetJob
from agents.mcp.reads import CallerOf, Context
from agents.mcp.refusals import check_single_page, insufficient, invalid, not_available
from agents.mcp.under_way import Report, report_nothing
from agents.permissions.approvals.refusals import Refusal, refusal_in
from agents.tools.spec import Execution, ToolSpec

logger = logging.getLogger(__name__)

_WORKSPACE: Final = "/app/"
REQUEST_ID: Final = "adiuva/request_id"
"""The key in a result's ``_meta`` for the request's id, which disclosures, approvals, jobs and the log have, too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class McpTools:
    """The handlers of these requests."""

    calls: McpCalls
    caller_of: CallerOf
    blocks_of: BlocksOf = no_blocks

    async def list_tools(
        self, context: Context, params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        check_single_page(params)
        caller = self.caller_of(context)
        tools = [tool for tool in exposed_tools(staff=caller.staff) if not _missing(caller, tool)]
        # mypy confuses the hash of a class with that of its instances.
        return mcp_types.ListToolsResult(tools=[definition_of(tool) for tool in tools])  # type: ignore[arg-type]

    async def call_tool(
        self, context: Context, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult | dict[str, Any]:
        caller = self.caller_of(context)
        tool = exposed_tool(params.name, staff=caller.staff)
        if tool is None:
            raise invalid(f"There is no tool named {params.name!r}: list the tools.")
        told = await self._called(context, caller, tool, params.arguments, context.session.report_progress)
        begun = _job_in(told) if told.ok and tool.execution is Execution.QUEUED else None
        # A client that may not look the job up has no use for a task.
        if begun is not None and client_has_tasks(context) and not _missing(caller, GetJob):
            return created_task(begun)
        return self._shown(context, _result(told, tool), told)

    def _shown(self, context: Context, result: mcp_types.CallToolResult, told: CallResult) -> mcp_types.CallToolResult:
        """``result`` with the blocks that a page shows, or with the address at which the user answers a question."""
        if not told.ok:
            return _asked(context, result, told.text) if refusal_in(told.text) is Refusal.PENDING else result
        # Clients of older revisions do not say in a call whether they show pages.
        if context.session.client_capabilities is not None and not client_supports_apps(context):
            return result
        caller = self.caller_of(context)
        blocks = self.blocks_of(told.rows, caller.language, caller.timezone)
        return _with_meta(result, BLOCKS, blocks) if blocks else result

    async def get_task(self, context: Context, params: TaskParams) -> dict[str, Any]:
        check_has_tasks(context)
        return {"resultType": "complete", **await self.task(context, self.caller_of(context), params.task_id)}

    async def update_task(self, context: Context, params: TaskUpdateParams) -> dict[str, Any]:
        check_has_tasks(context)
        # Our tasks never ask the client for input, so there is nothing to do except to check the task.
        await self._of_task(context, self.caller_of(context), GetJob, params.task_id)
        return {}

    async def cancel_task(self, context: Context, params: TaskParams) -> dict[str, Any]:
        check_has_tasks(context)
        await self._of_task(context, self.caller_of(context), CancelJob, params.task_id)
        return {}

    async def task(self, context: Context, caller: Caller, task_id: str) -> dict[str, Any]:
        """The task as of now. The ledger records the rows that it shows. Raises ``MCPError``."""
        job, told = await self._of_task(context, caller, GetJob, task_id)
        if not told.ok:
            raise MCPError(mcp_types.INTERNAL_ERROR, told.text)
        return current_task(job, _result(told, GetJob))

    async def _of_task(
        self, context: Context, caller: Caller, tool: type[ToolSpec], task_id: str
    ) -> tuple[Mapping[str, JsonValue], CallResult]:
        """The task's job, and the result of ``tool`` for it. Raises ``MCPError`` if there is no such task."""
        told = await self._called(context, caller, tool, {"job_id": task_id})
        if (job := _job_in(told)) is None:
            raise invalid("There is no such task.")
        return job, told

    async def _called(
        self,
        context: Context,
        caller: Caller,
        tool: type[ToolSpec],
        arguments: Mapping[str, JsonValue] | None,
        report: Report = report_nothing,
    ) -> CallResult:
        """The result of a call. Raises ``MCPError`` if the token does not allow it."""
        if missing := _missing(caller, tool):
            raise insufficient(context, f"call {tool.tool_name}", missing)
        try:
            return await self.calls.call(caller, tool, arguments, client=ledger_name(context), report=report)
        except DATABASE_ERRORS as error:
            logger.warning("a call needs the database, which cannot be used: %s", cause_of(error))
            raise not_available() from None


def _missing(caller: Caller, tool: type[ToolSpec]) -> list[str]:
    return missing_scopes(caller.scopes, scopes_needed(tool))


def _job_in(told: CallResult) -> Mapping[str, JsonValue] | None:
    job = (told.structured or {}).get("job")
    return job if isinstance(job, dict) else None


def _asked(context: Context, result: mcp_types.CallToolResult, said: str) -> mcp_types.CallToolResult:
    """``result`` with the address at which the user answers."""
    if context.request is None:
        return result
    address = f"{issuer_of(context.request.scope)}{_WORKSPACE}"
    text = mcp_types.TextContent(type="text", text=f"{said} The user answers at {address}")
    return _with_meta(result.model_copy(update={"content": [text]}), QUESTION, address)


def _with_meta(result: mcp_types.CallToolResult, name: str, value: object) -> mcp_types.CallToolResult:
    return result.model_copy(update={"meta": {**(result.meta or {}), name: value}})


def _result(told: CallResult, tool: type[ToolSpec]) -> mcp_types.CallToolResult:
    # Only a success must conform to the tool's output schema.
    structured = told.structured if told.ok and output_schema(tool) is not None else None
    return mcp_types.CallToolResult(
        content=[mcp_types.TextContent(type="text", text=told.text)],
        structured_content=None if structured is None else dict(structured),
        is_error=not told.ok,
        _meta={REQUEST_ID: told.request_id},
    )
