"""Questions to the user as frames, shown on the device of the turn and answered by the user who is signed in there."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from agents.permissions.approvals.repository import Question
from agents.permissions.approvals.service import ApprovalService, Reach
from chat.devices.arrivals import ArrivalHandler
from chat.devices.connections import Connection, ConnectionManager
from chat.devices.links import DeviceKey
from chat.protocol.frames import server
from chat.protocol.frames.vocabulary import Capability


def approval_request(question: Question) -> server.ApprovalRequest:
    """The frame of ``question``."""
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
        source=None if question.source is None else server.Source(name=question.source.name, text=question.source.text),
        group=None if question.group is None else str(question.group),
    )


def show(connection: Connection, question: Question) -> None:
    """Send ``question`` to this socket, once, if its client can show it."""
    if Capability.APPROVALS in connection.attachment.capabilities and question.id not in connection.shown:
        connection.shown.add(question.id)
        connection.socket.send_soon(approval_request(question))


async def show_open_questions(approvals: ApprovalService, connection: Connection) -> None:
    """Send to this socket the open questions of its device that it has not shown yet."""
    if Capability.APPROVALS in connection.attachment.capabilities:
        for question in await approvals.open_questions(*connection.device):
            show(connection, question)


def question_handler(approvals: ApprovalService) -> ArrivalHandler:
    """When a device connects, it is sent its open questions again."""
    show_all = partial(show_open_questions, approvals)
    return ArrivalHandler(name="open questions", find=approvals.asked_devices, handle=show_all)


@dataclass(frozen=True, kw_only=True, slots=True)
class DeviceAsker:
    """The ``Asker`` of the turns that a device begins. Only that device is shown their questions.

    ``announce`` asks the process to which the device is connected to show them.
    """

    connections: ConnectionManager
    device: DeviceKey
    announce: Callable[[DeviceKey], None]

    @property
    def device_id(self) -> str:
        return self.device[1]

    def reach(self) -> Reach:
        connection = self.connections.connection(self.device)
        # A device that is away may be able to show questions: it names its capabilities when it returns.
        if connection is None or Capability.APPROVALS in connection.attachment.capabilities:
            return Reach.ASKS
        return Reach.CANNOT

    def show(self, question: Question) -> None:
        connection = self.connections.connection(self.device)
        if connection is None:
            self.announce(self.device)
        else:
            show(connection, question)
