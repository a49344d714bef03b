"""Which turn answers which request."""

import hashlib
from dataclasses import dataclass, field
from typing import TypeAlias

from agents.tools.client import ClientExecutor
from chat.protocol.frames.client import (
    BriefRequest,
    ChatRequest,
    ContextualRequest,
    HomeRequest,
    PopupRequest,
    TaskBriefRequest,
)
from chat.protocol.frames.vocabulary import TurnKind
from chat.turns.asking import Kit, Person
from chat.turns.briefs import BriefTurn
from chat.turns.buffers import SessionBuffer, SessionBuffers, SessionKey
from chat.turns.contextual import ContextualTurn
from chat.turns.home import HomeTurn
from chat.turns.legacy import LegacyTurn
from chat.turns.popup import PopupTurn
from chat.turns.supervisor import Work

TurnRequest: TypeAlias = HomeRequest | PopupRequest | ContextualRequest | BriefRequest | TaskBriefRequest | ChatRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnFactory:
    """Makes the work of a turn out of the request for it."""

    kit: Kit
    buffers: SessionBuffers = field(default_factory=SessionBuffers)

    def work(self, request: TurnRequest, *, request_id: str, person: Person, client: ClientExecutor) -> Work:
        match request:
            case HomeRequest():
                return HomeTurn(kit=self.kit, person=person, client=client, request=request, request_id=request_id)
            case PopupRequest():
                return PopupTurn(kit=self.kit, person=person, client=client, request=request, request_id=request_id)
            case ContextualRequest():
                session = self.session(person, request.session_id)
                return ContextualTurn(
                    kit=self.kit,
                    person=person,
                    client=client,
                    request=request,
                    request_id=request_id,
                    session=session,
                    arrival=session.arrive(),
                )
            case BriefRequest() | TaskBriefRequest():
                return BriefTurn(kit=self.kit, person=person, client=client, request=request, request_id=request_id)
            case ChatRequest():
                return LegacyTurn(kit=self.kit, person=person, client=client, request=request, request_id=request_id)

    def session(self, person: Person, session_id: str) -> SessionBuffer:
        """What the person's sidebar session of that name has said lately."""
        return self.buffers.open(SessionKey(user_id=person.user_id, channel=TurnKind.CONTEXTUAL, session_id=session_id))


def fingerprint(request: TurnRequest) -> str:
    """The same for requests that ask the same (hex)."""
    return hashlib.sha256(request.model_dump_json().encode()).hexdigest()
