"""Parses a model's text while it is written: text for the user, tool calls as text, and thoughts, which are dropped.

Some models and servers write their calls into the text: between ``<tool_call>`` tags, as JSON in a fence, or as JSON
alone. A call counts if it names one of the request's tools; any other is dropped. One that the model only quotes from
what it has read is text. Pure.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator
from typing import Final, TypeAlias

from pydantic import JsonValue

from agents.adapters.base import json_values
from agents.engine.announcements import MAX_CHARS, announced
from agents.events import ToolCall

Piece: TypeAlias = str | ToolCall

MAX_HELD: Final = 256 * 1024
"""How many characters are held back because they may be a call. Anything longer is text."""

_MAX_HEAD: Final = 256
"""How many characters of JSON are held back until its first key shows whether it may be a call."""
_STEP: Final = 4096
"""How many characters are parsed at once: for each bracket, the rest is copied."""
_THOUGHTS: Final = ("think", "thinking", "thought", "reasoning")
_CALLS: Final = ("tool_call", "tool_calls", "function_call", "function_calls", "tools")
_ANSWERS: Final = ("tool_response", "tool_result", "answer", "response")
"""Tags whose content is text nevertheless."""
_TAGS: Final = tuple(f"<{slash}{name}>" for name in (*_THOUGHTS, *_CALLS, *_ANSWERS) for slash in ("", "/"))
_TAG: Final = re.compile(rf"<(/?)({'|'.join((*_THOUGHTS, *_CALLS, *_ANSWERS))})>", re.IGNORECASE)
_CLOSING: Final = {name: re.compile(f"</{name}>", re.IGNORECASE) for name in (*_THOUGHTS, *_CALLS)}
_CONTROL: Final = re.compile(r"<\|[a-z_]{2,24}\|>")
"""A control token of a model, such as ``<|im_start|>``, which its server should not pass on."""
_CONTROL_BEGUN: Final = re.compile(r"<(?:\|(?:[a-z_]{1,24}\|?)?)?\Z")
_MAY_BEGIN: Final = re.compile(r"[<`{\[]")
_FENCE: Final = re.compile(r"```[ \t]{0,16}(\w{0,32})\s{0,64}")
_FENCED: Final = frozenset({"", "json", "tool_call", "tool_calls", "tool_code", "function_call"})
_FENCE_END: Final = re.compile(r"\s*(`{0,3})")
_NAMES: Final = ("name", "tool", "tool_name", "function", "function_name")
_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
_WRAPPERS: Final = ("function", "function_call", "tool_call", "tool_calls")
_KEYS: Final = frozenset({*_NAMES, *_ARGUMENTS, *_WRAPPERS})
_TYPES: Final = ("function", "tool_call", "tool_use")
_HEAD: Final = re.compile(r"""[\[\s]*(?:\{\s*(?:["'](\w*)(?:(["'])\s*(?::\s*(?:["'](\w*)(["'])?)?)?)?)?)?""")
"""The beginning of JSON up to its first key and value. The groups are the key, its end, the value, and its end."""
_DOUBLED: Final = re.compile(r"\{\s*(?=\{)")
"""Models write doubled braces if the template that explains calls has them."""
_BRACKET: Final = re.compile(r"[{\[]")
_MARK: Final = re.compile(r'["\\{}\[\]]')
_NAMED: Final = re.compile(r"""["']?(?:name|tool|function)["']?\s*:\s*["'](\w+)["']""")
_GIVEN: Final = re.compile(r"""["']?(?:arguments|parameters|args|input)["']?\s*:\s*(\{.*)""", re.DOTALL)
_TAGGED: Final = re.compile(r"<function=(\w+)>(.*?)(?:</function>|$)", re.DOTALL)
_ELEMENT: Final = re.compile(
    r"""<function\s+name=["'](\w+)["']\s+arguments=(["'])(?:(\{.*?\})\2\s*/?>|\{.*\Z)""", re.DOTALL
)
_NESTED: Final = re.compile(r"<name>\s*(\w+)\s*</name>\s*<arguments>(.*?)(?:</arguments>|\Z)", re.DOTALL)
_NAMED_ELEMENT: Final = re.compile(r"""<(\w+)((?:\s+\w+=(?:"[^"]*"|'[^']*'))+)\s*/?>""")
_ATTRIBUTE: Final = re.compile(r"""(\w+)=(?:"([^"]*)"|'([^']*)')""")
_INNER: Final = re.compile(r"<(\w+)>([^<]*+)</\1>")
_PARAMETER: Final = re.compile(r"<parameter=(\w+)>\n?(.*?)(?:\n?(</parameter>)|\Z)", re.DOTALL)
"""A parameter without an end extends to the end of the text, so that the end is searched once."""
_ELEMENT_END: Final = re.compile(r"(?:</function>|</arguments>|/>)\s*\Z")


class _Json:
    """Finds the end of a JSON object or array that arrives in pieces. ``opening`` is the text before it, as a fence."""

    def __init__(self, opening: str = "") -> None:
        self.opening = opening
        self.end: int | None = None
        self._closing: list[str] = []
        self._in_string = False
        self._at = 0

    @property
    def missing(self) -> str:
        """The quotation mark and brackets that complete it."""
        return "" if self.end is not None else '"' * self._in_string + "".join(reversed(self._closing))

    def read(self, text: str) -> None:
        """Continue in ``text``, which begins with what was read before. ``end`` is set when the JSON is complete."""
        while self.end is None and (found := _MARK.search(text, self._at)):
            mark, self._at = found[0], found.end()
            if mark == "\\":
                if self._at == len(text):  # the escaped character has not arrived yet
                    self._at = found.start()
                    return
                self._at += 1
            elif mark == '"':
                self._in_string = not self._in_string
            elif not self._in_string and mark in "{[":
                self._closing.append("}" if mark == "{" else "]")
            elif not self._in_string:
                del self._closing[-1:]
                self.end = None if self._closing else self._at
        if self.end is None:
            self._at = len(text)


class ModelText:
    """Parses one message of a model. Only what may be a call, a thought or a tag is held back.

    Apart from the division of texts, the pieces do not depend on how the message arrives. A message of only white space
    and fences, as around a call, has no text. ``ids`` is the prefix of the calls' ids. ``is_quoted``: whether the
    model has read its argument somewhere; a call in such a text is not run.
    """

    def __init__(
        self,
        tools: Collection[str],
        *,
        ids: str = "text",
        is_quoted: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._tools = tools
        self._is_quoted = is_quoted
        self._rest = ""
        self._tag = ""
        self._said = ""
        self._announced = ""
        self._searched = 0
        self._json: _Json | None = None
        self._after_call = False
        self._after_fence = False
        self._pieces: list[Piece] = []
        self._blank: list[str] | None = []
        self._ids = ids
        self._made = 0
        self._broken_off = False
        self.unknown: list[str] = []
        """The names in calls that are no tool of the request."""
        self.cut = False
        """Whether a call was dropped because it is incomplete."""

    def feed(self, text: str) -> list[Piece]:
        """The pieces that ``text`` completes."""
        pieces: list[Piece] = []
        for start in range(0, len(text), _STEP):
            self._rest += text[start : start + _STEP]
            pieces += self._read(ended=False)
        return pieces

    def end(self, *, broken_off: bool = False) -> list[Piece]:
        """The last pieces. A call that lacks only its last brackets counts, unless the message was ``broken_off``.

        Any other incomplete call sets ``cut``, because a part of the intended change could be missing.
        """
        self._broken_off = broken_off
        return self._read(ended=True)

    def _read(self, *, ended: bool) -> list[Piece]:
        while self._rest:
            if self._after_call:
                went_on = self._end_call()
            elif self._after_fence:
                went_on = self._end_fence(ended=ended)
            elif self._tag:
                went_on = self._read_tag(ended=ended)
            elif self._json is not None:
                went_on = self._read_json(self._json, ended=ended)
            else:
                went_on = self._read_text(ended=ended)
            if not went_on:
                break
        pieces, self._pieces = self._pieces, []
        return pieces

    def _read_text(self, *, ended: bool) -> bool:
        """Read until something may begin. Returns False if more text is needed."""
        found = _MAY_BEGIN.search(self._rest)
        if found is None:
            self._say(len(self._rest))
            return False
        self._say(found.start())
        if self._rest[0] == "<":
            return self._begin_tag(ended=ended)
        return self._begin_json(ended=ended)

    def _begin_tag(self, *, ended: bool) -> bool:
        if tag := _TAG.match(self._rest):
            name = tag[2].lower()
            self._tag = "" if tag[1] or name in _ANSWERS else name
            self._rest = self._rest[tag.end() :]
            return True
        if not ended and _CONTROL_BEGUN.match(self._rest):
            return False
        if control := _CONTROL.match(self._rest):
            self._rest = self._rest[control.end() :]
            return True
        begun = self._rest.lower()
        if not ended and any(known.startswith(begun) for known in _TAGS):
            return False
        self._say(1)
        return True

    def _begin_json(self, *, ended: bool) -> bool:
        opening = ""
        if self._rest[0] == "`":
            fence = _FENCE.match(self._rest)
            if fence is None or fence.end() == len(self._rest):
                if not ended and (fence or "```".startswith(self._rest)):
                    return False
                self._say(1 if fence is None else fence.end())
                return True
            opening = fence[0]
            if fence[1].lower() not in _FENCED or self._rest[fence.end()] not in "{[":
                self._say(fence.end())
                return True
        start = _DOUBLED.match(self._rest, len(opening))
        begin = len(opening) if start is None else start.end()
        head = self._rest[begin : begin + _MAX_HEAD]
        verdict = _may_be_call(head)
        if verdict is None and not ended and len(head) < _MAX_HEAD:
            return False
        self._announced = self._tool_announced() if opening else ""
        if verdict or self._announced:
            self._json = _Json(self._rest[:begin])
            self._rest = self._rest[begin:]
        else:
            self._say(len(opening) + 1)
        return True

    def _tool_announced(self) -> str:
        """The only tool in the sentence before, if that announces the tool's arguments."""
        return announced(self._said, self._tools)

    def _read_json(self, found: _Json, *, ended: bool) -> bool:
        found.read(self._rest)
        if found.end is None and not ended and len(self._rest) <= MAX_HELD:
            return False
        end = len(self._rest) if found.end is None else found.end
        source = self._rest[:end]
        self._json = None
        is_cut = found.end is None and self._is_cut(source)
        if len(source) <= MAX_HELD and self._call_all(source, found.missing, is_cut=is_cut):
            self._rest = self._rest[end:]
            self._after_call = True
            self._after_fence = "`" in found.opening
        else:
            self._rest = found.opening + self._rest
            self._say(len(found.opening) + end)
        return True

    def _end_call(self) -> bool:
        """Drop surplus closing brackets after a call."""
        self._rest = self._rest.lstrip("}")
        self._after_call = not self._rest
        return not self._after_call

    def _end_fence(self, *, ended: bool) -> bool:
        """Drop the end of the fence around a call."""
        end = _FENCE_END.match(self._rest)
        if end is None or (not ended and end.end() == len(self._rest) and len(end[1]) < len("```")):
            return False
        self._after_fence = False
        if len(end[1]) == len("```"):
            self._rest = self._rest[end.end() :]
        return True

    def _read_tag(self, *, ended: bool) -> bool:
        closing = _CLOSING[self._tag].search(self._rest, self._searched)
        longest = len(self._tag) + len("</>")
        self._searched = max(len(self._rest) - longest, 0)
        if closing is None and not ended and (self._tag in _THOUGHTS or len(self._rest) <= MAX_HELD):
            if self._tag in _THOUGHTS:
                self._rest, self._searched = self._rest[-longest:], 0
            return False
        body = self._rest if closing is None else self._rest[: closing.start()]
        self._rest = "" if closing is None else self._rest[closing.end() :]
        if self._tag in _CALLS and self._is_quoted(body):
            self._rest = body + self._rest
        elif self._tag in _CALLS:
            bracket = _BRACKET.search(body)
            found = _Json()
            found.read(body[bracket.start() :] if bracket else "")
            if body.lstrip().startswith("<"):
                is_cut = closing is None and not _ELEMENT_END.search(body)
            else:
                is_cut = found.end is None and (self._is_cut(body) or (closing is None and not ended))
            self._call_all(body, found.missing, is_cut=is_cut)
        self._tag, self._searched = "", 0
        return True

    def _is_cut(self, source: str) -> bool:
        """Whether incomplete JSON lacks more than its last brackets."""
        return self._broken_off or not source.rstrip().endswith("}")

    def _call_all(self, source: str, missing: str, *, is_cut: bool) -> bool:
        """Take the calls in ``source``, completed by ``missing``. Returns whether there are any. Drops cut ones."""
        if self._is_quoted(source):
            self._announced = ""
            return False
        calls = list(_calls_in(source + missing))
        if is_cut:
            named = _NAMED.search(source)
            is_call = bool(calls or self._announced) or (named is not None and named[1] in self._tools)
            self.cut, self._announced = self.cut or is_call, ""
            return is_call
        if not calls and self._announced:
            calls = [
                (self._announced, json.dumps(value))
                for _, value in json_values(source + missing)
                if isinstance(value, dict)
            ]
        self._announced = ""
        for name, arguments in calls:
            if name in self._tools:
                self._pieces.append(ToolCall(id=f"{self._ids}-{self._made}", name=name, arguments=arguments))
                self._made += 1
            else:
                self.unknown.append(name)
        return bool(calls)

    def _say(self, length: int) -> None:
        text, self._rest = self._rest[:length], self._rest[length:]
        if self._blank is not None:
            self._blank.append(text)
            if text.replace("`", "").strip():
                text, self._blank = "".join(self._blank), None
        if text and self._blank is None:
            self._pieces.append(text)
            self._said = (self._said + text)[-MAX_CHARS:]


def _may_be_call(begun: str) -> bool | None:
    """Whether JSON that begins like this may be a call; None if more of it is needed."""
    head = _HEAD.match(begun)
    key, key_end, value, value_end = head.groups() if head else (None, None, None, None)
    if key is None:
        return None if head and head.end() == len(begun) else False
    if not key_end:
        at_end = head is not None and head.end() == len(begun)
        return None if at_end and any(known.startswith(key) for known in (*_KEYS, "type")) else False
    if key in _KEYS:
        return True
    if key != "type" or (value is None and head is not None and head.end() < len(begun)):
        return False
    if value_end:
        return value in _TYPES
    return None if any(known.startswith(value or "") for known in _TYPES) else False


def _calls_in(source: str) -> Iterator[tuple[str, str]]:
    """The names and arguments of the calls in ``source``."""
    if elements := [(name, arguments) for name, _, arguments in _ELEMENT.findall(source) if arguments]:
        yield from elements
        return
    if nested := _NESTED.findall(source):
        for name, inner in nested:
            yield name, json.dumps({key: said.strip() for key, said in _INNER.findall(inner)}, ensure_ascii=False)
        return
    values = [value for _, value in json_values(source) if value is not None]
    calls = [call for value in values for call in _calls_of(value)]
    if calls or values:
        yield from calls
    elif (named_elements := _NAMED_ELEMENT.findall(source)) and source.lstrip().startswith("<"):
        for name, attributes in named_elements:
            read = {key: one or other for key, one, other in _ATTRIBUTE.findall(attributes)}
            yield name, json.dumps(read, ensure_ascii=False)
    elif tagged := _TAGGED.findall(source):
        for name, body in tagged:
            given = {key: said for key, said, closing in _PARAMETER.findall(body) if closing}
            yield name, json.dumps(given, ensure_ascii=False)
    elif (named := _NAMED.search(source)) and (arguments := _GIVEN.search(source)):
        # Not quite JSON: the executor reports what is wrong with the arguments.
        yield named[1], arguments[1].rstrip().removesuffix("}").rstrip()


def _calls_of(value: JsonValue) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for item in value:
            yield from _calls_of(item)
    if not isinstance(value, dict):
        return
    for wrapper in _WRAPPERS:
        if isinstance(value.get(wrapper), dict | list):
            yield from _calls_of(value[wrapper])
            return
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    given = next((value[key] for key in _ARGUMENTS if isinstance(value.get(key), dict | str)), None)
    if isinstance(name, str) and given is not None:
        yield name, given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    elif isinstance(name, str) and value.keys() <= {*_NAMES, *_ARGUMENTS, "type", "id"} and len(value) > 1:
        yield name, "{}"
