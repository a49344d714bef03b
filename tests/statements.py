"""The port of statements in a test's own transaction, without an event loop."""

from collections.abc import Coroutine, Sequence
from typing import Any, LiteralString, TypeVar

from accounts.auth import personal_tokens
from accounts.credential_models import PersonalToken
from accounts.statements import Found, Value, run_statement

_T = TypeVar("_T")


class DirectStatements:
    """The ``Statements`` over the connection of the test's thread."""

    async def rows(self, statement: LiteralString, parameters: Sequence[Value]) -> Found:
        return run_statement(statement, parameters)


def result_of(work: Coroutine[Any, Any, _T]) -> _T:
    """The result of a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration as ended:
        result: _T = ended.value
        return result
    raise AssertionError("it waits")


def personal_token(text: str) -> PersonalToken:
    """As ``accounts.auth.personal_tokens.personal_token``, without more rows."""
    token, _ = result_of(personal_tokens.personal_token(text, DirectStatements(), of_owner="SELECT"))
    return token
