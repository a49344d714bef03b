"""What a user's message asks for, and what an answer claims to have done, in English and Italian. Pure.

Conservative: what may be a report counts as no claim. Of long texts only the beginning and the end are examined
(``examined``).
"""

import re
from collections.abc import Iterator
from typing import Final

from agents.titles import words_of

_QUOTED: Final = re.compile(
    r'"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|`[^`\n]*`|(?<=\S )\*\*[^*\n]*\*\*|(?<!\w)\'[^\'\n]*\'(?!\w)'
)
_SPACES: Final = re.compile(r"[ \t*_]+")
_SENTENCE: Final = re.compile(r"[^.!?\n:;]+[.!?:;]?")
_ROW: Final = re.compile(r"\s*(?:[-*+|>#]|\d+[.)])")
_OPENS: Final = r"open(?! (?:an?|another)\b)"
"""Not what is to be created: “Open a ticket for the login bug”."""
_ASKS_ONLY: Final = re.compile(
    r"\s*(?:what|which|who|whose|when|where|why|how|is|are|was|were|did|does|do i|do we|has|have|had|"
    rf"show|list|find|search|tell|summari[sz]e|read|{_OPENS}|explain|describe|review|"
    r"che|cosa|cos|quale|quali|quando|chi|dove|perché|come|quant[oaie]|è|sono|ho|abbiamo|hai|ha|era|c'è|ci sono|"
    r"mostra\w*|elenca\w*|cerca\w*|trova\w*|riassumi\w*|dimmi|leggi\w*|apri(?! un)|spiega\w*|descrivi\w*)(?!\w)",
    re.IGNORECASE,
)
_OF_ROWS: Final = re.compile(
    r"\b(?:tasks?|to-?dos?|projects?|notes?|checkpoints?|milestones?|comments?|due|overdue|deadlines?|"
    r"attività|progett[oi]|not[ae]|traguard[oi]|comment[oi]|scad\w+)\b",
    re.IGNORECASE,
)
_GOES_ON_ASKING: Final = re.compile(
    r"\s*(?:what about|how about|and|ed?) (?:in|on|for|at|of|about|from|by|the|this|those|today|tomorrow|next|"
    r"nel|nella|nei|per|di|del|della|da|su|il|la|le|i|gli|oggi|domani|quest\w+|quell\w+)\b[^?]*\?\s*",
    re.IGNORECASE,
)
_SEES: Final = re.compile(
    r"\s*(?:(?:please|can you|could you)\s+)?"
    rf"(?:show|list(?! (?:{_QUOTED.pattern}) (?:among|under|on)\b)|find|search|summari[sz]e|read|{_OPENS}|"
    r"explain|describe|(?:what|which|who|when|where|how (?:many|much))(?! about| if| else)|"
    r"mostra\w*|elenca\w*|cerca\w*|trova\w*|riassumi\w*|leggi\w*|apri\w*(?! un)|spiega\w*|descrivi\w*|"
    r"(?:che cosa|cosa|qual[ei]|quant[ei]|chi|quando|dove)(?! ne dici| se))(?!\w)",
    re.IGNORECASE,
)
_COMPOSES: Final = re.compile(
    r"\s*(?:(?:please|can you|could you)\s+)?(?:summari[sz]e|explain|describe|riassumi\w*|spiega\w*|descrivi\w*)(?!\w)"
    r".*\b(?:in|into|as|to|nella|nel|come)\b.*\b(?:note|comment|description|nota|commento|descrizione)\b",
    re.IGNORECASE | re.DOTALL,
)
"""A text that is to be written into a row."""
_AS_STATE: Final = re.compile(
    r"\bas (?:an? |my )?(?:new )?(?:done|finished|complet\w+|open|to-?do|in progress|high|medium|low|urgent|important|"
    r"active|archived|task|note|project|milestone|checkpoint)\b|"
    r"\bcome (?:fatt|finit|complet|apert|chius|urgent|important|attiv|archiviat|attivit|nota|progett)\w*",
    re.IGNORECASE,
)
"""What a row is to be shown as is what it is to become."""
_FURTHER: Final = re.compile(r"\b(?:and|then|if|e|ed|poi|se)\b|[.!?;\n]\s*\w", re.IGNORECASE)
_NO_CLAIM: Final = re.compile(
    r"\b(?:not|never|no|nothing|none|cannot|\w+n['’]t|if|once|when|unless|until|before|after|would|could|should|can|may|"
    r"might|will|want|yesterday|earlier|previously|already|last|ago|since|who|which|that|"
    r"non|niente|nulla|nessun\w*|se|quando|dopo|prima|vorre\w+|vuoi|posso|potre\w+|puoi|dovre\w+|"
    r"ieri|già|scors[oaie]|fa|che|chi)\b|\?|\b(?:on|in|by|il|nel|da) \d",
    re.IGNORECASE,
)
_DONE: Final = (
    r"(?:created|added|updated|changed|deleted|removed|completed|marked|moved|renamed|assigned|archived|scheduled|"
    r"rescheduled|saved|closed|reopened|postponed|set|undone|undid|reverted|restored)"
)
_FATTO: Final = (
    r"(?:creat|aggiunt|aggiornat|modificat|cambiat|eliminat|cancellat|rimoss|completat|segnat|contrassegnat|spostat|"
    r"rinominat|assegnat|archiviat|programmat|pianificat|salvat|chius|riapert|rimandat|rinviat|impostat|annullat|"
    r"ripristinat)[oaie]"
)
OPENING: Final = (
    r"\s*(?:(?:ok|okay|sure|done|great|alright|all right|perfect|certainly|of course|yes|"
    r"fatto|certo|perfetto|va bene|sì|bene)\b[,!. –—-]*)*"
)
"""What an answer may begin with before it says anything."""
THING: Final = (
    r"(?:task|to-?do|project|note|checkpoint|milestone|comment|event|attività|progetto|nota|appunto|traguardo)"
)
"""A row of a kind that the user keeps, in the singular."""
_A_THING: Final = rf"(?:the |your |a |this )?(?:new )?(?:{THING}|change)s?"
_THINGS: Final = rf"(?:(?:all|both)(?: of)?(?: (?:the|your|these|\d+))*|(?:the|your|these) \d+) {THING}s?"
_LE_COSE: Final = (
    r"(?:tutt[ei] (?:e \w+ )?)?(?:le|i|gli) (?:\d+ |tue |tuoi )?(?:attività|progetti|note|appunti|traguardi|commenti)"
)
_UNA_COSA: Final = rf"(?:l['’]|il |la |un |una |un['’])?(?:nuov[oa] )?(?:{THING}|modifica)"
_DONE_FIRST: Final = (
    r"(?:created|added|updated|deleted|removed|completed|marked|moved|renamed|archived|undone|reverted|restored)"
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
        rf"(?:ho|abbiamo)(?: appena| ora| anche)* {_FATTO}\b",
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
_COUNTS: Final = re.compile(r"\b(?:how many|quant[ei])\b", re.IGNORECASE)
_SENDS: Final = re.compile(
    r"\W*(?:(?:please|now|can you|could you|per favore|puoi|potresti)\b\W*)*(?:"
    r"(?:send|forward)\b.*\b(?:e-?mail|mail|message|text|sms|invitation|invite|reply)s?\b|"
    r"(?:e-?mail|text) (?!note|task)\w+|"
    r"(?:invi|mand|spedi|inoltr)(?:a|are|ami|agli|alle)\b.*\b(?:e-?mail|mail|messaggi[oa]?|sms|invit[oi]|rispost[ae])\b)",
    re.IGNORECASE,
)
_OF_THE_WORLD: Final = re.compile(
    r"\b(?:(?:weather|forecast|headlines|the news|stock (?:price|market)s?|exchange rates?)\b.*"
    r"\b(?:today|tomorrow|tonight|now|this (?:week|weekend|morning|evening)|like|be|in|at|of)\b|"
    r"(?:today|tomorrow|latest|current|will)\b.*\b(?:weather|forecast|headlines|news|stock prices?|exchange rates?)\b|"
    r"che tempo (?:fa|farà|fara)\b|(?:meteo|previsioni del tempo|ultime notizie)\b)",
    re.IGNORECASE,
)
_EXPLAINS: Final = re.compile(
    r"\b(?:how|why|explain|what (?:is|are) an?|joke|synonym|words?|poem|write|"
    r"perché|come|spiega\w*|sinonimo|parol[ae])\b",
    re.IGNORECASE,
)
_CONTINUES: Final = re.compile(
    r"\W*(?:(?:no|and|e|ok|okay|please|per favore)\b\W*)*(?:"
    r"(?:it|this|that)(?:['’]s| is) (?:for|due|by|on)\b|the same (?:for|with)\b|"
    r"(?:the|that|this) (?:one|first|second|third|last|other|former|latter)\b|"
    r"(?:make|rather|better) (?:it|that|on|to)\b|\w+ (?:is|are) enough\b|"
    r"(?:è|e') per \w|lo stesso per\b|quell[oaie] (?:del|della|di|che)\b|"
    r"(?:il|la) (?:prim|second|terz|ultim|altr)[oa]\b|basta \w)",
    re.IGNORECASE,
)
"""“It is for Giulia.”, “The same for the tables”, “The one of Garden”, “No, medium is enough”."""
_KEPT: Final = re.compile(
    rf"\b(?:{THING}|remind\w*|add|list|today|tomorrow|later|next|\w+day|promemoria|ricorda\w*|aggiung\w*|"
    r"oggi|domani|dopo|\w+dì)s?\b",
    re.IGNORECASE,
)
"""Words of a message that may ask for a row about it."""
_KEPT_ROWS: Final = re.compile(
    rf"\b(?:{THING}|said|say|says|wrote|written|my|appunti|attività|progett[oi]|note|ho scritto|mie[i]?)s?\b",
    re.IGNORECASE,
)
"""“What do my notes say about the weather?” is answered by rows."""
_NOTHING: Final = re.compile(
    rf"\bno (?:\w+ ){{0,2}}{THING}s?\b|\b(?:could|did|do|does|can)(?: not|n['’]t) (?:find|have|see)\b|"
    rf"\bnon (?:ho trovato|trovo|ci sono|hai|ho)\b|\bnessun[oa]? ?['’]?{THING}\b",
    re.IGNORECASE,
)
_DAY_WORDS: Final = frozenset(
    {
        *("due", "overdue", "late", "today", "tomorrow", "week"),
        *("scadono", "scade", "scadute", "scaduti", "scadenza", "ritardo", "oggi", "domani", "settimana"),
    }
)
_STATE_WORDS: Final = frozenset({"open", "done", "aperte", "aperti", "fatte"})
_CREATION: Final = re.compile(
    rf"{OPENING}(?:{_A_THING} has been(?: successfully| now)? (?:created|added)|"
    r"(?:i|we)(?:['’]ve| have)?(?: just)? (?:created|added)|"
    rf"{_UNA_COSA} è stat[oa] (?:creat|aggiunt)[oa]|(?:ho|abbiamo) (?:appena )?(?:creato|aggiunto))\b"
    r"(?! (?:by|on|at|in|from|last|yesterday|ago|da|il|nel|ieri)\b)",
    re.IGNORECASE,
)
_OF_CREATION: Final = re.compile(r"\b(?:creat|add|new|crea|aggiun|nuov)", re.IGNORECASE)
_IN_BRACKETS: Final = re.compile(r" ?\([^()\n]*\)| ?\[[^\[\]\n]*\]")
_LIST_WORDS: Final = frozenset(
    {
        *("which", "what", "are", "is", "do", "does", "have", "has", "i", "we", "me", "my", "our", "the", "a", "all"),
        *("of", "on", "for", "in", "this", "that", "there", "list", "show", "tell", "task", "tasks", "project"),
        *("projects", "checkpoint", "checkpoints", "note", "notes", "comment", "comments", "how", "many", "s"),
        *("quali", "che", "cosa", "sono", "c", "ci", "e", "ho", "abbiamo", "il", "le", "la", "gli", "lo", "un"),
        *("una", "di", "del", "della", "per", "da", "questa", "mie", "miei", "mia", "mio", "tutte", "tutti"),
        *("elenca", "mostra", "mostrami", "dimmi", "attivita", "compito", "compiti", "progetto", "progetti", "nota"),
        *("traguardo", "traguardi", "commento", "commenti", "quanti", "quante"),
        *_DAY_WORDS,
        *_STATE_WORDS,
    }
)
"""The words of a question for rows, or their number, that the parameters of a list answer wholly."""
_BARE: Final = re.compile(r"\W*(?:done|all done|fatto|tutto fatto)\W*", re.IGNORECASE)
_WANTED: Final = re.compile(
    r"\b(?:create|add|make|new|delete|remove|mark|complete|finish|close|reopen|move|rename|change|update|set|assign|"
    r"archive|schedule|reschedule|postpone|remind|write|save|put|undo|revert|restore|"
    r"open(?= (?:an?|another)\b)|apri\w*(?= un)|"
    r"crea\w*|aggiung\w*|nuov[oa]|elimin\w*|cancell\w*|rimuov\w*|segn\w*|complet\w*|chiud\w*|riapr\w*|spost\w*|"
    r"rinomin\w*|cambi\w*|modific\w*|aggiorn\w*|impost\w*|assegn\w*|archivi\w*|rimand\w*|rinvi\w*|ricorda\w*|"
    r"scriv\w*|salv\w*|mett\w*|annull\w*|ripristin\w*)(?!\w)",
    re.IGNORECASE,
)
"""Words of a message that asks for a change."""
_POLITELY: Final = r"\W*(?:(?:please|now|and|then|can you|could you|per favore|ora|e|poi|puoi|potresti)\b\W*)*"
_MOVES: Final = (
    r"(?:mark|set|rename|move|assign|unassign|archive|reopen|postpone|reschedule|"
    r"segna\w*|imposta\w*|rinomina\w*|sposta\w*|assegna\w*|archivia\w*|riapri\w*|rimanda\w*|rinvia\w*)"
)
_ENDS: Final = r"(?:delete|remove|complete|elimina\w*|cancella\w*|rimuovi\w*|completa\w*)"
_ROW_MEANT: Final = (
    r"(?:tasks?|to-?dos?|projects?|notes?|checkpoints?|milestones?|priority|due date|"
    r"attività|progett[oi]|not[ae]|traguard[oi]|priorità|scadenza)(?! (?:list|plan|template|of)\b)"
)
_SHOWN_BEFORE: Final = r"(?:it|them|(?:that|this|the \w+) ones?|quell[oaie])"
_ORDERS_UPDATE: Final = re.compile(
    rf"{_POLITELY}(?:{_MOVES}\b(?=[^\n]*[“\"«]|[^\n]*\b(?:{_ROW_MEANT}|{_SHOWN_BEFORE})\b)|{_ENDS}\b(?=[^\n]*\b{_ROW_MEANT}\b))"
    rf"[^\n]*\Z|{_POLITELY}{_MOVES}\b[^\n]*(?:{_AS_STATE.pattern})[^\n]*\Z",
    re.IGNORECASE,
)
"""Not what is to be done with a text: “Remove the typos”."""
_MAY_BE_NEW: Final = re.compile(rf"{_POLITELY}(?:mark|set|segna\w*|imposta\w*)\b", re.IGNORECASE)
_LONGEST_ORDER: Final = 200
"""Characters. A longer message has a text to work with, or tells more than to change a row."""
_ORDERS_NEW: Final = re.compile(
    rf"{_POLITELY}(?:create|add|make|crea\w*|aggiungi\w*)\b(?: \w+)? (?:\w+ )?{THING}\b"
    r"(?! (?:list|plan|template|of)\b)",
    re.IGNORECASE,
)
_A_NEW_ONE: Final = re.compile(rf"\b(?:an?|another|new|un[oa]?|nuov[oa])['’]? ?(?:\w+ )?{THING}\b", re.IGNORECASE)
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
_NAME: Final = r"(?P<name>[^\W\d_][\w'’-]*(?: [^\W\d_a-zà-ÿ][\w'’-]*)*)"
_ASSIGNED: Final = re.compile(rf"(?i:\bassigned to|\bassegnat[oaie] a)d? (?:\*\*|[\"“«])?(?=[^\W\d_a-zà-ÿ]){_NAME}")
_NO_PERSON: Final = frozenset(
    {"you", "me", "yourself", "adiuva", "no", "nobody", "nessuno", "te", "i", "the", "anyone"}
)
EXAMINED: Final = 4_000
"""Characters at the beginning of a text, and as many at its end, that are examined: the event loop waits meanwhile."""


def examined(written: str) -> str:
    """``written``; of a long text only the lines at its beginning and its end, of ``EXAMINED`` characters each.

    What an answer says of itself is there. A line that is cut is left out, because half a sentence may claim what the
    whole one does not; if there is only one line, its sentences count instead.
    """
    if len(written) <= 2 * EXAMINED:
        return written
    beginning, end = written[:EXAMINED], written[-EXAMINED:]
    return f"{beginning[: _last_break(beginning)]}\n{end[_first_break(end) :]}"


def _last_break(beginning: str) -> int:
    line = beginning.rfind("\n")
    return line if line >= 0 else beginning.rfind(". ") + 1


def _first_break(end: str) -> int:
    line = end.find("\n")
    at = line if line >= 0 else end.find(". ")
    return len(end) if at < 0 else at + 1


def asks_only(message: str) -> bool:
    """Whether the user's ``message`` only asks for what there is."""
    return _ASKS_ONLY.match(message) is not None


def goes_on_asking(message: str) -> bool:
    """Whether the user's ``message`` asks the question before it of something else, as “And in Garden?”."""
    return _GOES_ON_ASKING.fullmatch(message) is not None


def asks_to_see(message: str) -> bool:
    """Whether the user's ``message`` asks to be shown something, and for nothing beside it."""
    asked = unquoted(examined(message))
    if not _SEES.match(message) or _COMPOSES.match(asked):
        return False
    return not any(beside.search(asked) for beside in (_WANTED, _FURTHER, _AS_STATE))


def asks_for_rows(message: str) -> bool:
    """Whether the user's ``message`` asks to be shown rows of a kind that they keep, or by what these have."""
    return asks_to_see(message) and _OF_ROWS.search(message) is not None


def unquoted(message: str) -> str:
    """``message`` without what is quoted in it, such as titles."""
    return _QUOTED.sub(" ", message)


def finds_nothing(answer: str) -> bool:
    """Whether ``answer`` says that there is nothing of a kind that the user keeps."""
    return _NOTHING.search(examined(answer)) is not None


def claims_to_reach(answer: str) -> bool:
    """Whether ``answer`` claims to have sent, called or booked something, which no tool can do."""
    return any(_REACHED.match(sentence) and not _NO_CLAIM.search(sentence) for sentence in sentences(answer))


def asks_how_many(message: str) -> bool:
    """Whether the user's ``message`` asks for a number of rows."""
    return _COUNTS.search(message) is not None


def names_days(message: str) -> bool:
    """Whether the user's ``message`` for a list says when what it asks for is due."""
    return not _DAY_WORDS.isdisjoint(words_of(message).split())


def names_states(message: str) -> bool:
    """Whether the user's ``message`` for a list says in which state what it asks for is."""
    return not _STATE_WORDS.isdisjoint(words_of(message).split())


def asks_for_all(message: str, given: str = "") -> bool:
    """Whether the user's ``message`` asks for all rows of a kind or their number, by nothing but their states and days.

    ``given`` is what else is looked for, such as a person.
    """
    words = set(words_of(message).split())
    return asks_only(message) and words <= _LIST_WORDS.union(words_of(given).split())


def asks_to_reach(message: str) -> bool:
    """Whether the user's ``message`` wants something sent to someone, rather than a row about it."""
    return _SENDS.match(message) is not None and not _KEPT.search(unquoted(message))


def asks_of_the_world(message: str) -> bool:
    """Whether the user's ``message`` asks for weather, news or prices, and for nothing that the user keeps."""
    asked = unquoted(examined(message))
    is_asked = asks_only(message) and _OF_THE_WORLD.search(asked) is not None
    return is_asked and not _KEPT_ROWS.search(asked) and not _EXPLAINS.search(asked)


def continues_change(message: str) -> bool:
    """Whether the user's ``message`` says something more of what was made or shown before, so that it changes."""
    return len(message) <= _LONGEST_ORDER and _CONTINUES.match(message) is not None


def asks_for_change(message: str) -> bool:
    """Whether the user's ``message`` asks for something to be created, changed or deleted."""
    return _WANTED.search(examined(message)) is not None and not _ASKS_ONLY.match(message)


def orders_change(message: str) -> bool:
    """Whether the user's ``message`` tells to create, change or delete a row, and little beside it."""
    # First the length: these expressions take long for long texts.
    if len(message) > _LONGEST_ORDER:
        return False
    return _ORDERS_UPDATE.match(message) is not None or _ORDERS_NEW.match(message) is not None


def orders_update(message: str) -> bool:
    """Whether the user's ``message`` tells to change or delete a row that there is. “Set the alarm” makes one."""
    if not orders_change(message) or _ORDERS_NEW.match(message) or _A_NEW_ONE.search(unquoted(message)):
        return False
    return _AS_STATE.search(unquoted(message)) is not None or _MAY_BE_NEW.match(message) is None


def claims_change(answer: str, message: str) -> bool:
    """Whether ``answer``, to the user's ``message``, claims that something was just created, changed or deleted."""
    if _ASKS_ONLY.match(message):
        return False
    if _BARE.fullmatch(answer):
        return _WANTED.search(examined(message)) is not None
    claims = _CLAIMS_WHEN_ASKED if asks_for_change(message) else _CLAIMS
    return any(
        not _NO_CLAIM.search(sentence) and any(claim.match(sentence) for claim in claims)
        for sentence in sentences(answer)
    )


def claims_creation(answer: str, message: str) -> bool:
    """Whether ``answer`` says that a row was just created, as small models say of what they have read.

    Not to a user whose ``message`` asks about that.
    """
    return not _OF_CREATION.search(message) and any(
        not _NO_CLAIM.search(sentence) and _CREATION.match(_IN_BRACKETS.sub("", sentence))
        for sentence in sentences(answer)
    )


def sentences(answer: str) -> Iterator[str]:
    """The sentences of ``answer`` outside of lists and tables, without what is quoted in them; as ``examined``."""
    for line in examined(answer).splitlines():
        if not _ROW.match(line):
            yield from _SENTENCE.findall(_SPACES.sub(" ", _QUOTED.sub(" ", line)))


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


def invented_assignees(answer: str, known: str) -> list[str]:
    """The people to whom ``answer`` says something is assigned, and whom the text ``known`` does not name."""
    told = known.casefold()
    names = dict.fromkeys(found["name"] for found in _ASSIGNED.finditer(examined(answer)))
    return [name for name in names if name.casefold() not in _NO_PERSON and name.casefold() not in told]
