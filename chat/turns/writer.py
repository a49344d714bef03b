"""Writes a turn's parts into its log as numbered frames."""

from collections.abc import Sequence
from typing import Protocol, cast

from pydantic import JsonValue

from agents.calls import Change
from agents.events import Usage
from chat.formatters.parts import BlockPart, Part, TextPart
from chat.protocol.frames.codec import encode
from chat.protocol.frames.server import (
    ErrorInfo,
    FinalFrame,
    Mutation,
    PopupDomain,
    StreamBlock,
    StreamEnd,
    StreamStart,
    StreamStatus,
    StreamText,
    TextChunk,
    TokenUsage,
    TurnFrame,
)
from chat.protocol.frames.vocabulary import Domain, FinishReason, TurnKind, TurnState
from chat.turns.gathering import TextGatherer
from chat.turns.replay import FrameLog


class AnswerWriter(Protocol):
    """Where an answer's parts go as they are made."""

    @property
    def request_id(self) -> str:
        """Of the turn whose answer it is."""

    def part(self, part: Part) -> None:
        """Text or a block of the answer."""

    def status(self, state: TurnState, *, tool: str | None = None, label: str | None = None) -> None:
        """What the turn does while it writes nothing."""

    def end(
        self, reason: FinishReason, *, changes: Sequence[Change], usage: Usage | None, error: ErrorInfo | None
    ) -> None:
        """The last word."""


class TurnWriter:
    """The frames of home answers, popups and all later kinds: numbered, and ended by ``stream_end``."""

    def __init__(self, log: FrameLog, request_id: str) -> None:
        self._log = log
        self._request_id = request_id
        self._text = TextGatherer(self._write_text)

    @property
    def request_id(self) -> str:
        return self._request_id

    def start(self, kind: TurnKind, *, session_id: str | None = None) -> None:
        self._write(StreamStart(request_id=self._request_id, kind=kind, session_id=session_id, seq=self._seq))

    def domain(self, domain: Domain) -> None:
        self._write(PopupDomain(request_id=self._request_id, domain=domain, seq=self._seq))

    def part(self, part: Part) -> None:
        match part:
            case TextPart():
                self._text.add(part.text)
            case BlockPart():
                self._text.flush()
                self._write(
                    StreamBlock(
                        request_id=self._request_id,
                        block_type=part.block_type,
                        data=cast("dict[str, JsonValue]", dict(part.data)),
                        seq=self._seq,
                    )
                )

    def status(self, state: TurnState, *, tool: str | None = None, label: str | None = None) -> None:
        self._text.flush()
        self._write(
            StreamStatus(request_id=self._request_id, state=state, tool=tool, label=label or None, seq=self._seq)
        )

    def end(
        self, reason: FinishReason, *, changes: Sequence[Change], usage: Usage | None, error: ErrorInfo | None
    ) -> None:
        self._text.flush()
        self._write(
            StreamEnd(
                request_id=self._request_id,
                finish_reason=reason,
                mutations=[Mutation(action=change.action, table=change.table, id=change.id) for change in changes],
                usage=_tokens(usage),
                error=error,
                seq=self._seq,
            )
        )

    @property
    def _seq(self) -> int:
        return len(self._log)

    def _write_text(self, text: str) -> None:
        self._write(StreamText(request_id=self._request_id, chunk=text, seq=self._seq))

    def _write(self, frame: TurnFrame) -> None:
        self._log.append(encode(frame))


class LegacyWriter:
    """The frames of the older chat: ``text_chunk`` as text comes, then ``final`` with the whole of it."""

    def __init__(self, log: FrameLog, request_id: str) -> None:
        self._log = log
        self._request_id = request_id
        self._said: list[str] = []
        self._text = TextGatherer(self._write_text)

    @property
    def request_id(self) -> str:
        return self._request_id

    def part(self, part: Part) -> None:
        if isinstance(part, TextPart):
            self._said.append(part.text)
            self._text.add(part.text)

    def status(self, state: TurnState, *, tool: str | None = None, label: str | None = None) -> None:
        """The older chat has no frame for this."""

    def end(
        self,
        reason: FinishReason,  # noqa: ARG002 - the older chat's last frame tells only the answer
        *,
        changes: Sequence[Change],  # noqa: ARG002
        usage: Usage | None,  # noqa: ARG002
        error: ErrorInfo | None,
    ) -> None:
        if error is not None:
            self.part(TextPart(text=error.message if not self._said else f"\n\n{error.message}"))
        self._text.flush()
        self._log.append(encode(FinalFrame(response="".join(self._said))))

    def _write_text(self, text: str) -> None:
        self._log.append(encode(TextChunk(text=text)))


def _tokens(usage: Usage | None) -> TokenUsage | None:
    if usage is None:
        return None
    return TokenUsage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
