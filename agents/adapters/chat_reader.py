"""Answers of the Chat Completions API, in the dialect of a server. Pure.

Besides the dialect, this accepts what some servers do without documenting it: calls without an index or an id, whole
calls at once, arguments as an object, the older ``function_call``, a last chunk with only the usage, and a stream
without ``[DONE]``.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from agents.adapters.dialects import DIALECTS, Dialect, DialectName
from agents.adapters.reading import (
    NOTHING,
    AnswerReader,
    called,
    count,
    mapping,
    mended,
    raise_reported,
    sequence,
    text_of,
)
from agents.errors import ModelBroken
from agents.events import ModelEvent, ModelProgress, ToolCall, Usage


class ChatReader(AnswerReader):
    """Reads one streamed completion. ``owner`` is the server and model that it comes from."""

    def __init__(self, dialect: Dialect = DIALECTS[DialectName.COMPATIBLE], *, owner: str = "") -> None:
        super().__init__()
        self._dialect = dialect
        self._owner = owner
        self._calls = CallAssembly()
        self._returned: dict[str, JsonValue] = {}
        self._usage: Usage | None = None
        self._cached = 0
        self._finish_reason: str | None = None
        self._refused = False

    @property
    def is_whole(self) -> bool:
        return self.done or self._finish_reason is not None

    def _read(self, event: Mapping[str, object]) -> Iterator[ModelEvent]:
        if event.get("error") or event.get("object") == "error":
            raise_reported(event)
        if choices := event.get("choices"):
            # The first alternative. We ask for only one.
            first = next((each for each in map(mapping, sequence(choices)) if not each.get("index")), NOTHING)
            yield from self._read_choice(first, event)
        if progress := event.get("prompt_progress"):
            yield from _progress(mapping(progress))
        if timings := event.get("timings"):
            self._cached = count(mapping(timings).get("cache_n"))
        if usage := event.get("usage"):
            counts = mapping(usage)
            details = counts.get("prompt_tokens_details")
            cached = details.get("cached_tokens") if isinstance(details, dict) else None
            self._usage = Usage(
                input_tokens=count(counts.get("prompt_tokens")),
                output_tokens=count(counts.get("completion_tokens")),
                cached_tokens=count(cached) or count(counts.get("prompt_cache_hit_tokens")) or self._cached,
            )

    def _read_choice(self, choice: Mapping[str, object], event: Mapping[str, object]) -> Iterator[ModelEvent]:
        # A server that does not stream sends the whole message in one chunk.
        delta = mapping(choice.get("delta") or choice.get("message"))
        if content := delta.get("content"):
            yield from self._say(text_of(content))
        if refusal := delta.get("refusal"):
            self._refused = True
            yield from self._say(text_of(refusal))
        self._read_reasoning(delta)
        if parts := delta.get("tool_calls"):
            self.is_writing = True
            for part in sequence(parts):
                self._calls.add(mapping(part))
        if legacy := delta.get("function_call"):
            self._calls.add({"index": 0, "function": legacy})
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._finish_reason = reason
            self._calls.answer_id = str(event.get("id") or "")

    def _read_reasoning(self, delta: Mapping[str, object]) -> None:
        for name in ("reasoning_content", "reasoning", "reasoning_details"):
            given = delta.get(name)
            if not given:
                continue
            self.is_writing = True
            if name not in self._dialect.returned:
                continue
            known = self._returned.get(name)
            if isinstance(given, str):
                self._returned[name] = (known if isinstance(known, str) else "") + given
            elif isinstance(given, list):
                self._returned[name] = _details(known if isinstance(known, list) else [], given)

    def _finish(self) -> Iterator[ModelEvent]:
        refused = self._refused or self._finish_reason == "content_filter"
        is_cut = self._finish_reason == "length"
        calls: list[ToolCall] = []
        if not refused:
            calls = self._calls.made(only_whole=is_cut, returned=self._returned, owner=self._owner)
        # Any other reason, such as ``eos`` or ``end_turn``, means that the model has finished.
        lost_call = len(calls) < self._calls.begun
        yield from self._finished(calls, self._usage, refused=refused, is_cut=is_cut, lost_call=lost_call)


def _progress(told: Mapping[str, object]) -> Iterator[ModelProgress]:
    """The fraction of the prompt that has been read, without the part that the server had cached."""
    total, cached, read = (count(told.get(name)) for name in ("total", "cache", "processed"))
    if total > cached:
        yield ModelProgress(fraction=min(1.0, max(0.0, (read - cached) / (total - cached))))


def _details(known: list[JsonValue], pieces: list[JsonValue]) -> list[JsonValue]:
    """``known`` followed by ``pieces``. A piece with the index and type of the last one continues its texts."""
    details = list(known)
    for piece in pieces:
        last = details[-1] if details else None
        if not isinstance(piece, dict) or not isinstance(last, dict) or not _continues(last, piece):
            details.append(piece)
            continue
        merged = dict(last)
        for name, value in piece.items():
            before = merged.get(name)
            if name in ("text", "summary") and isinstance(before, str) and isinstance(value, str):
                merged[name] = before + value
            elif value is not None:
                merged[name] = value
        details[-1] = merged
    return details


def _continues(last: Mapping[str, JsonValue], piece: Mapping[str, JsonValue]) -> bool:
    # Encrypted reasoning is never split.
    is_text = piece.get("type") in ("reasoning.text", "reasoning.summary")
    return is_text and all(last.get(name) == piece.get(name) for name in ("type", "index"))


@dataclass(slots=True)
class _OpenCall:
    """A call as far as it has been received."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    extra: JsonValue = None

    @property
    def is_whole(self) -> bool:
        try:
            json.loads("".join(self.arguments))
        except (ValueError, RecursionError):
            return False
        return True


class CallAssembly:
    """Assembles tool calls from pieces, which belong together by index, or else by id, or else by order."""

    def __init__(self) -> None:
        self.answer_id = ""
        """The id of the answer. Because of it, the ids that we create differ between answers."""
        self._calls: list[_OpenCall] = []
        self._by_index: dict[int, _OpenCall] = {}
        self._by_id: dict[str, _OpenCall] = {}

    @property
    def begun(self) -> int:
        """The number of calls that have begun."""
        return len(self._calls)

    def add(self, part: Mapping[str, object]) -> None:
        """Add one piece: an element of a delta's ``tool_calls``."""
        given = part.get("function")
        function: Mapping[str, object] = given if isinstance(given, dict) else {}
        call_id, name, arguments = part.get("id"), function.get("name"), function.get("arguments")
        known_id = call_id if isinstance(call_id, str) else ""
        call = self._call_of(part.get("index"), known_id, begins=bool(name))
        if known_id:
            self._by_id[known_id] = call
            call.id = call.id or known_id
        if isinstance(name, str) and name != call.name:
            call.name += name
        if isinstance(arguments, str):
            call.arguments.append(arguments)
        elif arguments is not None:
            call.arguments = [json.dumps(arguments, ensure_ascii=False)]
        if isinstance(extra := part.get("extra_content"), dict):
            call.extra = extra

    def made(self, *, only_whole: bool, returned: Mapping[str, JsonValue], owner: str) -> list[ToolCall]:
        """The calls in the order in which they began. ``only_whole`` leaves out those whose arguments are cut off.

        The state of the first one includes the ``returned`` fields of its message. Raises ``ModelBroken`` for a call
        without a name.
        """
        made: dict[str, ToolCall] = {}
        for position, call in enumerate(call for call in self._calls if call.is_whole or not only_whole):
            if not call.name:
                raise ModelBroken("The model called a tool without naming it.")
            call_id, name, arguments = mended(call.id), call.name, "".join(call.arguments) or "{}"
            if not call_id or call_id in made:
                # The same for the same call at the same position, and unique otherwise.
                known = "\0".join((self.answer_id, str(position), name, arguments))
                call_id = f"call_{hashlib.blake2b(known.encode('utf-8', 'replace'), digest_size=12).hexdigest()}"
            state: dict[str, object] = {} if call.extra is None else {"call": {"extra_content": call.extra}}
            if returned and not made:
                state["message"] = returned
            made[call_id] = called(call_id, name, arguments, owner=owner, returned=state or None)
        return list(made.values())

    def _call_of(self, index: object, call_id: str, *, begins: bool) -> _OpenCall:
        if isinstance(index, int):
            call = self._by_index.get(index)
            # Some servers give every call the index 0. Another id with a name then begins another call.
            if call is None or (begins and call_id and call.id and call_id != call.id):
                call = self._by_index[index] = self._begin()
            return call
        if call_id in self._by_id:
            return self._by_id[call_id]
        if call_id or begins or not self._calls:
            return self._begin()
        return self._calls[-1]

    def _begin(self) -> _OpenCall:
        self._calls.append(_OpenCall())
        return self._calls[-1]
