"""What a user's message asks for, in English and Italian. Pure."""

import re
from typing import Final

from agents.engine.sentences import QUOTED, THING, examined, unquoted
from agents.titles import words_of

_OPENS: Final = r"open(?! (?:an?|another)\b)"
"""Not “Open a ticket for the login bug”, which creates something."""
_ASKS_ONLY: Final = re.compile(
    r"\s*(?:what|which|who|whose|when|where|why|how|is|are|was|were|did|does|do i|do we|has|have|had|"
    rf"show|list|find|search|tell|summari[sz]e|read|draw|plot|{_OPENS}|explain|describe|review|"
    r"che|cosa|cos|quale|quali|quando|chi|dove|perché|come|quant[oaie]|è|sono|ho|abbiamo|hai|ha|era|c'è|ci sono|"
    r"mostra\w*|elenca\w*|cerca\w*|trova\w*|riassumi\w*|dimmi|leggi\w*|disegna\w*|apri(?! un)|spiega\w*|"
    r"descrivi\w*)(?!\w)",
    re.IGNORECASE,
)
_OF_ROWS: Final = re.compile(
    r"\b(?:tasks?|to-?dos?|projects?|notes?|checkpoints?|milestones?|comments?|due|overdue|deadlines?|"
    r"attività|progett[oi]|not[ae]|traguard[oi]|comment[oi]|scad\w+)\b",
    re.IGNORECASE,
)
_MY_NOTES: Final = re.compile(
    r"\b(?:my|our|(?:in|from|according to) the|mie|miei|nostr[ei]|nelle|nei|negli) (?:own )?(?:notes?|note|appunti)\b",
    re.IGNORECASE,
)
_GOES_ON_ASKING: Final = re.compile(
    r"\s*(?:what about|how about|and|ed?) (?:in|on|for|at|of|about|from|by|the|this|those|today|tomorrow|next|"
    r"nel|nella|nei|per|di|del|della|da|su|il|la|le|i|gli|oggi|domani|quest\w+|quell\w+)\b[^?]*\?\s*",
    re.IGNORECASE,
)
_KINDLY: Final = r"\s*(?:(?:please|can you|could you)\s+)?"
_SEES: Final = re.compile(
    rf"{_KINDLY}(?:show|list(?! (?:{QUOTED.pattern}) (?:among|under|on)\b)|find|search|summari[sz]e|read|draw|plot|"
    rf"{_OPENS}|explain|describe|(?:what|which|who|when|where|how (?:many|much))(?! about| if| else)|"
    r"mostra\w*|elenca\w*|cerca\w*|trova\w*|riassumi\w*|leggi\w*|disegna\w*|apri\w*(?! un)|spiega\w*|descrivi\w*|"
    r"(?:che cosa|cosa|qual[ei]|quant[ei]|chi|quando|dove)(?! ne dici| se))(?!\w)",
    re.IGNORECASE,
)
_ARCHIVES: Final = re.compile(r"\barchiv(?:e|a|are|ia|iare|ing|ialo|iala)\b", re.IGNORECASE)
_DELETES: Final = re.compile(
    r"\b(?:delet\w+|remov\w+|eras\w+|discard\w*|get rid|trash|elimin\w+|cancell\w+|rimuov\w+|butta\w*)\b", re.IGNORECASE
)
_READS: Final = re.compile(rf"{_KINDLY}(?:show|read|display|open|mostra\w*|leggi\w*|apri\w*)(?!\w)", re.IGNORECASE)
_COMPOSES: Final = re.compile(
    rf"{_KINDLY}(?:summari[sz]e|explain|describe|riassumi\w*|spiega\w*|descrivi\w*)(?!\w)"
    r".*\b(?:in|into|as|to|nella|nel|come)\b.*\b(?:note|comment|description|nota|commento|descrizione)\b",
    re.IGNORECASE | re.DOTALL,
)
"""Asks for a text to be written into a row."""
_AS_STATE: Final = re.compile(
    r"\bas (?:an? |my )?(?:new )?(?:done|finished|complet\w+|open|to-?do|in progress|high|medium|low|urgent|important|"
    r"active|archived|task|note|project|milestone|checkpoint)\b|"
    r"\bcome (?:fatt|finit|complet|apert|chius|urgent|important|attiv|archiviat|attivit|nota|progett)\w*",
    re.IGNORECASE,
)
"""“Show X as done” asks for a change."""
_FURTHER: Final = re.compile(r"\b(?:and|then|if|e|ed|poi|se)\b|[.!?;\n]\s*\w", re.IGNORECASE)
_COUNTS: Final = re.compile(r"\b(?:how many|quant[ei])\b", re.IGNORECASE)
_SENDS: Final = re.compile(
    r"\W*(?:(?:please|now|can you|could you|per favore|puoi|potresti)\b\W*)*(?:"
    r"(?:send|forward)\b.*\b(?:e-?mail|mail|message|text|sms|invitation|invite|reply)s?\b|"
    r"(?:e-?mail|text) (?!note|task)\w+|"
    r"(?:call|phone|ring|telefona\w*|chiama\w*)\b.*\b(?:on the phone|for me|al telefono|per me|da parte mia)\b|"
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
_DAY_WORDS: Final = frozenset(
    {
        *("due", "overdue", "late", "today", "tomorrow", "week"),
        *("scadono", "scade", "scadute", "scaduti", "scadenza", "ritardo", "oggi", "domani", "settimana"),
    }
)
_STATE_WORDS: Final = frozenset({"open", "done", "aperte", "aperti", "fatte"})
_LIST_WORDS: Final = frozenset(
    {
        *("which", "what", "are", "is", "do", "does", "have", "has", "i", "we", "me", "my", "our", "the", "a", "all"),
        *("of", "on", "for", "in", "this", "that", "there", "list", "show", "tell", "task", "tasks", "project"),
        *("projects", "checkpoint", "checkpoints", "note", "notes", "comment", "comments", "how", "many", "s"),
        *("draw", "plot", "disegna", "disegnami"),
        *("quali", "che", "cosa", "sono", "c", "ci", "e", "ho", "abbiamo", "il", "le", "la", "gli", "lo", "un"),
        *("una", "di", "del", "della", "per", "da", "questa", "mie", "miei", "mia", "mio", "tutte", "tutti"),
        *("elenca", "mostra", "mostrami", "dimmi", "attivita", "compito", "compiti", "progetto", "progetti", "nota"),
        *("traguardo", "traguardi", "commento", "commenti", "quanti", "quante"),
        *_DAY_WORDS,
        *_STATE_WORDS,
    }
)
"""The words of a question for rows, or their number, that the parameters of a list answer wholly."""
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
_MAX_ORDER_CHARS: Final = 200
"""Characters. A longer message has a text to work with, or tells more than to change a row."""
_ORDERS_NEW: Final = re.compile(
    rf"{_POLITELY}(?:create|add|make|crea\w*|aggiungi\w*)\b(?: \w+)? (?:\w+ )?{THING}s?\b"
    r"(?! (?:list|plan|template|of)\b)",
    re.IGNORECASE,
)
_A_NEW_ONE: Final = re.compile(rf"\b(?:an?|another|new|un[oa]?|nuov[oa])['’]? ?(?:\w+ )?{THING}\b", re.IGNORECASE)
_ORDERS_BESIDE_STATE: Final = re.compile(
    r"\b(?:move|rename|assign|unassign|postpone|reschedule|retitle|"
    r"spost\w*|rinomin\w*|assegn\w*|rimand\w*|rinvi\w*)\b",
    re.IGNORECASE,
)
"""Verbs of changes that leave a row's state as it is."""
_STATE: Final = re.compile(
    r"\b(?:mark\w*|done|complet\w+|finish\w*|clos\w+|(?:re)?open\w*|start\w*|begin\w*|began|begun|progress\w*|"
    r"to-?do|pending|stat(?:e|us)|archiv\w+|activ\w+|tick\w*|check\w*|ready|over|column|board|backlog|doing|"
    r"segn\w+|fatt[aoie]|complet\w+|finit\w*|finisc\w+|chiud\w*|chius\w+|(?:ri)?apr\w+|(?:ri)?apert\w+|inizi\w*|"
    r"avvi\w+|corso|stato|attiv\w+|pront[aoie]|colonna|da fare)\b",
    re.IGNORECASE,
)
_RENAMES: Final = re.compile(
    r"\b(?:(?:re)?nam\w+|(?:re)?titl\w+|call\w*|chang\w+|edit\w*|correct\w*|fix\w*|typos?|spell\w*|replac\w+|"
    r"updat\w+|(?:re)?word\w*|(?:re)?phras\w+|(?:re)?writ\w+|short\w+|translat\w+|instead|rather|should|into|turn\w*|"
    r"add\w*|append\w*|prefix\w*|remov\w+|uppercase|lowercase|capital\w*|make|not|"
    r"(?:ri)?nom\w+|rinomin\w+|titol\w*|chiam\w+|cambi\w+|modific\w+|corregg\w+|sostitu\w+|aggiorn\w+|scriv\w+|"
    r"riscriv\w+|accorci\w+|traduc\w+|invece|anziché|piuttosto|aggiung\w+|togli\w*|diventa\w*|non)\b",
    re.IGNORECASE,
)
_ANOTHER: Final = re.compile(
    r"\W*(?:(?:and|now|please|ok|okay|e|ora|adesso)\b\W*)*(?:(?:do )?the same (?:for|with)|"
    r"(?:and )?another(?: one)?|one more|(?:fai )?lo stesso (?:per|con)|(?:e )?un[' ]?altr[oa])\b",
    re.IGNORECASE,
)
_TO_REMEMBER: Final = re.compile(
    r"^(?!\s*(?:do|did|can|could|what|who|ti|cosa|chi)\b).*"
    r"\b(?:remember|don['’]t forget|keep in mind|note that|memori[sz]e|"
    r"ricorda(?:ti|telo)?|tieni a mente|tieni presente|non dimenticare|memorizza|prendi nota)\b",
    re.IGNORECASE | re.DOTALL,
)
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


def asks_only(message: str) -> bool:
    """Whether the user's ``message`` only asks about what exists."""
    return _ASKS_ONLY.match(message) is not None


def wants_archived(message: str) -> bool:
    """Whether the user's ``message`` asks to archive something, and to delete nothing."""
    asked = unquoted(examined(message))
    return _ARCHIVES.search(asked) is not None and not _DELETES.search(asked)


def goes_on_asking(message: str) -> bool:
    """Whether the user's ``message`` repeats the previous question about something else, such as “And in Garden?”."""
    return _GOES_ON_ASKING.fullmatch(message) is not None


def asks_to_see(message: str) -> bool:
    """Whether the user's ``message`` asks to see something, and for nothing else."""
    asked = unquoted(examined(message))
    if not _SEES.match(message) or _COMPOSES.match(asked):
        return False
    return not any(beside.search(asked) for beside in (_WANTED, _FURTHER, _AS_STATE))


def asks_to_read(message: str) -> bool:
    """Whether the user's ``message`` asks to see a text itself, and not for a detail or a summary of it."""
    return asks_to_see(message) and _READS.match(message) is not None


def asks_for_rows(message: str) -> bool:
    """Whether the user's ``message`` asks to see rows, named by their kind or a property such as “due”."""
    return asks_to_see(message) and _OF_ROWS.search(message) is not None


def asks_of_notes(message: str) -> bool:
    """Whether the user's ``message`` asks for something that the notes say."""
    return asks_only(message) and _MY_NOTES.search(unquoted(examined(message))) is not None


def asks_how_many(message: str) -> bool:
    """Whether the user's ``message`` asks for a number of rows."""
    return _COUNTS.search(message) is not None


def names_days(message: str) -> bool:
    """Whether the user's ``message``, which asks for a list, says when its rows are due."""
    return not _DAY_WORDS.isdisjoint(words_of(message).split())


def names_states(message: str) -> bool:
    """Whether the user's ``message``, which asks for a list, names a state of its rows."""
    return not _STATE_WORDS.isdisjoint(words_of(message).split())


def asks_for_all(message: str, given: str = "") -> bool:
    """Whether the user's ``message`` asks for all rows of a kind or their number, limited only by states and days.

    ``given`` are other words that may limit them, such as a person's name.
    """
    words = set(words_of(message).split())
    return asks_only(message) and words <= _LIST_WORDS.union(words_of(given).split())


def asks_to_reach(message: str) -> bool:
    """Whether the user's ``message`` wants something sent to someone, and not a row about it."""
    return _SENDS.match(message) is not None and not _KEPT.search(unquoted(message))


def asks_of_the_world(message: str) -> bool:
    """Whether the user's ``message`` asks for weather, news or prices, and not for rows about them."""
    asked = unquoted(examined(message))
    is_asked = asks_only(message) and _OF_THE_WORLD.search(asked) is not None
    return is_asked and not _KEPT_ROWS.search(asked) and not _EXPLAINS.search(asked)


def continues_change(message: str) -> bool:
    """Whether the user's ``message`` adds a detail to what was created or shown before, so that this changes."""
    return len(message) <= _MAX_ORDER_CHARS and _CONTINUES.match(message) is not None


def names_change(message: str) -> bool:
    """Whether the user's ``message`` has a word for creating, changing or deleting something."""
    return _WANTED.search(examined(message)) is not None


def asks_for_change(message: str) -> bool:
    """Whether the user's ``message`` asks for something to be created, changed or deleted."""
    return names_change(message) and not asks_only(message)


def orders_change(message: str) -> bool:
    """Whether the user's ``message`` orders to create, change or delete a row, and says little else."""
    # The length comes first, because these expressions are slow for long texts.
    if len(message) > _MAX_ORDER_CHARS:
        return False
    return _ORDERS_UPDATE.match(message) is not None or _ORDERS_NEW.match(message) is not None


def orders_update(message: str) -> bool:
    """Whether the user's ``message`` orders to change or delete an existing row. “Set the alarm” creates one."""
    if not orders_change(message) or _ORDERS_NEW.match(message) or _A_NEW_ONE.search(unquoted(message)):
        return False
    return _AS_STATE.search(unquoted(message)) is not None or _MAY_BE_NEW.match(message) is None


def leaves_state(message: str) -> bool:
    """Whether the user's ``message`` orders a change of a row, such as a move, and says nothing of its state."""
    asked = examined(message)
    return _ORDERS_BESIDE_STATE.search(unquoted(asked)) is not None and not _STATE.search(asked)


def may_rename(message: str) -> bool:
    """Whether the user's ``message`` may ask for another title of an existing row: it has any word for that."""
    return _RENAMES.search(unquoted(examined(message))) is not None


def asks_for_another(message: str) -> bool:
    """Whether the user's ``message`` asks for a row like the one before, such as “The same for “Order tables””."""
    return len(message) <= _MAX_ORDER_CHARS and _ANOTHER.match(message) is not None


def asks_to_remember(message: str) -> bool:
    """Whether the user asks to remember something, and not whether it is remembered."""
    return _TO_REMEMBER.search(examined(message)) is not None


def asks_for_text(message: str) -> bool:
    """Whether the user's ``message`` asks for a text, such as a draft or a translation, and for no change of a row.

    What such an answer says in the first person is not what the assistant has done.
    """
    asked = unquoted(examined(message))
    return _WANTS_TEXT.match(asked) is not None and not _WANTS_MORE.search(asked)
