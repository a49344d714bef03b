"""The grammar of JSON, one token after the other: to any depth, without recursion, and without looking ahead."""

import re
from enum import Enum, auto

NUMBER_OR_WORD = re.compile(
    r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null|NaN|-?Infinity",
)
"""A whole scalar that is no string. The last two are not JSON, but well placed: their block is told what is wrong."""


class Token(Enum):
    """A token, by the character it begins with; ``SCALAR`` is any number or word."""

    OPEN_OBJECT = "{"
    CLOSE_OBJECT = "}"
    OPEN_ARRAY = "["
    CLOSE_ARRAY = "]"
    COMMA = ","
    COLON = ":"
    STRING = '"'
    SCALAR = "0"


class Expect(Enum):
    """What may come next."""

    VALUE = auto()
    VALUE_OR_END = auto()
    KEY = auto()
    KEY_OR_END = auto()
    COLON = auto()
    COMMA_OR_END = auto()


_VALUES = frozenset({Expect.VALUE, Expect.VALUE_OR_END})
_KEYS = frozenset({Expect.KEY, Expect.KEY_OR_END})
_OBJECT_ENDS = frozenset({Expect.KEY_OR_END, Expect.COMMA_OR_END})
_ARRAY_ENDS = frozenset({Expect.VALUE_OR_END, Expect.COMMA_OR_END})
_COLONS = frozenset({Expect.COLON})
_COMMAS = frozenset({Expect.COMMA_OR_END})


class Grammar:
    """Follows one JSON value: ``depth`` is the number of open objects and arrays."""

    __slots__ = ("_open", "expect")

    def __init__(self) -> None:
        self.expect = Expect.VALUE
        self._open: list[Token] = []

    @property
    def depth(self) -> int:
        return len(self._open)

    @property
    def awaits_key(self) -> bool:
        return self.expect in _KEYS

    def accept(self, token: Token) -> bool:
        """Move on by ``token``; false when it may not stand here."""
        match token:
            case Token.OPEN_OBJECT | Token.OPEN_ARRAY:
                return self._enter(token)
            case Token.CLOSE_OBJECT:
                return self._leave(Token.OPEN_OBJECT, _OBJECT_ENDS)
            case Token.CLOSE_ARRAY:
                return self._leave(Token.OPEN_ARRAY, _ARRAY_ENDS)
            case Token.COMMA:
                return self._separate()
            case Token.COLON:
                return self._step(_COLONS, Expect.VALUE)
            case Token.STRING if self.awaits_key:
                return self._step(_KEYS, Expect.COLON)
            case _:
                return self._step(_VALUES, Expect.COMMA_OR_END)

    def _enter(self, opener: Token) -> bool:
        inside = Expect.KEY_OR_END if opener is Token.OPEN_OBJECT else Expect.VALUE_OR_END
        if not self._step(_VALUES, inside):
            return False
        self._open.append(opener)
        return True

    def _leave(self, opener: Token, ends: frozenset[Expect]) -> bool:
        if not self._open or self._open[-1] is not opener or not self._step(ends, Expect.COMMA_OR_END):
            return False
        self._open.pop()
        return True

    def _separate(self) -> bool:
        if not self._open:
            return False
        following = Expect.KEY if self._open[-1] is Token.OPEN_OBJECT else Expect.VALUE
        return self._step(_COMMAS, following)

    def _step(self, allowed: frozenset[Expect], following: Expect) -> bool:
        if self.expect not in allowed:
            return False
        self.expect = following
        return True
