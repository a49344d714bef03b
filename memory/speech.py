"""Which words of a message are the user's own statements, as far as grammar shows, in English and Italian. Pure.

Texts that are to be translated or rephrased are not, nor is what others wrote or said, nor what the user doubts. What
the user's own doctor has told them counts as their own statement.
"""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Final

from memory.search.words import folded

CLAUSE_ENDS: Final = frozenset({*(",", ";", ":"), *("because", "but", "while"), *("ma", "mentre", "pero", "perche")})
DENIALS: Final = frozenset(
    {
        *("cannot", "if", "neither", "never", "no", "none", "nor", "not", "nothing", "quit", "stopped", "unless"),
        *("whether", "without"),
        *("mai", "neanche", "nemmeno", "neppure", "nessun", "nessuna", "nessuno", "niente", "non", "nulla", "se"),
        *("senza", "smesso"),
    }
)
"""Words that negate a clause or make it uncertain."""
_WORD: Final = re.compile(r"\w+|[,;:]")
_REWRITES: Final = (
    r"translat\w*|rephras\w*|reword\w*|rewrit\w*|paraphras\w*|proofread\w*|spell-?check\w*|summari[sz]\w*"
    r"|tradu[crz]\w*|riscriv\w*|riformul\w*|parafras\w*|riassum\w*"
)
_WROTE: Final = r"writes|wrote|written|says|said|texted|replied|scrive|scrivono|scritto|dice|dicono|detto|risposto"
_TONGUE: Final = (
    r"(?:english|italian|french|german|spanish|portuguese|dutch|russian|chinese|japanese|arabic|latin"
    r"|inglese|italiano|francese|tedesco|spagnolo|portoghese|olandese|russo|cinese|giapponese|arabo|latino)"
)
_LANGUAGE: Final = rf"in(?:to)? {_TONGUE}"
_WRITES: Final = (
    r"(?:please |(?:can|could) you |per favore )?"
    r"(?:correct|fix|improve|polish|shorten|put|draft|write|send"
    r"|correggi|migliora|accorcia|metti|scrivi|manda|invia)\b[^\n:]*"
    r"\b(?:text|sentence|phrase|paragraph|e-?mail|mail|message|letter|reply"
    rf"|testo|frase|paragrafo|messaggio|lettera|risposta|{_LANGUAGE})\b"
)
_TEXT: Final = r"(?:e-?mail|mail|messages?|letter|text|chat|post|transcript|messaggi[o]?|lettera|testo|conversazione)"
_SHOWS: Final = (
    rf"(?:here(?:['’]s| is| are)|this is|ecco|quest[oa] è)\b[^\n:]*\b{_TEXT}\b[^\n:]*"
    rf"|(?:the |a |una? |il |la |lo )?{_TEXT} (?:from|by|di|da|del|della|dal|dalla)\b[^\n:]*|\w+['’]s {_TEXT}"
    r"|(?:please |(?:can|could) you |per favore )?"
    r"(?:(?:reply|respond) to|answer (?:this|that|the|him|her|them)|rispondi a)\b[^\n:]*"
)
_SAY: Final = r"how (?:do|would|can) (?:you|i|we) (?:say|write)|come si (?:dice|scrive)"
_IN_OTHER_WORDS: Final = (
    rf"(?:(?:the|what(?:['’]s| is)(?: the)?|il|qual è il) )?{_TONGUE}"
    r"(?: (?:for|of|word|phrase|translation|version|per|di))+"
    rf"|(?:and |now |e |ora )?in {_TONGUE}"
    r"|(?:correct|fix|improve|polish|shorten|correggi|migliora|accorcia)(?: (?:this|that|it|me|my|quest[oa]))*"
    r"|[^\n]*\b(?:this|the following|quest[oa]|(?:il|la) seguente) "
    r"(?:text|sentence|phrase|paragraph|passage|line|string|words?|testo|frase|paragrafo|brano|riga|parola)"
)
_TO_REWRITE: Final = re.compile(
    rf"\b(?:{_REWRITES}|{_SAY})\b|^{_WRITES}|^\s*(?:{_SHOWS}|{_IN_OTHER_WORDS})\s*$", re.IGNORECASE
)
"""“Translate into Italian: …”, “German for: …” and “Message from Bob: …”, up to the colon."""
_QUOTE: Final = re.compile(r"[\"“«”»]")
_SAYS: Final = re.compile(
    r"\b(?:say|write|spell|pronounce|put|express|di['’]?|dimmi|scriv\w+|pronunci\w+|esprim\w+)\b", re.IGNORECASE
)
_IN_TONGUE: Final = re.compile(rf"\b{_LANGUAGE}\s*(?:[.,;:!?)]|$|please\b|per favore\b)", re.IGNORECASE)
_NEAR_QUOTE: Final = 40
"""How many characters before and after a quotation say what is to be done with it."""
_ADDRESS: Final = r"<(?:mailto:)?[^<>@\s]+@[^<>@\s]+>"
_WRITTEN: Final = re.compile(rf"\b(?:{_WROTE})\b[^:]*:\s*$|{_ADDRESS}[^:<]*:\s*$", re.IGNORECASE)
"""The line above a quoted text: “On 3 May 2026 at 10:04, Bob wrote:”; with an address in any language."""
_HEAD: Final = "to|a|cc|sent|date|subject|inviato|data|oggetto|destinatario"
_MAIL: Final = re.compile(
    r"-{4,} ?(?:original|forwarded|messaggio)[^\n]*"
    rf"|(?:from|da|mittente): (?:[^\n]*@[^\n]*\n(?:{_HEAD}): "
    rf"|[^\n]*\n(?:(?:{_HEAD}): [^\n]*\n)*?(?:subject|oggetto): )"
    rf"|\w{{1,12}}: [^\n<]*{_ADDRESS}[^\n]*\n\w{{1,12}}: "
    r"|(?:subject|oggetto): [^\n]*\n\s*\n",
    re.IGNORECASE,
)
"""Matches the beginning of the header of a mail, but not “From: Turin”, “To: Milan”."""
_MAX_HEADER_LINES: Final = 6
_FENCED: Final = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_ELEMENT: Final = re.compile(
    r"<(?P<tag>blockquote|pre|code|q|cite)\b[^<>\n]{0,200}>.*?(?:</(?P=tag)>|\Z)", re.IGNORECASE | re.DOTALL
)
_GREETING: Final = re.compile(
    r"\s*(?:dear|hi|hello|hey|good (?:morning|evening)|gentil[ei]|car[oaie]|ciao|salve|buongiorno|buonasera)\s+"
    r"(?!(?:adiuva|assistant|assistente|there|again|everyone|all|tutti|a tutti)\b)[^\W\d][^\n:.!?]{0,40}[,!]?\s*$",
    re.IGNORECASE,
)
_SIGN_OFF: Final = re.compile(
    r"\s*(?:(?:with )?(?:(?:all the )?best|(?:best|kind|warm|many) (?:regards|wishes)|regards|cheers|love|"
    r"(?:yours|sincerely)(?: \w+)?|xx+|(?:cordiali|tanti|cari|un caro)? ?salut[oi]|un abbraccio|con affetto))[,.!]?"
    r"(?:\s+[^\W\d][\w.'’-]{0,30}){0,3}\s*$",
    re.IGNORECASE,
)
"""The end of a letter: “Best wishes, Bob”."""
_HOUR: Final = r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: ?[aApP]\.?[mM]\.?)?"
_DAY: Final = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? (?:at |alle )?"
_SENT: Final = rf"(?:{_DAY}|(?:today at|yesterday at|oggi alle|ieri alle) ){_HOUR}"
_TIME: Final = rf"(?:\[(?:{_DAY})?{_HOUR}\]|\((?:{_DAY})?{_HOUR}\)|{_DAY}{_HOUR})"
_CAPITAL: Final = r"[^\W\d_a-zà-öø-ÿ][\w.'’-]*"
_OF_CHAT: Final = re.compile(rf"\s{{0,9}}(?:{_TIME}(?: ?[-–])? ?[^:\n]{{1,40}}: |[^:\n\d]{{1,40}} {_TIME}: )")
"""Matches the beginning of a line of a chat that has a time: “[10:04] Bob: ”, “Bob (10:04): ”."""
_ABOVE: Final = re.compile(
    rf"[^:\n\d\[\]]{{1,40}}(?:, \[(?:{_DAY})?{_HOUR}\]| — {_SENT}| {{2,}}{_HOUR})\s*$"
    rf"|\[(?:{_DAY})?{_HOUR}\](?: ?[-–])? [^:\n\d\[\]]{{1,40}}$",
    re.IGNORECASE,
)
"""Matches the line above a message of a chat: “Bob — Today at 10:04”, “Bob  10:04 AM”, “[10:04] Bob”."""
_SPEAKER: Final = re.compile(
    rf"\s*(?:[-*•] )?(?:{_HOUR},? [-–]? ?)?[*_]*({_CAPITAL})(?: {_CAPITAL}){{0,2}}[*_]* ?: [*_]*"
)
"""Matches the beginning of one without a time: “Bob: ”."""
_SMALL_SPEAKER: Final = re.compile(r"\s*([\w.'’-]{1,20}(?: [\w.'’-]{1,20})?): ")
"""Matches the beginning of one in small letters, which counts only if one speaks of its author: “bob: i …”."""
_OF_AUTHOR: Final = re.compile(
    r"(?:i|i['’](?:m|ve|d|ll)|im|ive|my|io|sono|ho|vivo|abito|lavoro|mi chiamo|preferisco|odio|amo)\b", re.IGNORECASE
)
"""Matches the beginning of what a speaker in small letters says of themselves."""
_IN_CHAT: Final = re.compile(rf"\s*(?:<[^<>\n]{{1,40}}>|@\w{{1,40}}:|{_CAPITAL}>) ")
"""Matches “<Bob> ”, “@bob: ” and “Bob> ” at the beginning of one."""
_OF_SELF: Final = re.compile(
    r"\b(?:I\b|(?i:my|mine|me|we|our|us|io|mio|mia|mie|miei|mi|ci|noi|nostr[oaie]|sono|siamo|ho|abbiamo|vivo|abito"
    r"|lavoro|preferisco|odio|amo|devo|voglio|vorrei)\b)"
)
_HEADINGS: Final = frozenset(
    {
        *("about", "actually", "address", "allergies", "allergy", "also", "answer", "anyway", "background", "bio"),
        *("birthday", "btw", "contact", "context", "correction", "detail", "details", "diet", "exception", "fact"),
        *("facts", "family", "finally", "first", "food", "fyi", "goal", "goals", "health", "hello", "hi", "hobbies"),
        *("hobby", "home", "idea", "important", "info", "job", "keep", "listen", "look", "me", "memo", "my", "name"),
        *("nb", "news", "no", "note", "notes", "ok", "okay", "personal", "phone", "plan", "preference"),
        *("preferences", "problem", "profile", "project", "ps", "question", "remember", "reminder", "role", "rule"),
        *("save", "second", "situation", "sorry", "status", "store", "summary", "task", "thanks", "the", "tip"),
        *("today", "tomorrow", "update", "warning", "well", "work", "yes"),
        *("age", "breakfast", "car", "city", "commute", "country", "dinner", "dislikes", "education", "experience"),
        *("favourite", "favourites", "hates", "height", "language", "languages", "likes", "lunch", "medication"),
        *("money", "music", "pet", "pets", "religion", "schedule", "school", "size", "skills", "sleep", "sport"),
        *("sports", "travel", "weekend", "weight"),
        *("allergia", "allergie", "anche", "annota", "attenzione", "attivita", "casa", "cibo", "ciao", "compleanno"),
        *("contesto", "correzione", "dettagli", "dieta", "domanda", "domani", "ecco", "famiglia", "fatti", "grazie"),
        *("importante", "indirizzo", "io", "lavoro", "nome", "nota", "novita", "obiettivi", "obiettivo", "oggi"),
        *("piano", "preferenza", "preferenze", "problema", "profilo", "progetto", "promemoria", "regola", "ricorda"),
        *("ricordati", "risposta", "ruolo", "salute", "scusa", "senti", "stato", "telefono"),
        *("altezza", "animali", "auto", "cena", "citta", "colazione", "eta", "farmaci", "gusti", "lingua", "lingue"),
        *("macchina", "musica", "orari", "peso", "pranzo", "scuola", "soldi", "sonno", "studi", "taglia", "viaggi"),
    }
)
"""Words that may be before a colon and are no speaker, in plain letters: “Reminder: I …”."""

_REPORTS: Final = re.compile(
    rf"{_REWRITES}|{_WROTE}|according|almost|nearly|alleged\w*|assert\w*|assum\w*|believ\w*|claim\w*|doubt\w*|false|falsely|fictional"
    r"|dream(?:ed|t)|heard|hypothetical\w*|imagin\w*|insists?|lie|lied|lies|maybe|might|myth|nonsense|perhaps|pretend\w*|reckons|suppos(?:e|ing)"
    r"|rumou?rs?|supposed\w*|thinks|thought|told|untrue|wonder\w*|wrong|wrongly"
    r"|afferma(?:no)?|bugia|crede|credeva\w*|credono|dubit\w*|falso|finche|fing\w*|forse|immagin\w*|ipotetic\w*|magari|pensa(?:no)?"
    r"|pensava\w*|presum\w*|quasi|ritengono|ritiene|sbagliat\w*|sentito|sostengono|sostiene|sogna(?:to|vo)|suppon\w*"
)
"""A word that marks its clause as reported or doubtful, in the form that ``plain`` gives."""
_FICTION: Final = frozenset({"fairytale", "film", "movie", "musical", "novel", "screenplay", "story", "tale"})
_OFTEN_FICTION: Final = frozenset(
    {"book", "comic", "dream", "game", "opera", "play", "script", "series", "show", "song"}
)
"""As ``_FICTION``, if the user then says “I”: “In the play I live …”, but not “In my book club I …”."""
_I: Final = frozenset({",", "i", "my", "we"})
_NARRATIVES: Final = frozenset(
    {"canzone", "commedia", "copione", "fiaba", "film", "fumetto", "gioco", "libro", "opera", "racconto", "recita"}
    | {"romanzo", "serie", "sogno", "storia"}
)
"""As ``_FICTION``, in Italian."""
_CHARACTERS: Final = frozenset({"character", "personaggio"})
_WISHES: Final = frozenset({"i", "my", "that", "we"})
"""What comes after “wish” if it says what is not so. Someone may also wish to be called otherwise."""
_BY_ME: Final = frozenset({"abbiamo", "ho", "i", "we"})
_BETWEEN: Final = frozenset({"already", "also", "always", "d", "gia", "had", "have", "just", "only", "sempre", "ve"})
"""Words that may be between “I” and “said”."""
_BY_ME_SO: Final = re.compile(rf"(?:{_WROTE}|assert\w*|believe|claim|insist|told|sostengo)")
"""Those of ``_REPORTS`` with which users make statements themselves: “I said …”."""
_TRUE: Final = frozenset({"right", "true", "vero"})
_MINE: Final = frozenset({"my", "mio", "mia"})
_EXPERTS: Final = frozenset(
    {
        *("allergist", "cardiologist", "dentist", "dermatologist", "dietician", "dietitian", "doctor", "gp", "midwife"),
        *("nurse", "nutritionist", "optician", "paediatrician", "pediatrician", "physician", "psychologist"),
        *("specialist", "surgeon", "therapist"),
        *("allergologa", "allergologo", "cardiologa", "cardiologo", "dentista", "dermatologa", "dermatologo"),
        *("dietista", "dottore", "dottoressa", "fisioterapista", "ginecologa", "ginecologo", "medico", "nutrizionista"),
        *("oculista", "pediatra", "psicologa", "psicologo"),
    }
)
"""People whose words about the user count as the user's own: “My doctor told me I'm allergic to nuts”."""
_EXPERTLY: Final = frozenset({"detto", "dice", "said", "says", "told"})
_BEFORE_SELF: Final = frozenset({"che", "me", "that"})
_SELF: Final = frozenset({"ho", "i", "sono"})
_RETURNS: Final = frozenset({"but", "ma", "pero"})
"""Words that end reported speech."""
_MAX_BETWEEN: Final = 4
_BARE: Final = {
    **dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF]),
    0xA0: " ",
    0x202F: " ",
    0xFF1A: ":",
    0xFF1E: ">",
}
"""Messengers put such characters into what one copies from them."""
_MAX_TAG_WORDS: Final = 4
"""The maximum number of words in a part like “, says Bob” or “, which is wrong”."""


def own_words(message: str) -> str:
    """``message`` without the texts that the user has quoted in it: those of others, and those to be rephrased.

    The lines that announce them are also removed. Such a text extends to the end of the message, or, if it begins on
    the line of the request, to the end of that line. Of a chat, each line that names its speaker is removed.
    """
    lines = _ELEMENT.sub("", _FENCED.sub("", message)).split("\n")
    # Whether a line is the user's is found without what no one sees; the line stays as it is.
    bare = [line.translate(_BARE) for line in lines]
    return "\n".join(lines[at] for at in _own_lines(bare[: _begin_of_letter(bare)]))


def _begin_of_letter(lines: Sequence[str]) -> int:
    """The position of the line that greets someone, if a letter to them begins there; else the number of ``lines``."""
    greetings = [at for at, line in enumerate(lines) if _GREETING.match(line)]
    is_signed = bool(greetings) and any(_SIGN_OFF.match(line) for line in lines[greetings[0] + 1 :])
    return greetings[0] if is_signed else len(lines)


def _own_lines(lines: Sequence[str]) -> list[int]:
    """The positions of the user's own ``lines``."""
    kept: list[int] = []
    rest = _without_chat(lines)
    for number, at in enumerate(rest):
        line = lines[at]
        request, colon, given = line.partition(":")
        is_rewritten = _puts_in_tongue(line) or (bool(colon) and _TO_REWRITE.search(request) is not None)
        head = "\n".join(lines[each] for each in rest[number : number + _MAX_HEADER_LINES])
        is_above = number + 1 < len(rest) and (_WRITTEN.search(line) or _ABOVE.match(line) or _MAIL.match(head))
        if is_above or (is_rewritten and colon and not given.strip()):
            break
        if not (is_rewritten or line.lstrip().startswith(">")):
            kept.append(at)
    return kept


def _puts_in_tongue(line: str) -> bool:
    """Whether ``line`` wants something quoted in another language: “Say “I live in Rome” in French”."""
    quotes = [quote.start() for quote in _QUOTE.finditer(line)]
    if len(quotes) < 2:
        return False
    first, last = quotes[0], quotes[-1] + 1
    is_said = _SAYS.search(line, max(0, first - _NEAR_QUOTE), first) is not None
    return is_said and _IN_TONGUE.search(line[last : last + _NEAR_QUOTE]) is not None


def is_reported(sentence: str, start: int, end: int) -> bool:
    """Whether any word of ``sentence`` between the characters ``start`` and ``end`` is reported or doubtful."""
    words, before, upto = (_WORD.findall(folded(part)) for part in (sentence, sentence[:start], sentence[:end]))
    return any(reported(words)[len(before) : len(upto)])


def reported(words: Sequence[str]) -> list[bool]:
    """For each of the ``words`` of a sentence, in plain letters, whether it is reported or doubtful.

    Reported speech continues after commas, up to “but”. The words that mark it may come last, as in “I am tall, says
    Bob”.
    """
    is_told, told, all_before = False, [False] * len(words), 0
    starts = [0, *(at + 1 for at, word in enumerate(words) if word in CLAUSE_ENDS)]
    for start, end in pairwise([*starts, len(words) + 1]):
        is_told = is_told and words[start - 1] not in _RETURNS
        found = [at for at in range(start, end - 1) if _reports(words, at)]
        if found:
            is_told = True
            is_tag = end - 1 - start <= _MAX_TAG_WORDS and not {start, end - 2}.isdisjoint(found)
            all_before = start if is_tag else all_before
        told[start : end - 1] = [is_told] * (end - 1 - start)
    told[:all_before] = [True] * all_before
    return told


def _without_chat(lines: Sequence[str]) -> list[int]:
    """The positions of ``lines`` without those that begin with the name of a speaker.

    Names without a time count only if a line speaks of its author, or if one of several names has more than one line.
    The words before a colon that are usual headings are no names.
    """
    spoken = {line: said for line in lines if (said := _said_by_another(line))}
    is_chat = any(_OF_SELF.search(said) for said in spoken.values())
    found = ((line, _SMALL_SPEAKER.match(line)) for line in lines)
    named = [(line, name) for line, head in found if head and (name := folded(head[1])) not in _HEADINGS]
    speaks = any(" " not in name and _OF_AUTHOR.match(line, len(name) + 2) for line, name in named)
    has_dialogue = speaks or 1 < len({name for _, name in named}) < len(named)
    others = {*(spoken if is_chat else ()), *((line for line, _ in named) if has_dialogue else ())}
    return _positions_without(lines, others)


def _positions_without(lines: Sequence[str], spoken: Collection[str]) -> list[int]:
    return [at for at, line in enumerate(lines) if not (line in spoken or _OF_CHAT.match(line) or _IN_CHAT.match(line))]


def _said_by_another(line: str) -> str:
    """What ``line`` says after the name of a speaker; empty if it has none."""
    speaker = _SPEAKER.match(line)
    return "" if speaker is None or folded(speaker[1]) in _HEADINGS else line[speaker.end() :]


def _reports(words: Sequence[str], at: int) -> bool:
    word, before = words[at], words[max(0, at - _MAX_BETWEEN) : at]
    if word in _TRUE:
        return not DENIALS.isdisjoint(before)
    if word == "wish" and not _WISHES.isdisjoint(words[at + 1 : at + 2]):
        return True
    if _is_of_fiction(words, at):
        return True
    if word == "secondo":
        return at == 0 and words[1:2] not in (["me"], ["noi"])
    if word == "say":
        return "let" in before
    if word in _EXPERTLY and _is_of_expert(before, words[at + 1 :]):
        return False
    by = next((each for each in reversed(before) if each not in _BETWEEN), "")
    return _REPORTS.fullmatch(word) is not None and not (by in _BY_ME and _BY_ME_SO.fullmatch(word))


def _is_of_fiction(words: Sequence[str], at: int) -> bool:
    """Whether the word at ``at`` ends a beginning of a clause like “In the novel”, “Nel romanzo” or “My character”."""
    word, before = words[at], words[max(0, at - 3) : at]
    is_fiction = word in _FICTION or (word in _OFTEN_FICTION and not _I.isdisjoint(words[at + 1 : at + 2]))
    if is_fiction and before[-2:-1] == ["in"]:
        return _begins_clause(before, 2)
    is_there = (word in _NARRATIVES and before[-1:] in (["nel"], ["nella"])) or (
        word in _CHARACTERS and not _MINE.isdisjoint(before[-1:])
    )
    return is_there and _begins_clause(before, 1)


def _begins_clause(before: Sequence[str], number: int) -> bool:
    """Whether the last ``number`` words of ``before`` begin a clause."""
    return len(before) == number or before[-number - 1] in CLAUSE_ENDS


def _is_of_expert(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a person like the user's own doctor says something about the user."""
    said_of = next((word for word in after if word not in _BEFORE_SELF), "")
    return said_of in _SELF and any(one in _MINE and other in _EXPERTS for one, other in pairwise(before))
