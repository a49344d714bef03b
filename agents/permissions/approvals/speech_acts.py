"""The user's sentences that state something, and those that ask for a change, in English and Italian. Pure."""

import re
from collections.abc import Iterable
from typing import Final

from agents.titles import plain
from memory.search.words import sentences_of

_QUESTION: Final = re.compile(r"\?[\s!?…\"'”’»)\]]*$")
_ASKS_TO_REMEMBER: Final = re.compile(
    r"\b(?:(?:can|could|would|will|won['’]?t) you (?:please |kindly )?"
    r"(?:note|remember|keep|save|store|memori[sz]e|forget|delete|remove|erase|clear|drop)"
    r"|(?:puoi|potresti|vuoi|riesci a) (?:per favore )?"
    r"(?:ricord|memorizz|annot|segn|tener|salv|dimentic|scord|cancell|elimin|rimuov|togli))"
)
"""A ``plain`` question that asks the assistant to remember or to forget something."""
_ASKS_TO_ACT: Final = re.compile(
    r"\b(?:(?:can|could|would|will|won['’]?t|why don['’]?t) (?:you|we)|puoi|potresti|vuoi|riesci a|potete|possiamo)\b"
)
"""A ``plain`` question that asks the assistant to do something."""
_FORGETS: Final = re.compile(r"\b(?:forget|dimentic|scord)")
_ROW_NOUNS: Final = re.compile(
    r"\b(?:tasks?|to-?dos?|notes?|projects?|comments?|checkpoints?|milestones?|events?|lists?|"
    r"attivita|not[ae]|appunt[oi]|progett[oi]|comment[oi]|traguard[oi]|event[oi]|list[ae]|elenc(?:o|hi))\b"
)
_BY_OTHERS: Final = re.compile(r"\b(?:i|we|he|she|they|who|io|noi|lui|lei|loro|ho|abbiamo|ha|hanno)\b")
_BY_YOU: Final = re.compile(rf"\b(?:you|let['’]?s|ti|tu)\b|{_ASKS_TO_REMEMBER.pattern}")
"""Words by which a ``plain`` clause addresses the assistant."""
_QUOTED: Final = re.compile(r'"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|`[^`\n]*`')
_COMPLEMENT: Final = re.compile(r"\b(?:to|di|per|da)\s$")
"""The end of the ``plain`` text before a verb that another word governs: “a task to forget …”, “ask him to …”."""
_CLAUSE_END: Final = re.compile(r"[,;:]")
_ASKS_TO_SHOW: Final = re.compile(
    r"\W*(?:(?:hi|hello|hey|ok|okay|please|now|and|then|so|just|only|ciao|per favore|ora|adesso|e|poi|solo)\b\W*)*"
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
"""The beginning of a ``plain`` sentence that asks for information or for a text."""
_CHANGE_VERBS: Final = re.compile(
    r"\b(?:add|archive|assign|call|change|close|complete|create|delay|delete|edit|finish|make|mark|move|postpone|put"
    r"|remove|rename|reopen|reschedule|restore|schedule|set|tick|turn|undo|update"
    r"|(?:aggiung|aggiorn|annull|archivi|assegn|cambi|cancell|chiud|complet|crea|elimin|impost|mett|modific|riapr|rimand"
    r"|rimuov|rinomin|rinvi|ripristin|segn|spost|togli)\w*)\b"
)
"""Verbs because of which such a sentence may also ask for a change."""
_FORBIDS: Final = re.compile(
    r"(?:please |per favore )?(?:do not|don['’]?t|never|leave|non|mai|lascia\w*)\b(?!.*\b(?:forget|dimentic|scord))"
)
"""The beginning of a ``plain`` sentence that forbids a change."""
_PLANS: Final = re.compile(
    r"\b(?:i|we|he|she|they)(?: am| are| is|['’](?:m|re|s))? (?:not|never) (?:going|planning|about) to\b"
    r"|\b(?:i|we)(?: will|['’]ll) (?:not|never)\b|\b(?:i|we) won['’]?t\b|\bi(?: am|['’]m) thinking (?:of|about)\b"
    r"|\b(?!i\b|we\b|you\b)\w+ (?:wants?|wanted|plans?|planned) to\b"
    r"|\b(?:asked|asks|told|tells) (?:me|us) (?:not )?to\b"
    r"|\b(?:sto|stiamo) pensando di\b|\bnon (?:ho intenzione di|voglio|vogliamo)\b"
    r"|\b(?<!io )(?:vuole|vogliono|vorrebbe(?:ro)?) \w+(?:are|ere|ire|ar\w+|er\w+|ir\w+)\b"
    r"|\b(?:mi|ci) (?:ha|hanno) (?:chiesto|detto) di\b"
)
"""What a ``plain`` sentence says that plans, doubts or reports a change, and does not ask for it."""
_NOTHING_OF: Final = re.compile(rf"(?:{_CHANGE_VERBS.pattern}) (?:nothing|none|niente|nulla)\b")
_EXCEPTIONS: Final = re.compile(
    r"\b(?:except|but (?:not|do not|don['’]?t|never|leave)|other than|apart from|tranne|eccetto|fuorché"
    r"|ma (?:non|lascia))\b[^;\n]*",
    re.IGNORECASE,
)
"""The part of a sentence that names what must not be changed."""
_THANKS: Final = re.compile(r"(?:many thanks|thanks|thank you|sorry|grazie|scusa(?:mi)?)\b[^,;:]*")
"""A ``plain`` sentence that asks for nothing."""


def statements(message: str) -> list[str]:
    """The sentences of ``message`` that state something, or ask the assistant to remember or to forget something.

    Other questions state nothing: “Does Bob pay?” is not “Bob pays”, and “Did you delete it?” deletes nothing.
    """
    return [
        each for each in sentences_of(message) if not _QUESTION.search(each) or _ASKS_TO_REMEMBER.search(plain(each))
    ]


def may_order(sentence: str, verbs: Iterable[str]) -> bool:
    """Whether a clause of ``sentence`` may order something with one of ``verbs``, which are imperatives.

    “I often forget it”, “They deleted it” and “Add a task to forget it” do not, nor does what is quoted, but “I want
    you to forget it” does.
    """
    imperative = re.compile(rf"\b(?:{'|'.join(map(_imperative, verbs))})\b")
    found = ((clause, imperative.search(clause)) for clause in _CLAUSE_END.split(plain(_QUOTED.sub(" ", sentence))))
    return any(
        _BY_YOU.search(clause) or not any(of.search(clause[: verb.start()]) for of in (_BY_OTHERS, _COMPLEMENT))
        for clause, verb in found
        if verb is not None
    )


def _imperative(verb: str) -> str:
    """The pattern of the imperative forms of ``verb``; Italian ones may have endings, as in “dimenticalo”."""
    return rf"{verb[:-1]}(?!o\b|at[oaie]\b|ano\b)\w*" if verb.endswith(("a", "i")) else verb


def may_mean_rows(sentence: str, words: Iterable[str]) -> bool:
    """Whether ``sentence`` may ask to delete rows and not memories: it has a noun for rows that ``words`` lack.

    False for a sentence with “forget”, which is not said of rows.
    """
    known, asked = " ".join(map(plain, words)), plain(sentence)
    return not _FORGETS.search(asked) and any(noun not in known for noun in _ROW_NOUNS.findall(asked))


def change_requests(message: str) -> str:
    """The sentences of ``message`` that may ask for a change, without exceptions such as “but not …”.

    Thanks, prohibitions, plans, and requests for information or for a text do not, and of the questions only “Can you
    …?”.
    """
    asking = (each for each in sentences_of(message) if not _QUESTION.search(each) or _ASKS_TO_ACT.search(plain(each)))
    return "\n".join(_EXCEPTIONS.sub("", each) for each in asking if not _changes_nothing(plain(each)))


def _changes_nothing(sentence: str) -> bool:
    if any(nothing.search(sentence) for nothing in (_PLANS, _NOTHING_OF)):
        return True
    if _THANKS.fullmatch(sentence) or _FORBIDS.match(sentence):
        return True
    return _ASKS_TO_SHOW.match(sentence) is not None and not _CHANGE_VERBS.search(sentence)
