"""The words that say what a text is about, and the names in it. Pure."""

import re
import unicodedata
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_STOP_WORDS: Final = frozenset(
    _WORD.findall(
        "the and are was were has have had for from with that this what which who when where how not but you your user "
        "users said says say asked ask asks asking answer answered answers assistant wanted want wants told tell tells "
        "requested request show shows showed list listed lists give gave given please there they them their its all "
        "any some can could would should about into been being did does done just now today tomorrow yesterday "
        "monday tuesday wednesday thursday friday saturday sunday "
        "gli del della delle dei degli dal dalla dalle nel nella nelle sul sulla che chi cosa come quando dove quale "
        "quali non per con tra fra una uno sono era erano hanno aveva questo questa questi queste tutti tutte suo sua "
        "suoi sue mio mia miei mie utente detto chiesto chiede risposta risposto assistente vuole voleva mostra "
        "mostrato elenca elencato dammi favore oggi domani ieri lunedi martedi mercoledi giovedi venerdi sabato "
        "domenica"
    )
)
_NOT_NAMES: Final = frozenset(
    _WORD.findall(
        "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
        "september october november december user assistant the this that answer utente risposta"
    )
)
_PART: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SENTENCE_STARTS_AFTER: Final = frozenset('.!?:…“”"«»(\n')


def words_in(text: str) -> list[str]:
    """The words without stop words, each once, without case and accents."""
    return list(dict.fromkeys(word for word in _WORD.findall(folded(text)) if word not in _STOP_WORDS))


def names_in(text: str) -> set[str]:
    """Runs of capitalised words in the middle of a sentence."""
    names: set[str] = set()
    run: list[re.Match[str]] = []
    for part in _PART.finditer(text):
        if not _is_name(part, text):
            names.add(_name(run))
            run = []
        elif run and part.start() == run[-1].end() + 1 and text[run[-1].end()] == " ":
            run.append(part)
        else:
            names.add(_name(run))
            run = [part]
    names.add(_name(run))
    return names - {""}


def folded(text: str) -> str:
    """``text`` without case and accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(mark for mark in parts if not unicodedata.combining(mark))


def _is_name(part: re.Match[str], text: str) -> bool:
    word, before = part.group(), text[: part.start()].rstrip(" ")
    begins = not before or before[-1] in _SENTENCE_STARTS_AFTER
    return len(word) > 1 and word[0].isupper() and not begins and folded(word) not in _NOT_NAMES


def _name(run: list[re.Match[str]]) -> str:
    return " ".join(part.group() for part in run)
