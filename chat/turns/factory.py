"""Which turn answers which request."""

import hashlib
from dataclasses import dataclass
from typing import TypeAlias

from agents.client import ClientExecutor
from chat.frames.client import ChatRequest, HomeRequest, PopupRequest
from chat.supervisor import Work
from chat.turns.asking import Kit, Person
from chat.turns.home import HomeTurn
from chat.turns.legacy import LegacyTurn
from chat.turns.popup import PopupTurn

TurnRequest: TypeAlias = HomeRequest | PopupRequest | ChatRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnFactory:
    """Makes the work of a turn out of the request for it."""

    kit: Kit

    def work(self, request: TurnRequest, *, request_id: str, person: Person, client: ClientExecutor) -> Work:
        match request:
            case HomeRequest():
                return HomeTurn(kit=self.kit, person=person, client=client, request=request, request_id=request_id)
            case PopupRequest():
                return PopupTurn(kit=self.kit, person=person, client=client, request=request, request_id=request_id)
            case ChatRequest():
                return LegacyTurn(kit=self.kit, person=person, client=client, request=request)


def fingerprint(request: TurnRequest) -> str:
    """The same for requests that ask the same (hex)."""
    return hashlib.sha256(request.model_dump_json().encode()).hexdigest()
