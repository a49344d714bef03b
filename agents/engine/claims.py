"""What an answer claims to have done, and promises, in English and Italian. Pure.

Conservative: what may be a report counts as no claim.
"""

import re
from typing import Final

from agents.engine.intents import asks_for_change, asks_only, names_change
from agents.engine.sentences import OPENING, THING, examined, sentences

_NO_CLAIM: Final = re.compile(
    r"\b(?:not|never|no|nothing|none|cannot|\w+n['’]t|if|once|when|unless|until|before|after|would|could|should|can|may|"
    rf"might|will|want|yesterday|earlier|previously|already|last(?! (?:{THING}|one|two|three)s?\b)|ago|since|who|"
    r"which|that|"
    r"non|niente|nulla|nessun\w*|se|quando|dopo|prima|vorre\w+|vuoi|posso|potre\w+|puoi|dovre\w+|"
    r"ieri|già|scors[oaie]|fa|che|chi)\b|\?|\b(?:on|in|by|il|nel|da) \d",
    re.IGNORECASE,
)
_DONE: Final = (
    r"(?:created|added|updated|changed|deleted|removed|completed|marked|moved|renamed|assigned|archived|scheduled|"
    r"rescheduled|saved|closed|reopened|postponed|set|undone|undid|reverted|restored|"
    r"duplicated|cleared(?!(?: (?:it|that|this|things))? up\b)|ticked(?: off)?|checked off)"
)
_FATTO: Final = (
    r"(?:creat|aggiunt|aggiornat|modificat|cambiat|eliminat|cancellat|rimoss|completat|segnat|contrassegnat|spostat|"
    r"rinominat|assegnat|archiviat|programmat|pianificat|salvat|chius|riapert|rimandat|rinviat|impostat|annullat|"
    r"ripristinat|duplicat|svuotat|spuntat)[oaie]"
)
_A_THING: Final = rf"(?:the |your |a |this )?(?:new )?(?:{THING}|change)s?"
_THINGS: Final = rf"(?:(?:all|both)(?: of)?(?: (?:the|your|these|\d+))*|(?:the|your|these) \d+) {THING}s?"
_LE_COSE: Final = (
    r"(?:tutt[ei] (?:e \w+ )?)?(?:le|i|gli) (?:\d+ |tue |tuoi )?(?:attività|progetti|note|appunti|traguardi|commenti)"
)
_UNA_COSA: Final = rf"(?:l['’]|il |la |un |una |un['’])?(?:nuov[oa] )?(?:{THING}|modifica)"
_DONE_FIRST: Final = (
    r"(?:created|added|updated|deleted|removed|completed|marked|moved|renamed|archived|undone|reverted|restored|"
    r"duplicated|ticked off|checked off)"
)
# Of a row only: a text that the user has given is edited, merged or put in order in the answer itself.
_DONE_TO_ROWS: Final = r"(?:copied|edited|emptied|finished|merged|planned|put)"
_FATTO_A_RIGHE: Final = r"(?:copiat|finit|mess|unit)[oaie]"
_SOME_THINGS: Final = rf"(?:(?:the|your|a|this|these|both|all|two|new|\d+) )+{THING}s?"
_DELLE_COSE: Final = (
    r"(?:(?:tutt[ei] )?(?:(?:il|lo|la|i|gli|le|un|una|due|tu[oae]|tuoi|\d+) |l['’])+)"
    r"(?:attività|progett[oi]|not[ae]|appunt[oi]|traguard[oi]|comment[oi])"
)
_A_PLACE: Final = (
    rf"(?:in|into|on|under|back (?:in|into|on)|for) (?:(?:the|your) )?"
    rf"(?:{THING}|list|calendar|agenda|archive|today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b"
)
_END: Final = r"\s*[.!:]?\s*$"
_CLAIMS: Final = tuple(
    re.compile(OPENING + claim, re.IGNORECASE)
    for claim in (
        rf"(?:i|we)(?:['’]ve| have)?(?: just| now| also| successfully)* {_DONE}\b",
        rf"(?:i|we)(?:['’]ve| have)?(?: just| now)* (?:found|identified)\b[^.]{{0,80}}? and(?: have)? {_DONE}\b",
        rf"(?:ho|abbiamo) (?:trovato|individuato)\b[^.]{{0,80}}? e (?:l['’]ho )?{_FATTO}\b",
        rf"(?:successfully )?{_DONE_FIRST}(?: successfully)?(?: (?:the|a|an|your|this|it|new|{THING})\b|{_END})",
        rf"(?:{_A_THING} |)(?:has|have)(?: now)? been(?: successfully)? {_DONE}\b",
        rf"{_A_THING} (?:was )?successfully {_DONE}\b",
        rf"{_A_THING} was {_DONE} successfully\b",
        rf"(?:the |your )?{THING} (?:moved|renamed|marked|changed|updated|rescheduled|postponed) (?:to|as)\b",
        rf"{_A_THING} (?:is|are) now (?:due|in progress|{_DONE})\b",
        rf"{_A_THING}(?: is now)? {_DONE_FIRST}(?: successfully)?{_END}",
        rf"{_UNA_COSA}(?: è stat[oa])?(?: correttamente)? {_FATTO}\b(?! (?:il|nel|da|ieri)\b)",
        rf"{_UNA_COSA} è (?:ora|adesso) (?:in scadenza|in corso|previst[oa]|{_FATTO})\b",
        rf"(?:l['’]|l[ei] )?(?:ho|abbiamo)(?: appena| ora| anche)* {_FATTO}\b",
        rf"(?:i|we)(?:['’]ve| have)?(?: just| now| also| successfully)* {_DONE_TO_ROWS} {_SOME_THINGS}\b",
        rf"(?:i|we)(?:['’]ve| have)?(?: just| now| also)* (?:put|planned)(?: (?:it|them|both|all))? {_A_PLACE}",
        rf"(?:{_A_THING}|{_SOME_THINGS}) (?:has|have) been(?: successfully)? {_DONE_TO_ROWS}\b",
        rf"(?:(?:{_A_THING}|it) )?is now (?:called|named|ticked off|checked off|finished|planned for)\b",
        rf"(?:{_UNA_COSA} )?(?:(?:ora|adesso) si chiama|si chiama (?:ora|adesso))\b",
        rf"(?:ho|abbiamo)(?: appena| ora| anche)* {_FATTO_A_RIGHE} {_DELLE_COSE}\b",
        rf"{_DELLE_COSE} (?:è stat[oa]|sono stat[ei]) {_FATTO_A_RIGHE}\b",
        r"(?:i|we)(?:['’]ve| have)(?: just| now)* forgotten (?:it|that|everything|all|your|the)\b",
        r"(?:ho|abbiamo)(?: appena| ora)* dimenticato (?:tutto|il|lo|la|i|gli|le|l['’])(?!\w)",
        rf"{_FATTO}(?: correttamente)?(?: (?:tutt[ei] )?(?:il|la|lo|un|una|i|le|gli)\b| l['’]|{_END})",
    )
)
_CLAIMS_WHEN_ASKED: Final = (
    *_CLAIMS,
    *(
        re.compile(OPENING + claim, re.IGNORECASE)
        for claim in (
            rf"{_A_THING} (?:was|were)(?: now)? {_DONE}\b",
            rf"{_THINGS} (?:have been|were|are now)(?: successfully)? {_DONE}\b",
            rf"{_THINGS}(?: successfully)? {_DONE}{_END}",
            rf"{_LE_COSE} sono (?:stat[ei]|ora|adesso)(?: tutt[ei])? {_FATTO}\b",
        )
    ),
)
"""Where the user has asked for a change, the past tense is no account of what was before."""
_REACHED: Final = re.compile(
    OPENING + r"(?:(?:i|we)(?:['’]ve| have)?(?: just| now| also| successfully)* "
    r"(?:sent|(?:e-?)?mailed|forwarded|called|phoned|texted|messaged|notified|booked|ordered|bought|paid)\b|"
    rf"(?:the |your |an? )?(?:e-?mail|message|text|invitation)s? (?:(?:has been|was|is) sent\b|sent{_END})|"
    r"(?:ho|abbiamo)(?: appena| ora| già)* (?:inviat|mandat|spedit|inoltrat|chiamat|telefonat|avvisat|prenotat|ordinat|"
    r"comprat|pagat)[oaie]\b|(?:l['’])?(?:e-?mail|messaggio|invito) (?:è stat[oa] )?(?:inviat|mandat|spedit)[oa]\b)",
    re.IGNORECASE,
)
_NOTHING: Final = re.compile(
    r"\bno (?:[\w’'-]+ ){1,6}(?:was |were )?found\b|\bno (?:information|data|records?|results?|entr(?:y|ies))\b|"
    rf"\bno (?:\w+ ){{0,2}}{THING}s?\b|\b(?:could|did|do|does|can)(?: not|n['’]t) (?:find|have|see)\b|"
    rf"\bnon (?:ho trovato|trovo|ci sono|hai|ho)\b|\bnessun[oa]? ?['’]?{THING}\b",
    re.IGNORECASE,
)
_CREATION: Final = re.compile(
    rf"{OPENING}(?:{_A_THING} has been(?: successfully| now)? (?:created|added)|"
    r"(?:i|we)(?:['’]ve| have)?(?: just)? (?:created|added)|"
    rf"{_UNA_COSA} è stat[oa] (?:creat|aggiunt)[oa]|(?:ho|abbiamo) (?:appena )?(?:creato|aggiunto))\b"
    r"(?! (?:by|on|at|in|from|last|yesterday|ago|da|il|nel|ieri)\b)",
    re.IGNORECASE,
)
_OF_CREATION: Final = re.compile(r"\b(?:creat|add|new|crea|aggiun|nuov)", re.IGNORECASE)
_IN_BRACKETS: Final = re.compile(r" ?\([^()\n]*\)| ?\[[^\[\]\n]*\]")
_BARE: Final = re.compile(r"\W*(?:done|all done|fatto|tutto fatto)\W*", re.IGNORECASE)
_ADMITS: Final = re.compile(
    r"\b(?:(?:have|has|had)(?:n['’]t| not)|did(?:n['’]t| not)|nothing (?:was|has been|is|had)|changed nothing|not been|"
    r"no changes?|do(?:n['’]t| not) have access|"
    r"could ?n['’]t|could not|cannot|can['’]t|unable|"
    r"non (?:ho|è|sono|posso|riesco)|nulla|niente|nessuna modifica)\b",
    re.IGNORECASE,
)
_DECLINES: Final = re.compile(
    rf"{OPENING}(?:(?:i['’]m|i am) (?:so |very )?sorry|sorry|i apologi[sz]e|unfortunately|"
    r"mi dispiace|mi scuso|purtroppo)\b[^.\n]*?"
    r"\b(?:can(?:no|['’])t|could(?: not|n['’]t)|unable|not able|(?:do|did)(?: not|n['’]t) (?:have|receive)|"
    r"non (?:posso|riesco|sono in grado|ho (?:accesso|ricevuto)))\b|"
    rf"{OPENING}(?:i can(?:no|['’])t (?:assist|help|access)|non posso (?:aiutar|assister|acceder))",
    re.IGNORECASE,
)
_ASKS_FOR_MORE: Final = re.compile(
    r"\s*(?:(?:can|could) you (?:please )?|please |(?:puoi|potresti) (?:per favore )?)"
    r"(?:provide|clarify|specify|give|tell|share|fornir\w*|chiarir\w*|specificar\w*|dar\w*|dir\w*)\b",
    re.IGNORECASE,
)
_ASKS_WHICH: Final = re.compile(
    r"\?|\b(?:tell me|let me know|(?:please|can you|must|need to) (?:specify|choose|say)|which one|dimmi|"
    r"(?:per favore|puoi|devi) (?:specifica\w*|scegli\w*|dir\w*))\b|"
    r"(?:\A|[.!:\n])\s*(?:which|specify|choose|qual[ei]|specifica\w*|scegli\w*)\b",
    re.IGNORECASE,
)
_SAYS_MORE: Final = re.compile(r"\b(?:but (?!i (?:can|am|do|did))|however|though|ma (?!non)|però)\b", re.IGNORECASE)
_NAME: Final = r"(?P<name>[^\W\d_][\w'’-]*(?: [^\W\d_a-zà-ÿ][\w'’-]*)*)"
_ASSIGNED: Final = re.compile(rf"(?i:\bassigned to|\bassegnat[oaie] a)d? (?:\*\*|[\"“«])?(?=[^\W\d_a-zà-ÿ]){_NAME}")
_NO_PERSON: Final = frozenset(
    {"you", "me", "yourself", "adiuva", "no", "nobody", "nessuno", "te", "i", "the", "anyone"}
)
_PROMISES: Final = re.compile(
    OPENING + r"(?:"
    r"(?:and |so |then )?I(?:['’]ll| will| shall)(?: now| always| certainly)* "
    r"(?:remember|(?:keep|bear) (?:that|this|it) in mind|note (?:that|this|it)|make a note|not forget)|"
    r"I(?:['’]ve| have)(?: now| just| also)* "
    r"(?:noted|made a note|remembered|saved (?:that|this|it) (?:to|in) my memory)|"
    r"(?:that['’]s|it['’]s) (?:noted|remembered)(?: for| down)|"
    r"(?:me )?(?:lo|la|ne|li|le|mi)?\s?(?:ricorderò|terrò (?:a mente|conto|presente)|segno|annoto|appunto)\b|"
    r"(?:lo|la|ne) tengo (?:a mente|presente)|(?:ho preso|prendo|prenderò) nota|non (?:lo |me lo )?dimenticherò"
    r")",
    re.IGNORECASE,
)
_REMEMBERS: Final = re.compile(
    OPENING + r"(?:I (?:now )?remember(?:ed)? (?:that|this|it|your)\b|(?:mi )?(?:ricordo|sono ricordat[oa]) che\b)",
    re.IGNORECASE,
)
_COPIED_CREATION: Final = re.compile(
    rf'^[^\w\n]*+Created the {THING} "((?:[^"\\\n]|\\.)+)"', re.IGNORECASE | re.MULTILINE
)
_NO_PROMISE: Final = re.compile(r"\b(?:if|unless|when|se|quando)\b|\?", re.IGNORECASE)


def finds_nothing(answer: str) -> bool:
    """Whether ``answer`` says that there is nothing of a kind that the user keeps."""
    return _NOTHING.search(examined(answer)) is not None


def claims_to_reach(answer: str) -> bool:
    """Whether ``answer`` claims to have sent, called or booked something, which no tool can do."""
    return any(_REACHED.match(sentence) and not _NO_CLAIM.search(sentence) for sentence in sentences(answer))


def claims_change(answer: str, message: str) -> bool:
    """Whether ``answer``, to the user's ``message``, claims that something was just created, changed or deleted."""
    if asks_only(message):
        return False
    if _BARE.fullmatch(answer):
        return names_change(message)
    claims = _CLAIMS_WHEN_ASKED if asks_for_change(message) else _CLAIMS
    return any(
        not _NO_CLAIM.search(sentence) and any(claim.match(sentence) for claim in claims)
        for sentence in sentences(answer)
    )


def promises_memory(answer: str, *, is_asked: bool = False) -> bool:
    """Whether ``answer`` says that something will be remembered, or has been noted.

    ``is_asked``: whether the user asks to remember it. Then “I remember that …” says so, too.
    """
    return any(
        (_PROMISES.match(sentence) or (is_asked and _REMEMBERS.match(sentence))) and not _NO_PROMISE.search(sentence)
        for sentence in sentences(answer)
    )


def copied_changes(answer: str) -> list[str]:
    """The titles of the rows of which ``answer`` says that they were created, in the words of a tool's result."""
    return _COPIED_CREATION.findall(examined(answer))


def claims_creation(answer: str, message: str) -> bool:
    """Whether ``answer`` says that a row was just created, as small models say of what they have read.

    Not to a user whose ``message`` asks about that.
    """
    return not _OF_CREATION.search(message) and any(
        not _NO_CLAIM.search(sentence) and _CREATION.match(_IN_BRACKETS.sub("", sentence))
        for sentence in sentences(answer)
    )


def admits_no_change(answer: str) -> bool:
    """Whether ``answer`` says itself that something was not done."""
    return _ADMITS.search(examined(answer)) is not None


def declines(answer: str) -> bool:
    """Whether ``answer`` begins by saying that the assistant cannot do what it is asked."""
    return _DECLINES.match(answer) is not None


def only_declines(answer: str) -> bool:
    """Whether each sentence of ``answer`` says that the assistant cannot do something, or asks for anything more."""
    said = list(sentences(answer))
    return bool(said) and all(declines(sentence) or _ASKS_FOR_MORE.match(sentence) for sentence in said)


def asks_which(answer: str) -> bool:
    """Whether ``answer`` asks the user to choose or to say more."""
    return _ASKS_WHICH.search(answer) is not None


def says_more(answer: str) -> bool:
    """Whether ``answer`` says something else behind what it denies."""
    return _SAYS_MORE.search(answer) is not None


def invented_assignees(answer: str, known: str) -> list[str]:
    """The people to whom ``answer`` says something is assigned, and whom the text ``known`` does not name."""
    told = known.casefold()
    names = dict.fromkeys(found["name"] for found in _ASSIGNED.finditer(examined(answer)))
    return [name for name in names if name.casefold() not in _NO_PERSON and name.casefold() not in told]
