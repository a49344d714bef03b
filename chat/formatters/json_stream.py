"""Incremental parsing of JSON: a decoder of strings, a checker of the grammar, and a reader of one object.

The text may be cut anywhere. Nothing is read twice, so the cost is linear in the length of the text.
"""

import json
import re
from enum import Enum

QUOTE = '"'
MAX_BLOCK = 256 * 1024
"""In characters. A text block may have any length, because it is not held back."""
MAX_DEPTH = 64
"""How many objects and arrays may be open in a block."""
TEXT = "text"
TEXT_TYPES = frozenset({TEXT, "markdown", "paragraph", "string", "message", "answer"})
"""The names that models give to the type of a text block."""
CONTENT_KEYS = frozenset({"content", TEXT, "markdown"})
"""The names that models give to its text."""
NUMBER_OR_WORD = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null|NaN|-?Infinity")
"""Any scalar except a string. The last two are not JSON: a block with one is rejected later, as a whole."""

_SURROGATE = re.compile("[\ud800-\udfff]")
# Possessive, so that the search does not backtrack in a long run.
_RUN = re.compile(r'(?:[^"\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_PLAIN = re.compile('[^"\\\\\ud800-\udfff]++')
_ESCAPE_PREFIX = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{0,4})')
_UNICODE_ESCAPE = 6
# Models write unescaped line breaks into strings, which JSON forbids.
_JSON = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[ \t\n\r]*+")
_SCALAR = re.compile(r"[-+.0-9A-Za-z]*+")
# A comma or the end of the object. The other two break the object, so that the next block is found.
_AFTER_CONTENT = ",}]{"


def joined_surrogates(text: str) -> str:
    """``text`` with joined surrogate pairs, and with U+FFFD instead of lone surrogates."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def end_of_run(run: re.Pattern[str], text: str, start: int) -> int:
    """The position after the match of ``run`` at ``start``."""
    match = run.match(text, start)
    return match.end() if match else start


class SurrogateJoiner:
    """Joins surrogate pairs that are cut between two texts. Its output has no lone surrogates."""

    __slots__ = ("_half",)

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        """``text``, except for a high surrogate at its end, which is held back."""
        if self._half:
            text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return joined_surrogates(text)

    @property
    def is_empty(self) -> bool:
        return not self._half

    def flush(self) -> str:
        """The half that is held back, as U+FFFD."""
        half, self._half = self._half, ""
        return joined_surrogates(half)


class StringDecoder:
    """Decodes one JSON string, after its opening quote.

    A backslash that begins no escape of JSON is text, because models write ``50\\%`` and ``C:\\data``.
    """

    __slots__ = ("_escape", "_joiner", "closed")

    def __init__(self) -> None:
        self.closed = False
        self._escape = ""
        self._joiner = SurrogateJoiner()

    def read(self, text: str, start: int) -> tuple[str, int]:
        """The part of the string in ``text`` from ``start`` on, decoded, and the position after it.

        Only an incomplete escape is held back. ``closed`` is set when the closing quote is read.
        """
        decoded: list[str] = []
        position = start
        while position < len(text) and not self.closed:
            if self._escape:
                position = self._read_escape(text, position, decoded)
            elif text[position] == QUOTE:
                self.closed = True
                position += 1
            elif (end := end_of_run(_RUN, text, position)) > position:
                run = text[position:end]
                decoded.append(_JSON.decode(f'"{run}"') if "\\" in run else run)
                position = end
            else:  # a backslash without a whole escape after it
                self._escape = text[position]
                position += 1
        whole = self._joiner.feed("".join(decoded))
        return (whole + self._joiner.flush() if self.closed else whole), position

    def passes(self, text: str) -> bool:
        """Whether ``text`` decodes to itself, and nothing is held back."""
        return not self._escape and self._joiner.is_empty and _PLAIN.fullmatch(text) is not None

    def flush(self) -> str:
        """The end of a string that was cut off, without an incomplete escape."""
        return self._joiner.flush()

    def _read_escape(self, text: str, position: int, decoded: list[str]) -> int:
        escape = self._escape + text[position]
        if not _ESCAPE_PREFIX.fullmatch(escape):
            decoded.append(self._escape)
            self._escape = ""
            return position
        is_whole = escape[1] != "u" or len(escape) == _UNICODE_ESCAPE
        if is_whole:
            decoded.append(_JSON.decode(f'"{escape}"'))
        self._escape = "" if is_whole else escape
        return position + 1


class Token(Enum):
    """A token, by its first character. ``SCALAR`` is any number or word."""

    OPEN_OBJECT = "{"
    CLOSE_OBJECT = "}"
    OPEN_ARRAY = "["
    CLOSE_ARRAY = "]"
    COMMA = ","
    COLON = ":"
    STRING = '"'
    SCALAR = "0"


Expect = Enum("Expect", ["VALUE", "VALUE_OR_END", "KEY", "KEY_OR_END", "COLON", "COMMA_OR_END"])
"""The token that may come next."""
_AFTER_VALUE = {
    Token.SCALAR: Expect.COMMA_OR_END,
    Token.STRING: Expect.COMMA_OR_END,
    Token.OPEN_OBJECT: Expect.KEY_OR_END,
    Token.OPEN_ARRAY: Expect.VALUE_OR_END,
}
_FOLLOWING = {
    Expect.VALUE: _AFTER_VALUE,
    Expect.VALUE_OR_END: {**_AFTER_VALUE, Token.CLOSE_ARRAY: Expect.COMMA_OR_END},
    Expect.KEY: {Token.STRING: Expect.COLON},
    Expect.KEY_OR_END: {Token.STRING: Expect.COLON, Token.CLOSE_OBJECT: Expect.COMMA_OR_END},
    Expect.COLON: {Token.COLON: Expect.VALUE},
    Expect.COMMA_OR_END: {
        Token.COMMA: Expect.VALUE,
        Token.CLOSE_OBJECT: Expect.COMMA_OR_END,
        Token.CLOSE_ARRAY: Expect.COMMA_OR_END,
    },
}
_OPENED_BY = {Token.CLOSE_OBJECT: Token.OPEN_OBJECT, Token.CLOSE_ARRAY: Token.OPEN_ARRAY}
_OPENERS = frozenset(_OPENED_BY.values())


class Grammar:
    """Checks the tokens of one JSON value, of any depth, without recursion and look-ahead.

    A comma before a closing bracket is allowed.
    """

    __slots__ = ("_open", "expect")

    def __init__(self) -> None:
        self.expect = Expect.VALUE
        self._open: list[Token] = []

    @property
    def depth(self) -> int:
        """The number of open objects and arrays."""
        return len(self._open)

    def accept(self, token: Token) -> bool:
        """Take the next token. Returns whether it is allowed here."""
        following = _FOLLOWING[self.expect].get(token)
        inside = self._open[-1] if self._open else None
        if following is None or (token is Token.COMMA and inside is None):
            return False
        if token in _OPENED_BY:
            if inside is not _OPENED_BY[token]:
                return False
            self._open.pop()
        elif token in _OPENERS:
            self._open.append(token)
        elif token is Token.COMMA and inside is Token.OPEN_OBJECT:
            following = Expect.KEY_OR_END
        elif token is Token.COMMA:
            following = Expect.VALUE_OR_END
        self.expect = following
        return True


_TOKENS = {token.value: token for token in Token if token is not Token.SCALAR}


Outcome = Enum("Outcome", ["OPEN", "WHOLE", "BROKEN"])
"""Whether an object can continue, is complete, or is not JSON."""
_Role = Enum("_Role", ["KEY", "TYPE", "CONTENT", "OTHER"])
"""The role of a string in the block."""


class ObjectReader:
    """Reads one object, beginning with its ``{``.

    ``typed``: a key ``type`` was read, so the object is meant as a block. ``type``: its value, once it is complete.
    ``has_content``: the ``content`` is a string. ``shown``: some of the content was taken as text. ``deepest``: the
    largest number of objects and arrays that were open at once. ``keyed``: there is a key and a colon, so the object is
    meant as JSON. If ``type`` or the content is repeated, the first one counts.
    """

    def __init__(self) -> None:
        self.outcome = Outcome.OPEN
        self.typed = False
        self.type: str | None = None
        self.has_content = False
        self.shown = False
        self.deepest = 0
        self.keyed = False
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
        self._filled = False

    @property
    def source(self) -> str:
        """The object as written; empty if it is too large, or if some of its content was shown."""
        return "" if self.shown or self.excess else "".join(self._source)

    @property
    def empty(self) -> bool:
        """Whether no key was read."""
        return not self._filled

    @property
    def excess(self) -> str | None:
        """Why the object is too large for a block; None if it is not."""
        if self.deepest > MAX_DEPTH:
            return "it is nested too deeply"
        return "it is too large" if self._size > MAX_BLOCK else None

    def read(self, text: str, start: int) -> int:
        """Read ``text`` from ``start`` on. Returns the position after the part that belongs to the object."""
        position = start
        while position < len(text) and self.outcome is Outcome.OPEN:
            if self._string:
                position = self._read_string(self._string, text, position)
            else:
                position = self._read_token(text, position)
        self._size += position - start
        if self.shown or self.excess:
            self._source.clear()
        else:
            self._source.append(text[start:position])
        return position

    def passes(self, text: str) -> bool:
        """Whether ``text`` can be shown without being read, as most of an answer can."""
        return self.shown and self._string is not None and self._role is _Role.CONTENT and self._string.passes(text)

    def take_text(self) -> str:
        """The new text of a text block that can be shown."""
        if self.type != TEXT:
            return ""
        text = self.take_content()
        self.shown = self.shown or bool(text)
        return text

    def take_content(self) -> str:
        """As ``take_text``, also for an object without a type."""
        content = "".join(self._content)
        self._content.clear()
        return content

    def cut_off(self) -> None:
        """Note that the message has ended within the object."""
        if self._string and self._role is _Role.CONTENT:
            self._content.append(self._string.flush())

    def _read_token(self, text: str, position: int) -> int:
        if self._quote:
            return self._read_after_quote(text, position)
        token = _TOKENS.get(text[position])
        if token is None and (end := end_of_run(_SCALAR, text, position)) > position:
            if not self._scalar and not self._grammar.accept(Token.SCALAR):
                return self._break(position)
            self._scalar.append(text[position:end])
            return end
        if self._scalar:
            scalar, self._scalar = "".join(self._scalar), []
            if not NUMBER_OR_WORD.fullmatch(scalar):
                return self._break(position)
        if token:
            return self._read_mark(token, position)
        end = end_of_run(_SPACE, text, position)
        return end if end > position else self._break(position)

    def _read_mark(self, token: Token, position: int) -> int:
        role = self._role_of_string() if token is Token.STRING else None
        if not self._grammar.accept(token):
            return self._break(position)
        if role:
            self._role, self._string = role, StringDecoder()
            self._word.clear()
            self.has_content = self.has_content or role is _Role.CONTENT
        self.deepest = max(self.deepest, self._grammar.depth)
        self._filled = self._filled or token is Token.STRING
        self.keyed = self.keyed or token is Token.COLON
        if not self._grammar.depth:
            self.outcome = Outcome.WHOLE
        return position + 1

    def _break(self, position: int) -> int:
        self.outcome = Outcome.BROKEN
        return position

    def _role_of_string(self) -> _Role:
        if self._grammar.depth > 1:
            return _Role.OTHER
        if self._grammar.expect in {Expect.KEY, Expect.KEY_OR_END}:
            return _Role.KEY
        if self._key == "type" and self.type is None:
            return _Role.TYPE
        if self._key in CONTENT_KEYS and not self.has_content and self.type in {None, TEXT}:
            return _Role.CONTENT
        return _Role.OTHER

    def _read_string(self, string: StringDecoder, text: str, start: int) -> int:
        decoded, position = string.read(text, start)
        if self._role is _Role.CONTENT:
            self._content.append(decoded)
        elif self._role is not _Role.OTHER:
            self._word.append(decoded)
        if not string.closed:
            return position
        self._string = None
        if self._role is _Role.KEY:
            self._key = "".join(self._word)
            self.typed = self.typed or self._key == "type"
        elif self._role is _Role.TYPE:
            self.type = "".join(self._word)
            if self.type.lower() in TEXT_TYPES:
                self.type = TEXT
            if self.type != TEXT:
                self._content.clear()
        elif self._role is _Role.CONTENT:
            self._quote = [QUOTE]
        return position

    def _read_after_quote(self, text: str, start: int) -> int:
        # Models forget to escape quotes. A quote ends the string only before punctuation of JSON.
        end = end_of_run(_SPACE, text, start)
        self._quote.append(text[start:end])
        if end == len(text):
            return end
        if text[end] not in _AFTER_CONTENT:
            self._content.extend(self._quote)
            self._string = StringDecoder()
        self._quote = []
        return end
