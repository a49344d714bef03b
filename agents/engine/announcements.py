"""Finds where a model's text announces or describes a call of a tool, in English and Italian. Pure."""

import json
import re
from collections.abc import Collection
from typing import Final

from pydantic import JsonValue

from agents.titles import plain
from agents.tools.rows import CARDS_SHOWN

_ANNOUNCED: Final = re.compile(
    r"[^.\n]*\b(?:parameters?|arguments?|parametri|argomenti)\b[^.\n]{0,40}:\s*\Z", re.IGNORECASE
)
"""``I will use the `list_tasks` function with the following parameters:``, before JSON with only the parameters."""
_LISTED: Final = re.compile(r"\s*[-*•]\s+[`\"*]*(\w+)[`\"*]*\s*[:=]\s*(.+)")
"""A parameter and its value, as an item of a list."""
_NO_VALUE: Final = frozenset({"", "none", "null", "n/a", "empty"})
_WORD: Final = re.compile(r"\w+")
_NAME: Final = re.compile(r"(?<=`)\w+(?=`)|\w+_\w+")
"""What can only be the name of a tool. A tool such as ``remember``, whose name is a word, must be in backticks."""
MAX_CHARS: Final = 240
"""The number of characters before that are examined."""
_SENTENCE_END: Final = re.compile(r"[.!?:\n]+\s*")
_CARDS_SHOWN: Final = plain(CARDS_SHOWN)
_LEFT_OUT: Final = plain("[Left out, since nothing was said of it:")
"""The beginning of what the executor adds to a result."""
_HEADS: Final = (
    *("to ", "in order to ", "let me ", "let's ", "first", "using ", "use ", "call ", "calling "),
    *(f"{who} {does} " for who in ("i", "we", "you") for does in ("will", "can", "need to", "would", "should")),
    *("i'll ", "i used ", "i have used ", "i am going to ", "i'm going to ", "we'll "),
    *("per ", "usero ", "uso ", "utilizzero ", "utilizzo ", "chiamo ", "chiamero ", "posso ", "puoi ", "devo "),
    "ho usato ",
    _CARDS_SHOWN,
    _LEFT_OUT,
    *("this is the ", "here is the ", "here are the ", "i'm sorry", "i am sorry", "sorry, ", "i apologi"),
    *(
        "i have changed nothing",
        "i have not changed",
        "i did not change",
        "nothing was changed",
        "nothing has been changed",
    ),
    *("non ho cambiato", "non ho modificato"),
    *("questa e la ", "ecco la ", "ecco il ", "mi dispiace", "mi scuso"),
)
"""The beginnings of ``plain`` sentences that may announce a call, or say nothing."""
_SAYS_NOTHING: Final = re.compile(
    r"(?:this|here) (?:is|are) the (?:\w+ )?(?:responses?|results?|outputs?) (?:from|of|to|for) .*|"
    r"(?:questa e|ecco) (?:la risposta|il risultato) (?:dell[oa'] ?|di |del |alla |per ).*|"
    r"(?:(?:i'm |i am )?sorry\b(?! to hear| about your| for your)|i apologi|mi dispiace\b(?! per (?:te|il tuo|la tua))|"
    r"mi scuso).*|"
    r"i have changed nothing.*|i (?:have|did) not chang.*|nothing (?:was|has been) changed.*|"
    r"non ho (?:cambiato|modificato) (?:niente|nulla).*",
)
"""``plain`` sentences that are shown only if there is nothing else to say."""
_MAX_HEAD_CHARS: Final = 64
"""The number of characters that are compared with ``_HEADS``."""
_BEFORE_HEAD: Final = " \t*_>#-"


class Announcements:
    """Finds where a message announces a call, while it is being written. Users do not want to read that.

    An announcement is a sentence with the name of one of ``tools``, such as ``To see the tasks, I will use the
    `list_tasks` function.``, and all text after it; or a last sentence that ends with a colon. A last sentence that is
    an apology, ``I have changed nothing.`` or ``This is the response from the tool.`` is treated alike: a call may
    follow, or the server adds something better. What the model was told about the user's cards is never shown.
    """

    def __init__(self, tools: Collection[str]) -> None:
        self._tools = tools
        self._begin = self._read = 0
        self._is_passed = False
        """Whether the sentence that is being written is shown, however it ends."""
        self.is_found = False
        """Whether a tool was named, so that nothing more is shown."""
        self.is_ours = False
        """Whether the rest repeats what only the model was told, so that it is never shown."""

    def shown(self, text: str, *, ended: bool) -> int:
        """How many characters of ``text`` announce nothing. ``text`` begins with that of the call before.

        Unless the text has ``ended``, an incomplete last sentence may still announce something.
        """
        while self._tools and not self.is_found and self._begin < len(text):
            end = _SENTENCE_END.search(text, self._read)
            is_whole = ended or end is not None
            said = text[self._begin : end.end() if end else len(text)]
            if not self._is_passed and self._announces(said, text, is_whole=is_whole):
                break
            if end is None:
                self._is_passed, self._read = True, len(text)
                return len(text)
            self._begin, self._read, self._is_passed = end.end(), end.end(), False
        if not self._tools or self._begin == len(text):
            return len(text)
        rest = text[self._begin :]
        return self._begin + len(rest) - len(rest.lstrip())

    def _announces(self, said: str, text: str, *, is_whole: bool) -> bool:
        """Whether the sentence ``said`` in ``text`` announces something, or may do so once it is complete."""
        if not _may_announce(said[:_MAX_HEAD_CHARS], is_whole=is_whole) or (not is_whole and len(said) > MAX_CHARS):
            return False
        folded = _plain(said)
        self.is_ours = folded in (_CARDS_SHOWN, _LEFT_OUT)
        self.is_found = self.is_ours or any(name in self._tools for name in _NAME.findall(said))
        is_last = not text[self._begin + len(said) :].strip()
        introduces = said.rstrip().endswith(":") or _SAYS_NOTHING.fullmatch(folded) is not None
        return self.is_found or (introduces and is_last) or not is_whole


def _plain(sentence: str) -> str:
    return plain(sentence.lstrip(_BEFORE_HEAD).replace("’", "'"))


def _may_announce(sentence: str, *, is_whole: bool) -> bool:
    begun = _plain(sentence)
    return any(f"{begun} ".startswith(head) or (not is_whole and head.startswith(begun)) for head in _HEADS)


def described_call(text: str, tools: Collection[str]) -> tuple[str, str] | None:
    """The name and arguments of the call that ``text`` describes, if it describes exactly one of ``tools``; else None.

    Such as ``I used the `read` function with the following parameters:`` and a list of them, without a call.
    """
    found: list[tuple[str, dict[str, JsonValue]]] = []
    is_listing = False
    for line in text.splitlines():
        if name := announced(line[-MAX_CHARS:], tools):
            found.append((name, {}))
            is_listing = True
        elif is_listing and (item := _LISTED.fullmatch(line)):
            if (value := item[2].strip().strip("`").rstrip(",")).strip("\"'").casefold() not in _NO_VALUE:
                found[-1][1][item[1]] = _value(value)
        else:
            is_listing = is_listing and not line.strip()
    if len(found) != 1 or not found[0][1]:
        return None
    name, arguments = found[0]
    return name, json.dumps(arguments, ensure_ascii=False)


def announced(text: str, tools: Collection[str]) -> str:
    """The only one of ``tools`` that the sentence at the end of ``text`` names, if it announces its arguments."""
    sentence = _ANNOUNCED.search(text)
    named = {name for name in _WORD.findall(sentence[0]) if name in tools} if sentence else set()
    return named.pop() if len(named) == 1 else ""


def _value(written: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(written)
    except (ValueError, RecursionError):
        return written.strip("\"'")
    return value
