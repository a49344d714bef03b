"""The bodies of responses that are not streamed: whole completions and vectors."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from memory.embedders.hashing import hashed
from tests.model_server.recorded import Recorded
from tests.model_server.scripts import Chunk, Script, whole


def completion(script: Script) -> object:
    """The deltas of ``script`` as one message, for a request that does not stream."""
    chunks = [step for step in script if isinstance(step, Chunk)]
    message: dict[str, Any] = {"role": "assistant", "content": "".join(c.delta.get("content", "") for c in chunks)}
    calls: dict[int, dict[str, Any]] = {}
    for part in (part for chunk in chunks for part in chunk.delta.get("tool_calls", [])):
        call = calls.setdefault(part["index"], {**part, "function": {"name": "", "arguments": ""}})
        for name, piece in part["function"].items():
            call["function"][name] += piece
    if calls:
        message["tool_calls"] = list(calls.values())
    reasons = [chunk.finish_reason for chunk in chunks if chunk.finish_reason]
    [answer] = whole(message, reasons[-1] if reasons else "stop")
    return answer.value  # type: ignore[union-attr]


def embeddings(request: Recorded) -> object:
    """A vector for each text, as base64 or numbers, as requested."""
    return {
        "object": "list",
        "model": request.body["model"],
        "data": list(_vectors(request.texts, as_base64=request.body.get("encoding_format") == "base64")),
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }


def encoded(value: object) -> bytes:
    return json.dumps(value).encode()


def _vectors(texts: list[str], *, as_base64: bool) -> Iterator[dict[str, Any]]:
    # In reverse, to catch a client that trusts the order instead of the index.
    for index, text in reversed(list(enumerate(texts))):
        vector = hashed(text)
        as_asked = base64.b64encode(vector.astype("<f4").tobytes()).decode() if as_base64 else vector.tolist()
        yield {"object": "embedding", "index": index, "embedding": as_asked}
