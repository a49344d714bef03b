"""A call on its way to another process, as text."""

from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter

from agents.calls import ClientCall


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """A call and the turn it belongs to."""

    request_id: str
    call: ClientCall

    def text(self) -> str:
        return _ORDERS.dump_json(self).decode()


_ORDERS: Final = TypeAdapter(Order)


def read(text: str) -> Order:
    """What ``Order.text`` gave."""
    return _ORDERS.validate_json(text)
