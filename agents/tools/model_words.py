"""What a model meant to say, out of what it wrote around it: thoughts, fences, prose about JSON. Pure."""

import json
import re
from collections.abc import Iterator
from typing import Final

from pydantic import JsonValue

_MOST_READ: Final = 100_000
"""How much of an answer is looked at, in characters."""
_MOST_BROKEN: Final = 300
"""How many brackets that begin no JSON are passed over before the search ends."""

_THOUGHTS: Final = re.compile(r"<think>.*?(?:</think>|$)", re.DOTALL | re.IGNORECASE)
_FENCE: Final = "```"
_OPENING: Final = re.compile(r"[{\[]")


def prose(words: str, longest: int) -> str:
    """The text itself, in at most ``longest`` characters; empty when there is none."""
    return shortened(_out_of_json(_unfenced(spoken(words))), longest)


def spoken(words: str) -> str:
    """``words`` without the thoughts before them, and without half characters, which nothing can store."""
    text = _THOUGHTS.sub("", words[:_MOST_READ])
    # Some servers cut the opening tag off.
    return text.rpartition("</think>")[2].encode("utf-8", "ignore").decode().strip()


def json_values(text: str) -> Iterator[tuple[str, JsonValue]]:
    """Every JSON object and array in ``text``, with the text before it; of a broken one, those within it.

    Last comes the text behind them, with None.
    """
    decoder = json.JSONDecoder()
    behind = at = broken = 0
    while broken < _MOST_BROKEN and (found := _OPENING.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            at = found.end()
            broken += 1
        else:
            yield text[behind : found.start()], value
            behind = at
    yield text[behind:], None


def _unfenced(text: str) -> str:
    first, _, rest = text.partition("\n")
    if not (first.startswith(_FENCE) and rest.endswith(_FENCE)):
        return text
    return rest.removesuffix(_FENCE).strip()


def _out_of_json(text: str) -> str:
    """The longest text of the JSON that a model wrote instead of prose."""
    if not text.startswith(("{", "[")):
        return text
    texts = [said for _, value in json_values(text) for said in _texts_in(value)]
    return max(texts, key=len).strip() if texts else text


def _texts_in(value: JsonValue) -> Iterator[str]:
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, str):
            # JSON may hold half characters that its own text does not.
            yield part.encode("utf-8", "ignore").decode()
        elif isinstance(part, dict | list):
            left.extend(part.values() if isinstance(part, dict) else part)


def shortened(text: str, limit: int) -> str:
    """``text`` in at most ``limit`` characters, cut between words."""
    if len(text) <= limit:
        return text
    head, space, _ = text[: limit - 1].rpartition(" ")
    return f"{head if space and len(head) > limit // 2 else text[: limit - 1]}…"
