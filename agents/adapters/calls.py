"""Tool calls put together from the pieces in which a model's server sends them. Pure."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.adapters.surrogates import mended
from agents.errors import ModelBroken
from agents.events import ToolCall


@dataclass(slots=True)
class _OpenCall:
    """One call as far as it has come."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def add(self, call_id: str, function: Mapping[str, object]) -> None:
        self.id = self.id or call_id
        name = function.get("name")
        if isinstance(name, str) and name != self.name:
            self.name += name
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            self.arguments.append(arguments)
        elif arguments is not None:
            self.arguments = [json.dumps(arguments, ensure_ascii=False)]

    @property
    def is_whole(self) -> bool:
        try:
            json.loads("".join(self.arguments))
        except (ValueError, RecursionError):
            return False
        return True


class CallAssembly:
    """The calls of one answer. Pieces belong together by index; where a server sends none, by id, else by order."""

    def __init__(self) -> None:
        self.answer_id = ""
        """The id of the answer, which makes the ids that we must invent differ between answers."""
        self._calls: list[_OpenCall] = []
        self._by_index: dict[int, _OpenCall] = {}
        self._by_id: dict[str, _OpenCall] = {}

    def add(self, part: Mapping[str, object]) -> None:
        """Take one piece: an element of a delta's ``tool_calls``."""
        given = part.get("function")
        function: Mapping[str, object] = given if isinstance(given, dict) else {}
        call_id = part.get("id")
        known_id = call_id if isinstance(call_id, str) else ""
        call = self._call_of(part.get("index"), known_id, begins=bool(function.get("name")))
        if known_id:
            self._by_id[known_id] = call
        call.add(known_id, function)

    def made(self, *, only_whole: bool) -> list[ToolCall]:
        """The calls in the order in which they began; ``only_whole`` leaves out those with cut arguments.

        Raises ``ModelBroken`` for a call without a name.
        """
        calls = [call for call in self._calls if call.is_whole or not only_whole]
        taken: set[str] = set()
        return [self._made(call, position, taken) for position, call in enumerate(calls)]

    def _call_of(self, index: object, call_id: str, *, begins: bool) -> _OpenCall:
        if isinstance(index, int):
            return self._call_at(index, call_id, begins=begins)
        if call_id in self._by_id:
            return self._by_id[call_id]
        if call_id or begins or not self._calls:
            return self._begin()
        return self._calls[-1]

    def _call_at(self, index: int, call_id: str, *, begins: bool) -> _OpenCall:
        call = self._by_index.get(index)
        # Some servers number every call 0: another id with a name begins another call.
        if call is None or (begins and call_id and call.id and call_id != call.id):
            call = self._by_index[index] = self._begin()
        return call

    def _begin(self) -> _OpenCall:
        self._calls.append(_OpenCall())
        return self._calls[-1]

    def _made(self, call: _OpenCall, position: int, taken: set[str]) -> ToolCall:
        if not call.name:
            raise ModelBroken("The model called a tool without naming it.")
        arguments = mended("".join(call.arguments)) or "{}"
        call_id = call.id
        if not call_id or call_id in taken:
            call_id = _invented_id(self.answer_id, str(position), call.name, arguments)
        taken.add(call_id)
        return ToolCall(id=call_id, name=call.name, arguments=arguments)


def _invented_id(*parts: str) -> str:
    """The same for the same call at the same place, and in no other."""
    digest = hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=12)
    return f"call_{digest.hexdigest()}"
