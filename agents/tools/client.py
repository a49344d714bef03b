"""How tools reach the user's device: through whatever executor the current context holds.

The executor may be the device's own socket, a link to another process, or an in-memory one; tools cannot tell.
"""

import uuid
from collections.abc import Callable, Sequence
from contextvars import ContextVar, Token
from typing import Protocol, TypeAlias

from agents.calls import CallAction, ClientAnswer, ClientCall, Row, Table
from agents.errors import ClientAbsent

OnLate: TypeAlias = Callable[[ClientAnswer], None]


class ClientExecutor(Protocol):
    """Runs calls in the client's database."""

    def supports(self, action: CallAction) -> bool:
        """Whether the client does ``action``, as far as it has said; every client does all but ``page_details``."""

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        """The client's answer to ``call``.

        ``on_late`` is told of an answer that comes after this has given up. Raises ``ClientRefused`` (the client
        answered with an error, or not in the shape that belongs to the action), ``ClientSilent`` (no answer in time;
        a write may have happened) or ``ClientAbsent`` (it was never sent).
        """


_executor: ContextVar[ClientExecutor | None] = ContextVar("client_executor", default=None)


def set_client_executor(executor: ClientExecutor) -> Token[ClientExecutor | None]:
    """Make ``executor`` the one that this context's tools use; give the token to ``clear_client_executor``."""
    return _executor.set(executor)


def clear_client_executor(token: Token[ClientExecutor | None]) -> None:
    """Undo ``set_client_executor``."""
    _executor.reset(token)


def _ignore(_: ClientAnswer) -> None:
    return None


def client_supports(action: CallAction) -> bool:
    """Whether ``action`` may be asked of the user's device; without a device, it may not."""
    executor = _executor.get()
    return executor is not None and executor.supports(action)


async def execute_on_client(
    action: CallAction,
    table: Table | None = None,
    data: Row | None = None,
    *,
    filters: Row | None = None,
    vector: Sequence[float] | None = None,
    limit: int | None = None,
) -> ClientAnswer:
    """Run one call on the user's device. Raises as ``ClientExecutor.execute`` does."""
    executor = _executor.get()
    if executor is None:
        raise ClientAbsent
    call = ClientCall(
        id=str(uuid.uuid4()),
        action=action,
        table=table,
        data=data,
        filters=filters,
        vector=None if vector is None else tuple(vector),
        limit=limit,
    )
    return await executor.execute(call, on_late=_ignore)
