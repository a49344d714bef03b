"""Questions to the user on the wire: shown to the device of the turn, answered by whoever is signed in there."""

from dataclasses import dataclass

from agents.approvals import Reach
from agents.questions import Question
from chat.connections import ConnectionManager, DeviceKey
from chat.frames import server
from chat.frames.vocabulary import Capability


def approval_request(question: Question) -> server.ApprovalRequest:
    """The frame that puts ``question``."""
    preview = question.preview
    return server.ApprovalRequest(
        id=str(question.id),
        request_id=question.request_id,
        tool=question.tool,
        arguments=dict(question.arguments),
        summary=question.summary,
        risk=question.risk,
        preview=None
        if preview is None
        else server.Preview(
            before=None if preview.before is None else dict(preview.before),
            after=None if preview.after is None else dict(preview.after),
        ),
        expires_at=round(question.expires_at.timestamp() * 1000),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class DeviceAsker:
    """The ``Asker`` of turns that a device begins: it alone is shown their questions."""

    connections: ConnectionManager
    device: DeviceKey

    @property
    def device_id(self) -> str:
        return self.device[1]

    def reach(self) -> Reach:
        connection = self.connections.connection(self.device)
        # One that is away is waited for: what it can do, it says when it is back.
        if connection is None or Capability.APPROVALS in connection.attachment.capabilities:
            return Reach.ASKS
        return Reach.CANNOT

    def show(self, question: Question) -> None:
        connection = self.connections.connection(self.device)
        if connection is not None and Capability.APPROVALS in connection.attachment.capabilities:
            connection.socket.tell(approval_request(question))
