"""Beginning a turn: the same for whoever asks, over a socket or over REST."""

from uuid import UUID

from agents.telemetry.turns import TurnSource
from chat.devices.connections import DeviceKey
from chat.devices.links import DeviceLink
from chat.protocol.frames.errors import FrameRejected
from chat.protocol.frames.vocabulary import ErrorCode
from chat.quotas import within_quota
from chat.services import ChatServices
from chat.turns.factory import TurnRequest, fingerprint
from chat.turns.replay import FrameLog
from chat.turns.supervisor import Turn, Work
from chat.turns.watching import origin_of, watched


def new_turn(
    services: ChatServices,
    request: TurnRequest,
    *,
    user_id: UUID,
    request_id: str,
    device: DeviceKey,
    source: TurnSource = TurnSource.SOCKET,
) -> Turn:
    """The turn that ``request`` asks for, on ``device``, with a log to write to."""
    key = (user_id, request_id)
    origin = origin_of(request, user_id=user_id, request_id=request_id, source=source)
    return Turn(key=key, device=device, fingerprint=fingerprint(request), log=services.make_log(key), origin=origin)


def begin(services: ChatServices, turn: Turn, work: Work, *, link: DeviceLink) -> Turn:
    """Run ``work`` as ``turn`` on the device of ``link``, or give the turn that the same request began before.

    Raises ``FrameRejected``: over a limit, the id belongs to another request, or the server is stopping. That the
    user's quota is used up is found out later: then reading the turn's log raises it.
    """
    _count(services, turn)
    if turn.origin is not None:
        work = watched(work, turn.origin, services.observers)
    services.connections.used(turn.device)
    services.neighbours.arrivals.used(turn.device)
    work = within_quota(services, turn, services.neighbours.turns.claiming(turn, work))
    begun = services.supervisor.start(turn, _releasing(services, turn, work, link))
    if begun is turn:
        link.hold(turn.request_id)
    return begun


def _count(services: ChatServices, turn: Turn) -> None:
    repeated = services.supervisor.find(turn.key) is not None
    if not (repeated or services.rate.admit(turn.key[0])):
        raise FrameRejected(
            ErrorCode.BUSY, "Too many requests in a minute. Wait a little.", request_id=turn.request_id, retryable=True
        )


def _releasing(services: ChatServices, turn: Turn, work: Work, link: DeviceLink) -> Work:
    """``work``, and after it the end of the turn's claim on the device's link."""

    async def conducted(log: FrameLog) -> None:
        try:
            await work(log)
        finally:
            link.forget(turn.request_id)
            services.connections.release(turn.device)

    return conducted
