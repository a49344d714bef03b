"""Texts that a user wants written, such as drafts and translations, in English and Italian."""

import re
from typing import Final

from agents.engine.sentences import THING, examined, unquoted

_TEXTS: Final = (
    r"(?:drafts?|e-?mails?|mails?|messages?|texts?|sms|repl(?:y|ies)|responses?|answers?|letters?|posts?|tweets?|poems?|"
    r"haikus?|limericks?|songs?|stor(?:y|ies)|speech(?:es)?|toasts?|jokes?|announcements?|invitations?|paragraphs?|"
    r"sentences?|captions?|articles?|essays?|wording|"
    r"bozz[ae]|messaggi[oi]?|test[oi]|rispost[ae]|letter[ae]|poesi[ae]|canzon[ei]|stori[ae]|discors[oi]|annunci[oi]?|"
    r"invit[oi]|paragraf[oi]|fras[ei]|didascali[ae]|articol[oi]|battut[ae])"
)
_WANTS_TEXT: Final = re.compile(
    r"\W*(?:(?:please|now|and|then|ok|okay|thanks|hi|hello|(?:can|could|would|will) you|i (?:need|want) you to|"
    r"help me(?: to)?|let['’]s|per favore|ora|adesso|e|poi|grazie|ciao|puoi|potresti|mi|aiutami a)\b\W*)*(?:"
    r"(?:draft|compose|word|phrase|rephrase|reword|rewrite|paraphrase|translate|proofread|polish|shorten|reply|respond|"
    r"tradu\w+|riscriv\w+|riformul\w+|parafras\w+|corregg\w+|abbozz\w+|rispond\w+)\b"
    rf"(?! (?:(?:the|my|this|that|an?|il|la|le|i|mi[ao]|quest[ao]|un[ao]?) |l['’])(?:\w+ )?{THING}\b)|"
    r"(?:write|make|give|suggest|prepare|create|i need|i want|i['’]d like|scriv\w+|prepar\w+|compon\w+|fammi|dammi|"
    rf"suggeri\w+|invent\w+|crea\w*|mi serve|vorrei)(?: (?!{THING}\b)[\w'’]+){{0,4}}[ '’]{_TEXTS}\b"
    rf"(?! (?:\w+ )?{THING}\b))",
    re.IGNORECASE,
)
_WANTS_MORE: Final = re.compile(
    r"(?:\b(?:and|then|e|ed|poi)|[,;.])\s+(?:please |then |poi )?"
    r"(?:save|add|create|store|put|keep|attach|update|mark|delete|"
    r"salva\w*|aggiung\w*|crea\w*|mett\w*|aggiorn\w*|segn\w*|elimin\w*)"
    rf"\b[^.\n]*\b{THING}s?\b",
    re.IGNORECASE,
)


def asks_for_text(message: str) -> bool:
    """Whether the user's ``message`` asks for a text, such as a draft or a translation, and for no change of a row.

    What such an answer says in the first person is not what the assistant has done.
    """
    asked = unquoted(examined(message))
    return _WANTS_TEXT.match(asked) is not None and not _WANTS_MORE.search(asked)
