"""How people say that something changes or ends, and ask about the past, in English and Italian. Pure."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from memory.search.calendar_names import MONTH
from memory.search.vocabulary import word_set
from memory.search.words import comparable, sentences_of, words_of

_SAYS_CHANGE: Final = re.compile(
    r"\b(?:instead|after all|no longer|no more|not? (?:\w+ ){0,5}any ?more|any ?more(?! (?:of|to)\b| \w+s\b)|scrap|"
    r"(?<!don't )(?<!not )(?<!never )forget (?!to\b)|change of plans?|changed?(?: \w+){1,4} to|"
    r"changed? (?:my|our|his|her|their|your) minds?|"
    r"mov(?:ed|es|e|ing)(?: \w+){0,5} to|moved (?:in|out)|goes to|(?:is|are) now|now (?:on|at|in|is|it's)|from now on|"
    r"now(?=\W*\Z|[.,;!])|since (?:the|last|this|" + MONTH + r")|in the end(?! of\b)|"
    # Not “went for a run”.
    r"went for (?!(?:an? |the |my |our )?(?:\w+ )?(?:run|walk|swim|drive|ride|jog|hike|coffee|drinks?|lunch|dinner)\b)|"
    r"currently|slip(?:s|ped) to|passed away|"
    # Not “the light switch”.
    r"switched|switch(?:es|ing)?(?: \w+){0,3} (?:to|from|over)|(?:we|i|they|let's|'ll|will|should) switch|"
    r"swapped|postponed|pushed|brought forward|rescheduled|called off|"
    r"cancel(?:s|l?ed|l?ing|lations?)?|"
    r"(?:cut|raised|lowered|reduced|dropped|upped)(?: \w+){1,4} to|(?:is|are|went|gone|goes) (?:up|down) to|up to \d|"
    r"correction|turns out|let's (?:go for|make it|do|say)|can't (?:\w+ ){1,6}now|(?:is|are) out(?=[,;:])|"
    # “Can't make it” and “make that cake again” change nothing.
    r"(?<!can't )(?<!couldn't )(?<!cannot )make (?:it|that) (?:\d+|an?|at|on|half|noon|instead|next|two|three|four|"
    r"five|six|seven|eight|nine|ten|eleven|twelve|\w+day)|"
    r"replac(?:es?|ed|ing)|convinced me|on second thoughts?|rather than|were wrong|was wrong|"
    r"(?:we're|i'm|is|are) not (?:getting|going|doing|coming)|fine (?:\w+ ){1,4}again|"
    r"(?<!come )(?<!comes )(?<!came )(?<!coming )(?<!get )(?<!got )back from|"
    r"starting(?! to\b)|as of|from (?:" + MONTH + r")|from (?:this|next) (?:week|month|year|term)|going forward|"
    r"these days|invece|non (?:\w+ ){1,4}piu|niente piu|contrordine|cambiat[oaie]|cambiamo|cambio (?:di|idea)|"
    r"d'ora in poi|da (?:" + MONTH + r"|oggi|domani|adesso|quest\w (?:mese|settimana|anno))|"
    r"dal(?:la)? (?:mese|settimana|anno) prossim[oa]|di questi tempi|d'ora in avanti|alla fine(?! d)|"
    # Not “a che ora è la cena” or “un'ora la mattina”.
    r"(?:(?<!che )(?<!un')(?<!mezz')ora|adesso) (?:e|il|la|lo|si|sono|ho|abito|lavoro|sto|faccio|uso)|"
    r"(?:e|ma) adesso|adesso(?=\W*\Z|[.,;!])|ricominciat\w+|"
    r"spost\w+|slitta\w*|rimand\w+|rinvi\w+|anticipat[oaie]|anticip(?:o|a|iamo|ano) (?:al?|alla|il|la|le?)|annull\w+|"
    # “Il cancello” is a gate.
    r"disdett\w+|cancellat[oaie]|(?<!l )cancello (?:il|la|lo|l|i|gli|le)|"
    r"e niente|si passa|passiamo|passa (?:a|al|alla|ai)(?! \w+[aei]r(?:e|\w\w)\b)|trasferit[oaie]|"
    r"(?:e|sono) (?:salit|sces|aument)[oaie]\w*|anzi|"
    r"in realta|ripensat\w+|rinunciato|ribalt\w+|si riprende|facciamol[oa])\b|"
    r"\b(?:is|are|they're) full on\b|\bnot \w+ but\b"
)
_NEW: Final = re.compile(
    # “Di nuovo” is “again”.
    r"\bnew (?!zealand\b|york\b)(\w+)|\b(?<!di )nuov[oaie] (\w+)|(?=\b(?!di\b)(\w{1,30}) nuov[oaie]\b)"
)
_WANTS: Final = re.compile(
    r"\b(?:needs?|wants?|could do with|looking for|serv(?:e|ono)|ci (?:vuole|vogliono)|vorrei|cerco|cerchiamo)\b"
)
"""A new thing that is wanted does not exist yet."""
_SAYS_DOUBT: Final = re.compile(
    r"\b(?:i think|i guess|i believe|maybe|perhaps|probably|not sure|if i remember|as far as i know|or so|"
    r"someone called|"
    r"credo|penso|mi pare|mi sembra|forse|se non sbaglio|se ricordo bene|probabilmente|un[oa]? cert[oa])\b"
)
_ASKS_TO_DELETE: Final = re.compile(
    r"\b(?:delete|remove|scrap|throw (?:\w+ )?away|drop|cancel|get rid of|forget|"
    r"elimina|cancella|togli|rimuovi|butta)\b"
)
_CONFIRMS_CHANGE: Final = re.compile(
    r"\bi(?:'ve| have)? (?:changed|moved|updated|corrected|replaced|rescheduled|raised|lowered|removed|postponed)\b|"
    r"^(?:moved|changed|updated|corrected|rescheduled)\b|"
    r"\bho (?:cambiato|spostato|aggiornato|corretto|modificato|sostituito|alzato|abbassato|tolto|"
    r"rinviato|anticipato)\b|"
    r"^(?:spostat|aggiornat|corrett|cambiat|modificat)[oaie]\b"
)
_CONFIRMS_REQUEST: Final = re.compile(r"^(?:done|all set|ok(?:ay)?|got it|noted|fatto|va bene|segnato)\b")
_CONFIRMS_DELETION: Final = re.compile(
    r"\bi(?:'ve| have)? (?:deleted|removed|cancelled|canceled)\b|^(?:deleted|removed|cancelled)\b|"
    r"\bho (?:eliminato|cancellato|rimosso|tolto)\b|^(?:eliminat|cancellat|rimoss)[oaie]\b"
)
_ENDS: Final = word_set(
    """
    bankrupt booked broke broken burnt burst bust clashes closed closes closing cracked damaged dead died discontinued
    dying ended ends expired expires failed fell finished finishes flooded full gone leaked leaking leaks lost
    overbooked ran selling shut snapped sold stolen taken torn unavailable
    away backed bailed busy declined dropped gave given handed hurt hurts ill injured left leaves leaving missed missing
    pregnant pulled quit quits refused refuses rejected resigned resigns retired retires retiring sacked sick stopped
    stops turned went
    cannot couldn didn doesn hasn isn wasn won wont
    allergic better bored cheaper dear expensive hate hated hates pricey rain raining strike tired worse
    anymore instead longer nope off scrap
    allagata allagato boccia bocciato chiude chiudono chiusa chiuse chiusi chiuso crepata crepato esaurita esaurite
    esauriti esaurito fallita fallito finita finite finiti finito guasta guasto interrotta interrotto morta morto persa
    perso piena pieni pieno rotta rotte rotti rotto rubata rubato scade scaduta scaduto venduta venduto
    ammalata ammalato andata andato buttato dimessa dimesso ferie impegnata impegnato lascia lasciato malata malato
    mollato occupata occupato pensione rifiuta rifiutato rinunciato ritirata ritirato saltata saltato smesso sospesa
    sospeso stufa stufo tolta tolto
    cara caro meglio neanche nemmeno niente ormai piove pioggia sciopero troppa troppe troppi troppo
    adesso anzi invece piu
    """
)
"""Words for the end of plans and habits: something is over, broken, taken or too expensive, someone leaves or cannot.
"""
_DECISIONS: Final = word_set(
    """
    brought bumped cancelled canceled change changed changes delayed doubled downgraded extended extends grew grown
    halved increased lowered measured migrated move moved moves moving postponed pushed raised rebooked recounted
    reduced remeasured renamed rescheduled reset revised shifted shortened shrank slipped slips swapped switch switched
    promoted traded updated upgraded upped
    chose chosen convinced agreed decided elected persuaded rang settled vetoed voted
    abbassato accorpato aggiunto alzato annullata annullato anticipato aumentata aumentato cambia cambiamo cambiata
    cambiato cambio concede concesso disdetta disdetto proroga prorogato rifatta rifatto rimandata rimandato rimisurato
    rinviata rinviato ricontato salito sceso sposta spostano spostata spostato trasferita trasferito
    accettato concordato convinto deciso eletta eletto preferisce preferiscono preferito scelto votato
    """
)
"""Words for something that is moved, measured or decided again."""
_REASONS: Final = _ENDS | _DECISIONS
_NO_REASON: Final = re.compile(
    r"\bstopped (?:by|in|off|over|round)\b|\bdropped (?:by|in|off|round)\b|\bwent (?:well|fine|great|badly)\b|"
    r"\b(?:printed|paid|finished|ticked|signed|sent|showed|kicked|took|takes|taken) off\b|"
    r"\b(?:left|lost) (?:my|our|his|her|their|the|an?) (?:\w+ ){1,2}(?:in|at|on|behind|there)\b"
)
"""“Mum stopped over in the guest room”, “left my goggles in the locker”."""
_NEGATES: Final = re.compile(
    r"\b(?:(?:not|no|never|\w+n't|non|mai|niente)(?! (?:forget|bad|problem|rush|idea|worries|hurry|dimenticar\w*|male|"
    r"problema|fretta|idea)\b)|stopped(?! (?:by|in|off|over|round)\b)|gave up|quit|smesso|mollato)\b"
)
_OF_ONE_DAY: Final = re.compile(
    r"\b(?:today|tonight|yesterday|this (?:week|morning|afternoon|evening)|last (?:night|week)|"
    r"oggi|ieri|stasera|stamattina|stanotte|questa settimana)\b"
)
_STAYS: Final = re.compile(
    r"\b(?:(?:as|the|my|our) usual|same (?:again|as)|the same|identical|as (?:before|ever|always)|unchanged|no change|"
    r"on track|still|back to normal|(?:just (?:the )?|only |just this |only this |for |this )once|one-off|"
    r"for (?:one|two|three|\d+|an?|the) (?:nights?|days?|weeks?|weekend)|"
    r"(?:this|last) (?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|"
    r"over the (?:holidays?|weekend|break)|"
    r"solit[oaie]|stess[oaie]|uguale|identic[oaie]|come (?:sempre|prima|al solito)|ancora|regolare|"
    r"non si tocca\w*|(?:per )?(?:una|questa|quella) volta(?: sola)?|stavolta|"
    r"per (?:un[oa]?|due|tre|\d+|il) (?:nott[ei]|giorn[oi]|settiman[ae]|weekend))\b"
)
_TURNS_BACK: Final = re.compile(
    r"\A\W*(?:(?:hang on|hold on|wait|oops|ops|sorry|(?:ah|eh|er|oh|um) no|actually|make (?:that|it)|i mean|rather|"
    r"scusa\w*|aspetta|macche|anzi|no anzi|facciamo|cioe)\b|"
    r"no(?:pe)?(?=\W*[,.:;!–-]| (?:it's|it is|that's|they're|he's|she's|e|sono)\b))"
)
_ADMITS_MISTAKE: Final = re.compile(
    # “*number 14 sorry”, and no list or bold word of Markdown.
    r"\A\*(?=[^\s*][^*\n]*\Z)|"
    # Not “colour correction”, “a typo on page 12” or “my fault that we lost”.
    r"\A\W*(?:(?:sorry|oops|wait|no|ah|oh)\W+)*(?:correction|typo|my (?:mistake|bad|fault))(?=\W*\Z| ?[,.:;!–-]| it)|"
    r"\b(?:i meant(?! to\b)|i (?:misread|misremembered|mistyped|misspelt|misheard|miscounted|misunderstood)|"
    r"i (?:read|got) (?:it|that|this) wrong|"
    r"mi correggo|volevo dire|intendevo|(?:ho|avevo) (?:letto|visto|capito|scritto|ricordato) male|"
    r"(?:ho|avevo) sbagliato|mi sono sbagliat[oa]|mi sbagliavo|errore mio)\b"
)
_CLAUSE_ENDS: Final = re.compile(r"[,;:(]")
_ENDS_AS_QUESTION: Final = re.compile(r"\?[^\w?]*\Z")
_LEAD: Final = re.compile(r"\A(?:(?:so|and|ok|hey|at|sorry|e|ma|scusa)\W+)+")
_IS: Final = r"(?:is|are|was|were|do|does|did|can|could|should|would|has|have|will)"
_TAG: Final = re.compile(
    r"\W*(?:ok(?:ay)?|right|alright|yes|no|yeah|remember|correct|got it|isn't (?:it|he|she)|aren't (?:we|they)|"
    r"(?:can|could|will|would) you (?:\w+ ){1,3}(?:it|that|this)|"
    r"vero|giusto|si|va bene|d'accordo|ricordi|sai|(?:hai )?capito|non e vero|puoi \w+)(?: please| then)?\W*\Z"
)
"""A question tag after a statement."""
_SUBJECT: Final = r"(?:i|we|you|they|he|she|it|the|my|our|your|his|her|their|this|that|there|any\w*|some\w*)\b"
_ASKS_WHETHER: Final = re.compile(
    # “Will” and “May” are names, too.
    r"(?:is|are|was|were|do|does|did|can|could|should|would|has|shall)(?:n't)? \w|"
    rf"(?:have|had|will|won't|may) {_SUBJECT}|"
    rf"(?:what|which|who|whose|where|why|how)\b|when {_IS}\b|any idea\b|"
    r"(?:che|cosa|chi|dove|quant[oaie]|qual[ei]?|perche|posso|possiamo|puoi|potresti|potremmo|devo|dobbiamo|dovrei|"
    r"dovremmo|conviene|c'e|ci sono|hai|avete|sai|non (?:e|sarebbe) meglio)\b"
)
"""The beginning of a question that ends with a question mark."""
_IF: Final = re.compile(r"(?:if|when|se|quando|come)\b")
_BEGINS_AS_QUESTION: Final = re.compile(
    # Not “when I eat lunch at home it is at two”, nor “which is sold now”.
    rf"(?:what|how)(?: (?!i\b|we\b|you\b)\w+)? {_IS}\b|(?:which|whose) (?!{_IS}\b)\w+ {_IS}\b|"
    rf"(?:when|where|who|why) {_IS}\b|(?:what|where|who|when|how|why)'?s\b|"
    r"(?:do you (?:know|remember)|(?:remind|tell) me) (?:who|what|where|which|how)\b|"
    r"a che ora\b|che (?:ora|giorno)\b|dov'e\b|qual'? ?e\b"
)
ASKING: Final = word_set(
    """
    again find forgot forget got know need needed please pls remember remind still sure tell thanks
    adesso ancora dici dimenticato dimmi ora ricordami ricordi ricordo sai serve trovo
    """
)
"""Words that say nothing about what is asked for again: “wifi password pls”, “non ricordo il codice”."""
_SECOND_VERB: Final = re.compile(
    rf"\A(?!do |remind |tell ).{{0,80}}?(?:\b{_IS}|s)\b.{{1,80}}\b(?:is|are|it's)\b|\b(?:adesso|ora) e\b"
)
"""“Where the gym was is a bank now”."""
_WAY_BACK: Final = re.compile(
    r"\b(?:return (?:flight|train|ticket|bus|ferry|trip|journey|leg)|"
    r"(?:flight|train|bus|coach|ferry|trip|way|journey|fly|flies|flying) (?:back|home)|"
    r"(?:volo|treno|viaggio|biglietto|pullman|traghetto|al|il|per il) (?:di )?ritorno)\b"
)
_TITLE: Final = re.compile('[“"«]([^”"»]{3,80})[”"»]')
_PLACE: Final = re.compile(r"\b(?:from|in|off|da|d[ae]l(?:l[ao])?|nel(?:l[ao])?) (?:[\w']+ ){0,3}" + _TITLE.pattern)
"""The title of the list from which something was deleted: “Party” in “I removed “Peanuts” from “Party””."""
_ROWS: Final = word_set("checkpoint note project reminder task attivita nota progetto promemoria traguardo")
_DECIDED: Final = (
    r"(?: \w+)? (?:settle|decide|agree|choose|chose|pick|plan|arrange|book|go (?:for|with)|end up|"
    r"deciso|scelto|concordato|stabilito|programmato|prenotato|organizzato|pensato di)"
)
"""A question about a decision asks for what holds now: “which sofa did we go for?”"""
_PAST: Final = re.compile(
    r"\b(?:used to|previous(?:ly)?|former(?:ly)?|original(?:ly)?|initial(?:ly)?|in the past|earlier|back then|"
    # Not “is the library open until six” or “the old people's home”.
    r"at the time|until (?:now|recently|lately|then)|(?:did|was|were|had)\b.{0,80}\buntil|no longer|"
    r"any ?more(?=\W*\Z|[,;:]| or\b)|(?<!how )(?<!years )old(?! (?:people|age|town|friends?)\b)|"
    r"history|changed?|over time|ever|"
    # “Before Easter” and “the first evening” may be in the future.
    r"before(?=\W*\Z|\W+(?:that|then)\b)|(?:did|was|were|had)\b.{0,80}\bbefore|at first|(?:i|we|you|he|she|they) first|"
    r"(?:agreed?|asked|booked|chosen|picked|planned|said|told|wanted) first|"
    r"first (?:choice|idea|offer|plan|quote|version)|"
    r"(?<!la )(?<!alla )(?<!della )prima(?! (?:di (?!che\b|chi\b|cosa\b|quale?\b)|del|dell['’]|della|delle|dei|degli))|"
    r"preceden\w*|in passato|una volta|in origine|originari\w*|inizial\w*|all['’]inizio|un tempo|(?:da|di) allora|"
    r"allora(?=\W*\Z)|"
    r"vecchi[oaie]|finora|non più|cambiat\w*|storia d\w+|mai)\b|"
    rf"\b(?:did (?:i|we)(?!{_DECIDED}\b)|did (?:my|our|the)|(?:was|were|had) (?:i|we|my|our|the))\b|"
    rf"\b(?:avevo|avevamo)\b(?!{_DECIDED}\b)|"
    rf"\b(?:aveva|avevano)\b(?!{_DECIDED}\b)|"
    r"\b(?:(?:viv|vol|dov|fac|prend)ev|(?:abit|lavor|pens|and|us|pag|guid|cost)av)(?:o|a|amo|ano)\b|"
    r"\b(?:ero|era|erano|eravamo|mi piaceva)\b",
    re.IGNORECASE,
)
_NEVER: Final = re.compile(r"\bnon (?:\w+ ){1,3}mai\b", re.IGNORECASE)
"""“Cosa non mangio mai?” asks for what holds now."""
_PAST_TENSE: Final = re.compile(
    r"\b(?:did (?!(?:i|we) (?:plan|book|decide|agree|choose|arrange)\b)|was|were|had|came|went|said|gave|met|"
    # Not “the dinner I told you about”, “have I got”, “my paid leave”.
    r"told(?! you (?:about|of)\b)|got|paid(?! (?:leave|holiday|vacation|time|parking)\b)|"
    r"saw|took|made|brought|bought|happened|"
    r"(?:ho|hai|ha|abbiamo|hanno) "
    r"(?!conferm|decis|fissat|gratuit|organizzat|prenotat|prest|previst|programmat|quest|scelt|tutt)"
    r"\w+(?:[aiu]t|tt|st|[rn]s)[oaie]|"
    # With other verbs it is a state: “chi è invitato”.
    r"(?:è|e'|sono) (?:andat|arrivat|cambiat|cominciat|costat|entrat|finit|iniziat|mort|nat|partit|passat|rimast|"
    r"saltat|salit|sces|stat|success|tornat|uscit|venut)[oaie]|era|erano|ero|eravamo|"
    r"(?:(?:abit|and|cant|cerc|cost|guid|lavor|mangi|pag|parl|pens|port|st|suon|us)av|"
    r"(?:av|bev|dic|dov|fac|legg|pot|prend|sap|ten|ved|viv|vol)ev|(?:dorm|part|usc|ven)iv)(?:a|o|ano|amo))\b"
)
"""Past tenses in questions."""
_HAS_GOT: Final = re.compile(r"\b(?:have|has|i've|we've|\w+'s) (?:\w+ ){0,2}?got\b")
_CLAUSE_CHARS: Final = 60
"""How much of a clause is read before “new”."""
ANSWER_CHARS: Final = 200
"""How much of an answer is read to see what was done."""


def says_change(plain: str) -> bool:
    """Whether a text (as ``comparable``) says that something changes."""
    return _SAYS_CHANGE.search(plain) is not None


def new_things(plain: str) -> list[str]:
    """The words for new things in a text (as ``comparable``): “number” in “my new number”."""
    if "new " not in plain and "nuov" not in plain:
        return []
    return [word for match in _NEW.finditer(plain) if not _is_wanted(plain, match) for word in match.groups() if word]


def _is_wanted(plain: str, new: re.Match[str]) -> bool:
    """Whether the clause says that the new thing is wanted."""
    begin = max(new.start() - _CLAUSE_CHARS, 0)
    return _WANTS.search(_CLAUSE_ENDS.split(plain[begin : new.start()])[-1]) is not None


def gives_reason(plain: str, words: Iterable[str]) -> bool:
    """Whether a text (as ``comparable``, with these ``words``) gives a reason why something may no longer hold."""
    return not _REASONS.isdisjoint(words) and not _REASONS.isdisjoint(words_of(_NO_REASON.sub(" ", plain)))


def says_decision(words: Iterable[str]) -> bool:
    """Whether ``words`` (folded) say that something was moved, measured or decided again."""
    return not _DECISIONS.isdisjoint(words)


def negates(plain: str) -> bool:
    """Whether a text (as ``comparable``) denies something."""
    return _NEGATES.search(plain) is not None


def is_of_one_day(plain: str) -> bool:
    """Whether a text (as ``comparable``) is about the day or week on which it was said."""
    return _OF_ONE_DAY.search(plain) is not None


def says_it_stays(plain: str) -> bool:
    """Whether a text (as ``comparable``) says that something stays as it was, or is an exception."""
    return _STAYS.search(plain) is not None


def corrects(plain: str) -> bool:
    """Whether a text (as ``comparable``) may correct the statement before it: “hang on”, “scusa”, “I misread it”."""
    return _TURNS_BACK.match(plain) is not None or admits_mistake(plain)


def admits_mistake(plain: str) -> bool:
    """Whether a text (as ``comparable``) says that the statement before it was wrong."""
    return _ADMITS_MISTAKE.search(plain) is not None


def is_question(plain: str) -> bool:
    """Whether a text (as ``comparable``) asks something and states nothing.

    Without a question mark, only clear questions count, so that no statement is lost.
    """
    sentences = sentences_of(plain)
    return bool(sentences) and all(map(_asks, sentences))


def _asks(sentence: str) -> bool:
    sentence = _LEAD.sub("", sentence)
    *clauses, last = _CLAUSE_ENDS.split(sentence)
    if not _ENDS_AS_QUESTION.search(sentence):
        return _BEGINS_AS_QUESTION.match(sentence) is not None and not clauses and not _SECOND_VERB.search(sentence)
    if _ASKS_WHETHER.match(sentence):
        return True
    if clauses and _TAG.match(last):
        return False
    # “Yoga moved to Thursday, how do I get there?” states something, “if I move it, do I get there?” does not.
    return _IF.match(sentence) is not None or not any(says_change(each) or new_things(each) for each in clauses)


def is_of_way_back(plain: str) -> bool:
    """Whether a text (as ``comparable``) is about a way back."""
    return _WAY_BACK.search(plain) is not None


def says_doubt(plain: str) -> bool:
    """Whether the author of a text (as ``comparable``) is not sure of it."""
    return _SAYS_DOUBT.search(plain) is not None


def confirms_change(answer: str) -> bool:
    """Whether an answer says that the assistant has changed something."""
    return _CONFIRMS_CHANGE.search(_beginning(answer)) is not None


def confirms_request(answer: str) -> bool:
    """Whether an answer says that the assistant has done as asked."""
    return _CONFIRMS_REQUEST.search(_beginning(answer)) is not None


def is_deleted(plain: str, answer: str) -> bool:
    """Whether a text (as ``comparable``) asks to delete something, and the answer confirms it."""
    return _ASKS_TO_DELETE.search(plain) is not None and _CONFIRMS_DELETION.search(_beginning(answer)) is not None


def titles_in(answer: str) -> list[str]:
    """The texts in quotes at the beginning of an answer, folded."""
    found: list[str] = _TITLE.findall(_beginning(answer))
    return found


def deleted_titles(answer: str) -> list[str]:
    """As ``titles_in``, without the titles of lists from which something was deleted."""
    found: list[str] = _TITLE.findall(_PLACE.sub(" ", _beginning(answer)))
    return found


def names_row(plain: str, titles: Sequence[str], title: str) -> bool:
    """Whether a text (as ``comparable``) is about the row with this ``title``. ``titles`` are those in its answer.

    The words of the title alone prove little: a user who deletes the task “Peanuts” is still allergic to them. A title
    of one word must be among ``titles``. Several words may also be part of one of these, or follow a word for a row:
    “the task Rowing club”.
    """
    words = words_of(title)
    if len(words) < 2:
        return title in titles
    said, name = f" {' '.join(words_of(plain))} ", " ".join(words)
    return any(set(words) <= set(words_of(each)) for each in titles) or any(f" {row} {name} " in said for row in _ROWS)


def asks_about_past(question: str) -> bool:
    """Whether ``question`` asks about the past by its words."""
    return _PAST.search(_NEVER.sub(" ", question)) is not None


def is_in_past_tense(question: str) -> bool:
    """Whether ``question`` is in a past tense. Questions about plans and decisions do not count."""
    # Accents matter: “e” is “and”.
    return _PAST_TENSE.search(_HAS_GOT.sub(" ", question.lower().replace("’", "'"))) is not None


def _beginning(answer: str) -> str:
    return comparable(answer[:ANSWER_CHARS])
