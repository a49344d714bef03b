"""The source of one block, as the reader found it, turned into values."""

import json
import math
import re

from chat.formatters.strings import mended

_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_HALF_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")


def values_of(source: str) -> dict[str, object]:
    """The fields of the object ``source``, whose grammar was followed already.

    Strings come out as the reader's text does: a backslash that begins no escape is text, line breaks may stand as
    they are, half a surrogate pair is U+FFFD. Raises ``ValueError`` for a number that is not finite or too long.
    """
    values: dict[str, object] = _JSON.decode(_ESCAPE.sub(_escaped, source) if "\\" in source else source)
    if not _HALF_ESCAPED.search(source):
        return values
    whole: dict[str, object] = json.loads(mended(json.dumps(values, ensure_ascii=False)))
    return whole


def _escaped(found: re.Match[str]) -> str:
    return r"\\" if found[0] == "\\" else found[0]


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError("a number is not finite")
    return value


_JSON = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=_finite)
