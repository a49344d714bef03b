"""One JSON object read as it is written: its type as soon as it stands there, its text while that is still open."""

import re
from enum import Enum, auto

from chat.formatters.grammar import NUMBER_OR_WORD, Grammar, Token
from chat.formatters.strings import QUOTE, StringDecoder, end_of_run

MAX_BLOCK = 256 * 1024
"""Characters of a block that is not text. Text may be of any length: it is not held back."""
MAX_DEPTH = 64
"""Open objects and arrays in a block."""
TEXT = "text"

_SPACE = re.compile(r"[ \t\n\r]*+")
_SCALAR = re.compile(r"[-+.0-9A-Za-z]*+")
# A comma or the end of the object; the others are where a broken object gives way to what follows it.
_AFTER_CONTENT = ",}]{"
_TOKENS = {token.value: token for token in Token if token is not Token.SCALAR}


class Outcome(Enum):
    """How far an object has been read."""

    OPEN = auto()
    WHOLE = auto()
    BROKEN = auto()


class _Role(Enum):
    """What a string is to the block."""

    KEY = auto()
    TYPE = auto()
    CONTENT = auto()
    OTHER = auto()


class ObjectReader:
    """Reads one object from its ``{`` on, however it is cut.

    ``typed``: a key ``type`` was read, so it means to be a block. ``type``: its value, once it is a whole string.
    ``has_content``: its ``content`` is a string. ``shown``: some of that was taken as text. ``deepest``: the most
    objects and arrays that were open at once. Of a repeated ``type`` or ``content``, the first counts.
    """

    def __init__(self) -> None:
        self.outcome = Outcome.OPEN
        self.typed = False
        self.type: str | None = None
        self.has_content = False
        self.shown = False
        self.deepest = 0
        self._grammar = Grammar()
        self._key = ""
        self._string: StringDecoder | None = None
        self._role = _Role.OTHER
        self._word: list[str] = []
        self._scalar: list[str] = []
        self._quote: list[str] = []
        self._content: list[str] = []
        self._source: list[str] = []
        self._size = 0

    @property
    def source(self) -> str:
        """The object as written; empty when it is too much to keep, or when its text has been shown."""
        return "" if self.shown or self.excess else "".join(self._source)

    @property
    def excess(self) -> str | None:
        """What makes it too much for a block, if anything."""
        if self.deepest > MAX_DEPTH:
            return "it is nested too deeply"
        return "it is too large" if self._size > MAX_BLOCK else None

    def read(self, text: str, start: int) -> int:
        """Read on from ``start``; the position behind what belongs to the object."""
        position = start
        while position < len(text) and self.outcome is Outcome.OPEN:
            if self._string:
                position = self._read_string(self._string, text, position)
            else:
                position = self._read_token(text, position)
        self._keep(text, start, position)
        return position

    def passes(self, text: str) -> bool:
        """Whether ``text`` can be shown as it is. Nearly all of an answer can, and need not be read to be shown."""
        return self.shown and self._string is not None and self._role is _Role.CONTENT and self._string.passes(text)

    def take_text(self) -> str:
        """What can be shown by now of the text of a text block, and was not taken before."""
        if self.type != TEXT:
            return ""
        text = self.take_content()
        self.shown = self.shown or bool(text)
        return text

    def take_content(self) -> str:
        """The same of an object that does not come to say its type."""
        content = "".join(self._content)
        self._content.clear()
        return content

    def cut_off(self) -> None:
        """Nothing follows: let out what an open string holds back."""
        if self._string and self._role is _Role.CONTENT:
            self._content.append(self._string.flush())

    def _keep(self, text: str, start: int, end: int) -> None:
        if self.shown:
            self._source.clear()
            return
        self._size += end - start
        if self.excess:
            self._source.clear()
        else:
            self._source.append(text[start:end])

    def _read_token(self, text: str, position: int) -> int:
        if self._quote:
            return self._read_after_quote(text, position)
        token = _TOKENS.get(text[position])
        if token is None and (end := end_of_run(_SCALAR, text, position)) > position:
            return self._read_scalar(text, position, end)
        if self._scalar and not self._scalar_is_whole():
            return self._break(position)
        if token:
            return self._read_mark(token, position)
        end = end_of_run(_SPACE, text, position)
        return end if end > position else self._break(position)

    def _read_scalar(self, text: str, start: int, end: int) -> int:
        if not self._scalar and not self._grammar.accept(Token.SCALAR):
            return self._break(start)
        self._scalar.append(text[start:end])
        return end

    def _scalar_is_whole(self) -> bool:
        scalar = "".join(self._scalar)
        self._scalar.clear()
        return bool(NUMBER_OR_WORD.fullmatch(scalar))

    def _read_mark(self, token: Token, position: int) -> int:
        role = self._role_of_string() if token is Token.STRING else None
        if not self._grammar.accept(token):
            return self._break(position)
        if role:
            self._begin_string(role)
        self.deepest = max(self.deepest, self._grammar.depth)
        if not self._grammar.depth:
            self.outcome = Outcome.WHOLE
        return position + 1

    def _break(self, position: int) -> int:
        self.outcome = Outcome.BROKEN
        return position

    def _role_of_string(self) -> _Role:
        if self._grammar.depth > 1:
            return _Role.OTHER
        if self._grammar.awaits_key:
            return _Role.KEY
        if self._key == "type" and self.type is None:
            return _Role.TYPE
        if self._key == "content" and not self.has_content and self.type in {None, TEXT}:
            return _Role.CONTENT
        return _Role.OTHER

    def _begin_string(self, role: _Role) -> None:
        self._role = role
        self._string = StringDecoder()
        self._word.clear()
        self.has_content = self.has_content or role is _Role.CONTENT

    def _read_string(self, string: StringDecoder, text: str, start: int) -> int:
        decoded, position = string.read(text, start)
        if self._role is _Role.CONTENT:
            self._content.append(decoded)
        elif self._role is not _Role.OTHER:
            self._word.append(decoded)
        if string.closed:
            self._string = None
            self._end_string()
        return position

    def _end_string(self) -> None:
        match self._role:
            case _Role.KEY:
                self._key = "".join(self._word)
                self.typed = self.typed or self._key == "type"
            case _Role.TYPE:
                self.type = "".join(self._word)
                if self.type != TEXT:
                    self._content.clear()
            case _Role.CONTENT:
                self._quote = [QUOTE]
            case _Role.OTHER:
                pass

    def _read_after_quote(self, text: str, start: int) -> int:
        # Models forget to escape quotes. One that ends a string stands before a mark of JSON: any other is text.
        end = end_of_run(_SPACE, text, start)
        self._quote.append(text[start:end])
        if end == len(text):
            return end
        if text[end] not in _AFTER_CONTENT:
            self._content.extend(self._quote)
            self._string = StringDecoder()
        self._quote = []
        return end
