"""Which of the user's sentences state something and which ask for a change, in English and Italian. Pure."""

import re
from collections.abc import Iterable
from typing import Final

from agents.titles import plain

_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+|\n+")
_QUESTION: Final = re.compile(r"\?[\s!?…\"'”’»)\]]*$")
_POLITE: Final = re.compile(
    r"\b(?:(?:can|could|would|will|won['’]?t) you (?:please |kindly )?"
    r"(?:note|remember|keep|save|store|memori[sz]e|forget|delete|remove|erase|clear|drop)"
    r"|(?:puoi|potresti|vuoi|riesci a) (?:per favore )?"
    r"(?:ricord|memorizz|annot|segn|tener|salv|dimentic|scord|cancell|elimin|rimuov|togli))"
)
"""How a question asks for something to be kept or forgotten, in plain letters."""
_TO_YOU: Final = re.compile(
    r"\b(?:(?:can|could|would|will|won['’]?t|why don['’]?t) (?:you|we)|puoi|potresti|vuoi|riesci a|potete|possiamo)\b"
)
"""How a question asks for something to be done, in plain letters."""
_FORGETS: Final = re.compile(r"\b(?:forget|dimentic|scord)")
_OF_ROWS: Final = re.compile(
    r"\b(?:tasks?|to-?dos?|notes?|projects?|comments?|checkpoints?|milestones?|events?|lists?|"
    r"attivita|not[ae]|appunt[oi]|progett[oi]|comment[oi]|traguard[oi]|event[oi]|list[ae]|elenc(?:o|hi))\b"
)
_BY_OTHERS: Final = re.compile(r"\b(?:i|we|he|she|they|who|io|noi|lui|lei|loro|ho|abbiamo|ha|hanno)\b")
_BY_YOU: Final = re.compile(rf"\b(?:you|let['’]?s|ti|tu)\b|{_POLITE.pattern}")
"""What in a clause asks the assistant to do it, in plain letters."""
_CLAUSE_END: Final = re.compile(r"[,;:]")
_LOOKS: Final = re.compile(
    r"\W*(?:(?:hi|hello|hey|ok|okay|please|now|and|then|so|ciao|per favore|ora|adesso|e|poi)\b\W*)*"
    r"(?:(?:(?:can|could|would|will) you|puoi|potresti|vuoi|i (?:want|need|would like|['’]d like) (?:you )?to"
    r"|(?:vorrei|voglio)(?: che (?:tu )?mi)?) (?:please |kindly |just |per favore )?)?"
    r"(?:tell|show|give (?:me|us)|list|read|find|search|summari[sz]e|describe|explain|translate|quote|help|what|which"
    r"|check(?! off)|compare|count|(?:have a )?look|let me (?:know|see)|open|remind me|review|say|see"
    r"|who|when|where|why|how|is|are|was|were|did|does"
    r"|(?:write|draft|compose)(?: me| us)? an? (?:(?:e-?)?mail|haiku|joke|letter|message|poem|post|reply|story|summary"
    r"|text)"
    r"|dimmi|dirmi|dammi|darmi|parl\w+|mostra\w*|elenca\w*|legg\w+|trova\w*|cerca\w*|riassum\w+|descriv\w+|spiega\w*"
    r"|apri\w*|confront\w+|controll\w+|fammi (?:sapere|vedere)|guarda\w*|ricordami"
    r"|traduc\w+|cita\w*|aiuta\w*|che|cosa|qual[ei]|quando|chi|dove|perche|come|quant[oaie]"
    r"|scriv\w+ una? (?:(?:e-?)?mail|lettera|messaggio|poesia|riassunto|risposta|testo))\b"
)
"""How a sentence begins that wants something shown or said, in plain letters."""
_ALTERS: Final = re.compile(
    r"\b(?:add|archive|assign|call|change|close|complete|create|delay|delete|edit|finish|make|mark|move|postpone|put"
    r"|remove|rename|reopen|reschedule|restore|schedule|set|tick|turn|undo|update"
    r"|(?:aggiung|aggiorn|annull|archivi|assegn|cambi|cancell|chiud|complet|crea|elimin|impost|mett|modific|riapr|rimand"
    r"|rimuov|rinomin|rinvi|ripristin|segn|spost|togli)\w*)\b"
)
"""Words of such a sentence that want something changed all the same."""
_FORBIDS: Final = re.compile(
    r"(?:please |per favore )?(?:do not|don['’]?t|never|leave|non|mai|lascia\w*)\b(?!.*\b(?:forget|dimentic|scord))"
)
"""How a sentence begins that wants something left as it is, in plain letters."""
_EXCEPTS: Final = re.compile(
    r"\b(?:except|but (?:not|do not|don['’]?t|never|leave)|other than|apart from|tranne|eccetto|fuorché"
    r"|ma (?:non|lascia))\b[^;\n]*",
    re.IGNORECASE,
)
"""What of a sentence says what is to be left as it is."""
_THANKS: Final = re.compile(r"(?:many thanks|thanks|thank you|sorry|grazie|scusa(?:mi)?)\b[^,;:]*")
"""A sentence that asks for nothing, in plain letters."""


def sentences(written: str) -> list[str]:
    """The sentences and lines of ``written``."""
    return [sentence for part in _SENTENCE_END.split(written) if (sentence := part.strip())]


def statements(written: str) -> list[str]:
    """The sentences that tell something or ask for something to be kept or forgotten.

    A question does not: “Does Bob pay?” is not “Bob pays”, and “Did you delete it?” deletes nothing.
    """
    return [each for each in sentences(written) if not _QUESTION.search(each) or _POLITE.search(plain(each))]


def may_order(sentence: str, verbs: Iterable[str]) -> bool:
    """Whether a clause of ``sentence`` may be an order with one of ``verbs``, and not say what someone does.

    “I often forget it” and “They deleted it” are none, but “I want you to forget it” is. ``verbs`` are in the form of
    an order, in English and Italian.
    """
    wanted = re.compile(rf"\b(?:{'|'.join(map(_ordering, verbs))})\b")
    found = ((clause, wanted.search(clause)) for clause in _CLAUSE_END.split(plain(sentence)))
    return any(
        _BY_YOU.search(clause) or not _BY_OTHERS.search(clause[: verb.start()])
        for clause, verb in found
        if verb is not None
    )


def _ordering(verb: str) -> str:
    """The pattern of the forms of ``verb`` that may order: the Italian ones with endings, such as “dimenticalo”."""
    return rf"{verb[:-1]}(?!o\b|at[oaie]\b|ano\b)\w*" if verb.endswith(("a", "i")) else verb


def is_of_rows(sentence: str, words: Iterable[str]) -> bool:
    """Whether ``sentence`` may want rows deleted, of which ``words`` do not speak. No row is forgotten."""
    told, asked = " ".join(map(plain, words)), plain(sentence)
    return not _FORGETS.search(asked) and any(kind not in told for kind in _OF_ROWS.findall(asked))


def requests(written: str) -> str:
    """The sentences that may ask for a change.

    No thanks do, nor what wants something shown, said or left as it is, nor a question, unless it asks whether it can
    be done.
    """
    asking = (each for each in sentences(written) if not _QUESTION.search(each) or _TO_YOU.search(plain(each)))
    return "\n".join(_EXCEPTS.sub("", each) for each in asking if not _changes_nothing(plain(each)))


def _changes_nothing(sentence: str) -> bool:
    if _THANKS.fullmatch(sentence) or _FORBIDS.match(sentence):
        return True
    return _LOOKS.match(sentence) is not None and not _ALTERS.search(sentence)
