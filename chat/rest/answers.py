"""The frames of a turn, collected into one answer."""

from contextlib import aclosing

from chat.protocol.frames.codec import SERVER_FRAMES
from chat.protocol.frames.server import ServerFrame, StreamBlock, StreamEnd, StreamText
from chat.protocol.frames.vocabulary import FinishReason
from chat.rest.bodies import Block, ChatAnswer
from chat.rest.errors import failed
from chat.rest.turns import RestTurn


async def whole_answer(turn: RestTurn) -> ChatAnswer:
    """The answer, once it is written to its end. Raises REST framework's exceptions when there is none."""
    frames: list[ServerFrame] = []
    async with aclosing(turn.frames()) as batches:
        async for batch in batches:
            frames += [SERVER_FRAMES.validate_json(frame) for frame in batch]
    end = next(frame for frame in frames if isinstance(frame, StreamEnd))
    if end.finish_reason is not FinishReason.DONE:
        raise failed(end)
    return ChatAnswer(
        response="".join(frame.chunk for frame in frames if isinstance(frame, StreamText)),
        agent=turn.agent,
        blocks=[
            Block(block_type=frame.block_type, data=frame.data) for frame in frames if isinstance(frame, StreamBlock)
        ],
        mutations=end.mutations,
        request_id=turn.request_id,
    )
