"""A client's answer to a call, checked against what the call asked for. Pure."""

from agents.calls import MAX_ROWS, CallAction, ClientAnswer, ClientCall
from agents.errors import ClientRefused
from chat.protocol.frames.client import Answer

_MAX_SENTENCE = 500


def checked(call: ClientCall, answer: Answer) -> ClientAnswer:
    """The answer's content. Raises ``ClientRefused`` for an ``error`` and for the wrong kind of answer."""
    if answer.error is not None:
        raise ClientRefused(answer.error[:_MAX_SENTENCE] or "it gave no reason.")
    given = answer.model_fields_set
    match call.action:
        case CallAction.SELECT if answer.rows is not None:
            return ClientAnswer(rows=tuple(answer.rows[:MAX_ROWS]), omitted=max(0, len(answer.rows) - MAX_ROWS))
        case CallAction.VECTOR_SEARCH if answer.results is not None:
            return ClientAnswer(
                results=tuple(answer.results[:MAX_ROWS]), omitted=max(0, len(answer.results) - MAX_ROWS)
            )
        case CallAction.GET | CallAction.UPDATE | CallAction.PAGE_DETAILS if "row" in given:
            return ClientAnswer(row=answer.row)
        case CallAction.INSERT if answer.row is not None and isinstance(answer.row.get("id"), str):
            return ClientAnswer(row=answer.row)
        case CallAction.DELETE if answer.deleted is not None:
            return ClientAnswer(deleted=answer.deleted)
        case CallAction.VECTOR_UPSERT if answer.ok:
            return ClientAnswer()
        case _:
            raise ClientRefused(f"it did not answer the {call.action} in the way the protocol asks.")
