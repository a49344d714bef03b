"""The frames of a turn as server-sent events (HTML standard, 9.2)."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from django.http import StreamingHttpResponse
from rest_framework.renderers import JSONRenderer

MEDIA_TYPE: Final = "text/event-stream"
_COMMENT: Final = b":\n\n"


class EventStreamRenderer(JSONRenderer):
    """Has REST framework take part in the negotiation of event streams; whatever it renders itself is JSON."""

    media_type = MEDIA_TYPE
    format = "events"


async def event_stream(frames: AsyncGenerator[Sequence[str], None]) -> StreamingHttpResponse:
    """A response that sends ``frames`` as they come. Raises what ``frames`` raises before the first."""
    # The generator has begun before the response exists, so that leaving it anywhere from here on closes it.
    first = await anext(frames)
    return StreamingHttpResponse(
        _events(first, frames),
        content_type=MEDIA_TYPE,
        # The last one asks a reverse proxy to pass on what it gets at once (nginx's name for it, known to others too).
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _events(first: Sequence[str], frames: AsyncGenerator[Sequence[str], None]) -> AsyncGenerator[bytes, None]:
    async with aclosing(frames):
        yield _encoded(first)
        async for batch in frames:
            yield _encoded(batch)


def _encoded(batch: Sequence[str]) -> bytes:
    return b"".join(map(_event, batch)) or _COMMENT


def _event(frame: str) -> bytes:
    fields = json.loads(frame)
    # A frame is one line: JSON escapes what would break it.
    return f"event: {fields['type']}\nid: {fields['seq']}\ndata: {frame}\n\n".encode()
