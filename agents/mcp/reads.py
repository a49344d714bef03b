"""Requests that read without a tool: resources, prompts, and the completion of their arguments.

A token can read the kinds of rows for which it has the scopes. The others are not listed, and reading them is refused.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

import mcp_types
from mcp.server.context import ServerRequestContext

from accounts.auth.token_scopes import missing_scopes
from accounts.database import DATABASE_ERRORS
from agents.engine.run import AgentRun
from agents.errors import ClientAbsent, ClientError, Unrecorded, Withheld
from agents.mcp.apps import view_at
from agents.mcp.calling import UNTOLD, Caller, McpCalls, ledger_name
from agents.mcp.prompts import PROMPTS, BriefPrompt, described, filled, prompt_named
from agents.mcp.refusals import check_single_page, insufficient, invalid, not_available, refused, unknown_resource
from agents.mcp.resources import (
    KINDS,
    ResourceKind,
    Told,
    complete_id,
    complete_title,
    page_of,
    parse_address,
    read_resource,
    templates,
)

Context: TypeAlias = ServerRequestContext[Any, Any]
CallerOf: TypeAlias = Callable[[Context], Caller]
T = TypeVar("T")

_NOTHING: Final = mcp_types.CompleteResult(completion=mcp_types.Completion(values=[], total=0, has_more=False))


@dataclass(frozen=True, kw_only=True, slots=True)
class McpReads:
    """The handlers of these requests."""

    calls: McpCalls
    caller_of: CallerOf

    async def list_resources(
        self, context: Context, params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListResourcesResult:
        caller, cursor = self.caller_of(context), None if params is None else params.cursor
        kinds = [kind for kind in KINDS if not _missing(caller, [kind.scope])]
        return await self._read(context, caller, lambda _run: page_of(kinds, cursor))

    async def list_templates(
        self, context: Context, params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListResourceTemplatesResult:
        check_single_page(params)
        caller = self.caller_of(context)
        kinds = [kind for kind in KINDS if not _missing(caller, [kind.scope])]
        return mcp_types.ListResourceTemplatesResult(resource_templates=templates(kinds))

    async def read_resource(
        self, context: Context, params: mcp_types.ReadResourceRequestParams
    ) -> mcp_types.ReadResourceResult:
        caller, address = self.caller_of(context), str(params.uri)
        if (view := view_at(address, caller.language)) is not None:
            return view
        if (found := parse_address(address)) is None:
            raise unknown_resource(context, "There is no resource at this address: list the templates.")
        kind, row_id = found
        _check(context, caller, f"read {kind.name}s", [kind.scope])

        async def read(run: AgentRun) -> Told[mcp_types.ReadResourceResult]:
            told = await read_resource(kind, row_id, run.now(), run.requester.timezone)
            if told is None:
                raise unknown_resource(context, f"There is no {kind.name} with this id.")
            return told

        return await self._read(context, caller, read)

    async def list_prompts(
        self, context: Context, params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListPromptsResult:
        check_single_page(params)
        caller = self.caller_of(context)
        allowed = [prompt for prompt in PROMPTS if not _missing(caller, prompt.scopes)]
        return mcp_types.ListPromptsResult(prompts=[described(prompt, caller.language) for prompt in allowed])

    async def get_prompt(self, context: Context, params: mcp_types.GetPromptRequestParams) -> mcp_types.GetPromptResult:
        caller, prompt = self.caller_of(context), _known(params.name)
        _check(context, caller, f"get {prompt.name}", prompt.scopes)
        given = params.arguments or {}
        return await self._read(context, caller, lambda run: filled(prompt, run, given))

    async def complete(self, context: Context, params: mcp_types.CompleteRequestParams) -> mcp_types.CompleteResult:
        caller, value = self.caller_of(context), params.argument.value
        kind = _completed(params)
        if kind is None:
            return _NOTHING
        _check(context, caller, f"read {kind.name}s", [kind.scope])
        complete = complete_title if isinstance(params.ref, mcp_types.PromptReference) else complete_id
        return await self._read(context, caller, lambda _run: complete(kind, value))

    async def _read(self, context: Context, caller: Caller, work: Callable[[AgentRun], Awaitable[Told[T]]]) -> T:
        """The result of ``work``. Raises ``MCPError``."""
        try:
            return await self.calls.read(caller, context.method, work, client=ledger_name(context))
        except ClientAbsent:
            raise refused("device_not_connected", "The user's device is not connected, so nothing was read.") from None
        except Withheld as error:
            raise refused("never_shared", str(error)) from None
        except ClientError as error:
            raise refused("device_failed", f"The user's device gave no usable answer. {error}") from None
        except Unrecorded:
            raise refused("not_recorded", UNTOLD) from None
        except DATABASE_ERRORS:
            raise not_available() from None


def _known(name: str) -> BriefPrompt:
    if (prompt := prompt_named(name)) is None:
        raise invalid(f"There is no prompt named {name!r}: list the prompts.")
    return prompt


def _completed(params: mcp_types.CompleteRequestParams) -> ResourceKind | None:
    """The kind of row to which the argument refers; None if it refers to none. Raises ``MCPError``."""
    ref, name = params.ref, params.argument.name
    if isinstance(ref, mcp_types.PromptReference):
        argument = _known(ref.name).argument
        return argument.row if argument is not None and argument.name == name else None
    kind = next((kind for kind in KINDS if kind.template == ref.uri), None)
    if kind is None:
        raise invalid("There is no such template: list the templates.")
    return kind if name == "id" else None


def _missing(caller: Caller, scopes: list[str]) -> list[str]:
    return missing_scopes(caller.scopes, scopes)


def _check(context: Context, caller: Caller, wanted: str, scopes: list[str]) -> None:
    """Raise ``MCPError`` if the token lacks one of the ``scopes``. ``wanted`` says for what they are needed."""
    if missing := _missing(caller, scopes):
        raise insufficient(context, wanted, missing)
