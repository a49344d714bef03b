"""How people state plain facts in English and Italian: the patterns for ``memory/plain_facts.py``. Pure.

A pattern names who or what it is about, and what is said of it. Names and places are recognised by their capitals.
"""

import re
from dataclasses import dataclass
from typing import Final

_PLACE: Final = (
    r"(?P<value>[^\W\d_a-zà-ÿ][\w'’-]*"
    r"(?: (?:[^\W\d_a-zà-ÿ][\w'’-]*|(?:sul|sulla|di|del|della|upon|on|de)(?= [^\W\d_a-zà-ÿ])))*)"
)
_NAME: Final = _PLACE
_LAST_WORD: Final = (
    r"(?P<value>(?!(?:the|a|an|my|our|this|that|it|there|here|another|il|la|lo|un|una|mio|mia|questo|questa)\b)"
    r"[^\W\d_]{3,})(?=\s*(?:[,.;!]|$|(?:now|adesso|ora)\b))"
)
_REST: Final = r"(?P<value>[^,;.!?\n]{1,80}?)(?=\s*(?:[,;.!?]|$|\s(?:and|but|so|because|since|e|ma|perché|quindi)\s))"
_DATED: Final = (
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:luned|marted|mercoled|gioved|venerd)ì|\bsabato|\bdomenica|"
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|gen|mag|giu|lug|ago|set|ott|dic)[a-z]*"
)
# It must have a number or a day: "the deadline is tight" does not change the deadline.
_AMOUNT: Final = (
    rf"(?=[^,;!?\n]*?(?i:{_DATED}))"
    r"(?P<value>(?:[^,;!?\n.]|[.,](?=\d)){1,80}?)(?=\s*(?:[,;.!?](?!\d)|$|\s(?:and|but|so|e|ma)\s))"
)
# A preference ends where a question or another statement of the user's clearly begins. Without its condition (“when I'm
# on my phone”) or exception (“but not at night”) it would claim too much, while more of the sentence does no harm.
_I_ASK: Final = (
    r"(?:how|what|when|where|why)(?: \w+)? (?:can|could|would|will|should|do|does|did|is|are) "
    r"(?:I|you|we|they|there|it|the|that|my|an?)\b|"
    # Not “which does the job” or “should you have any left”.
    r"(?:which|who)(?: \w+)? (?:can|could|would|will|should|do|did) (?:I|you|we|they)\b|"
    r"(?:can|could|would|do|is|are) (?:I|you|we|they|there|it)\b"
)
_PREFERRED: Final = rf"(?:(?!,\s+(?i:(?:and |so |but )?(?:{_I_ASK})|(?:and|so) (?:I|we)\b(?! (?:only|never)\b)))[^\n])+"
_CHIEDO: Final = (
    # Not “quando posso” or “che posso prendere”.
    r"(?:come|dove|(?:che )?cosa) (?:posso|possiamo|devo|dobbiamo|faccio|mi consigli)\b|"
    r"quali? (?:mi consigli|ci sono)\b|"
    r"(?:puoi|potresti|potete|sai|mi (?:\w+er[ae]sti|cerchi|consigli|dici|mandi|mostri|prenoti|trovi))\b|"
    r"quando (?:parte|arriva|apre|chiude)\b|a che ora\b|quanto costa(?:no)?\b"
)
_PREFERITO: Final = rf"(?:(?!,\s+(?i:(?:e |quindi |ma )?(?:{_CHIEDO})|e io\b(?! (?:solo|mai)\b)))[^\n])+"
# A condition may come first: "at work, I prefer short answers".
_CONDITION: Final = r"(?:^(?i:at|in|on|for|during|before|after|while|with|without|except) [^,\n]{1,60},\s+)?"
_CONDIZIONE: Final = (
    r"(?:^(?i:(?:ai?|al|alla|allo|in|nel|nella|di|il|la|per|durante|prima|dopo|con|senza|fuori|su|sul|sulla) |"
    r"(?:all|d|nell|l)['’])[^,\n]{1,60},\s+(?:io )?)?"
)
_OWNED: Final = r"birthday|anniversary|phone number|address|salary|shoe size"
_POSSEDUTO: Final = r"compleanno|anniversario|numero di telefono|indirizzo|stipendio|numero di scarpe"
_MATTER: Final = r"budget|deadline|price|rent|due date|launch(?: date)?|delivery(?: date)?"
_COSA: Final = r"budget|scadenza|prezzo|affitto|consegna|lancio"
_IS: Final = (
    r"is(?: now)?(?: no longer [^;!?\n]{1,40}? but)?|has (?:been )?(?:raised|lowered|changed|moved|gone up) to|"
    r"(?:was |went )?(?:changed|up|down|raised|lowered|moved|cut)(?: from [^;!?\n]{1,30}?)? to"
)
_E: Final = (
    r"(?:ora |adesso )?è(?: ora| adesso)?"
    r"(?: (?:stat[oa] )?(?:portat|alzat|abbassat|spostat|salit|sces|passat)[oa] a)?(?: di)?|"
    r"non è più (?:di )?[^;!?\n]{1,40}? ma(?: di)?"
)
_PERSON: Final = r"client|lead|supplier|owner"
_PERSONA: Final = r"cliente|responsabile|fornitore"
_SUPERIOR: Final = r"boss|manager|doctor|dentist|landlord|capo|capa|medico|dentista"
_HERS: Final = r"(?i:il|lo|la|l['’])\s?(?i:mio|mia|nostro|nostra)|(?i:mio|mia)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """A pattern for one way to state a fact.

    The groups of ``pattern`` fill the names in ``slot``. The group ``value`` is the value of the fact, or if the rule
    ``ends`` a fact, the value that is over; ``value`` is for patterns without that group. ``lowercase`` is the pattern
    for users who write without capitals: a name or place is then one word at the end.
    """

    pattern: re.Pattern[str]
    lowercase: re.Pattern[str]
    slot: str
    value: str = ""
    ends: bool = False


def _rule(pattern: str, slot: str, *, value: str = "", ends: bool = False, any_case: bool = False) -> Rule:
    lowercase = re.compile(pattern.replace(_PLACE, _LAST_WORD) if any_case else pattern)
    return Rule(pattern=re.compile(pattern), lowercase=lowercase, slot=slot, value=value, ends=ends)


_I_AM: Final = r"\b(?i:I(?:['’]m| am))"
RULES: Final = (
    _rule(
        rf"\b(?i:I|we)(?i:['’]ve| have)?(?i: (?:just|recently|now|finally))* (?i:moved)(?i: back)?"
        rf"(?i: from) [^,;.!?\n]{{1,40}}? (?i:to) {_PLACE}",
        "home",
        any_case=True,
    ),
    _rule(
        rf"\b(?i:I|we)(?i:['’]ve| have)?(?i: (?:just|recently|now|finally))* (?i:moved)(?i: back)? (?i:to) {_PLACE}",
        "home",
        any_case=True,
    ),
    _rule(
        rf"\b(?i:I|we)(?i:['’]m| am|['’]re| are)?(?i: now| currently)? (?i:liv(?:e|ing))(?i: now)? (?i:in|at) "
        rf"{_PLACE}",
        "home",
        any_case=True,
    ),
    _rule(
        rf"\b(?i:I|we) (?i:no longer|don['’]t) (?i:live in) {_PLACE}(?i: any ?more)?", "home", ends=True, any_case=True
    ),
    _rule(
        rf"\b(?i:my|our) (?P<who>[a-zà-ÿ]+(?: [a-zà-ÿ]+)?)(?i:['’]s name| is called| is named|['’]s called)(?i: is)? "
        rf"{_NAME}",
        "name:{who}",
        any_case=True,
    ),
    _rule(rf"\b(?i:my name is|call me|my name['’]s) {_NAME}", "name:me"),
    _rule(rf"{_I_AM} (?i:no longer|not) (?i:allergic to)(?: the)? {_REST}", "allergy:{value}", value="no"),
    _rule(rf"{_I_AM} (?i:also )?(?i:allergic to)(?: the)? {_REST}", "allergy:{value}", value="yes"),
    _rule(
        rf"{_I_AM} (?i:a |now a |now |also )*(?P<value>(?i:vegetarian|vegan|pescatarian|c(?:o)?eliac|"
        r"lactose intolerant|gluten intolerant|diabetic))\b",
        "diet:{value}",
        value="yes",
    ),
    _rule(
        rf"{_I_AM} (?i:no longer|not)(?i: a)? (?P<value>(?i:vegetarian|vegan|pescatarian|c(?:o)?eliac|"
        r"lactose intolerant|diabetic))\b",
        "diet:{value}",
        value="no",
    ),
    _rule(rf"\b(?i:I)(?i: now| currently)? (?i:work)(?i: now)? (?i:at|for) {_PLACE}", "work"),
    _rule(rf"\b(?i:I) (?i:no longer|don['’]t) (?i:work (?:at|for)) {_PLACE}(?i: any ?more)?", "work", ends=True),
    _rule(rf"\b(?i:I)(?i: now)? (?i:work as an?) {_REST}", "role"),
    _rule(rf"{_I_AM} (?P<value>\d{{1,3}}) (?i:years old)", "age"),
    _rule(
        rf"\b(?i:my|our) (?i:favou?rite) (?P<what>[a-zà-ÿ]+(?: [a-zà-ÿ]+)?) (?i:is|are)(?i: now)? {_REST}",
        "favourite:{what}",
    ),
    _rule(
        rf"\b(?i:my|our)(?i: new)? (?P<what>(?i:{_OWNED}))(?i: is| has changed to)(?i: now| on)* {_AMOUNT}", "{what}"
    ),
    _rule(rf"\b(?i:my|our) (?P<who>(?i:{_SUPERIOR})) (?i:is)(?i: now)? {_NAME}", "name:{who}"),
    _rule(
        rf"\b(?i:the) (?P<what>(?i:{_PERSON})) (?i:of|for)(?: the)? (?P<of>[^,;.!?\n]{{1,60}}?) (?i:is)(?i: now)? "
        rf"{_NAME}",
        "{what}:{of}",
    ),
    _rule(
        rf"\b(?i:the|our)(?i: new)? (?P<what>(?i:{_MATTER})) (?i:of|for)(?: the)? (?P<of>[^,;.!?\n]{{1,60}}?) "
        rf"(?i:{_IS})(?i: now)? {_AMOUNT}",
        "{what}:{of}",
    ),
    _rule(
        r"\b(?i:raised|lowered|cut|increased|reduced|changed|moved|postponed|set)(?i: the) "
        rf"(?P<what>(?i:{_MATTER})) (?i:of|for)(?: the)? (?P<of>[^,;.!?\n]{{1,60}}?)"
        rf"(?i: from [^;!?\n]{{1,30}}?)? (?i:to) {_AMOUNT}",
        "{what}:{of}",
    ),
    _rule(
        rf"\b(?P<of>[^\W\d_a-zà-ÿ][\w'’-]*)['’]s (?P<what>(?i:{_MATTER})) (?i:{_IS})(?i: now)? {_AMOUNT}",
        "{what}:{of}",
    ),
    _rule(
        r"(?i:from now on|as of (?:now|today)|in future)\b[,:]? [^\n]*?\b(?i:answer|reply|speak|write|respond)\b"
        r"[^\n]*? (?i:in) (?P<value>[A-Z][a-z]+)\b[^\n]*",
        "rule:language",
    ),
    _rule(r"(?i:from now on|as of (?:now|today))\b[,:]? [^\n]+", ""),
    _rule(
        rf"\b(?i:I) (?i:don['’]t|do not|can['’]t) (?i:like|eat|drink|stand)(?i: any)? (?!it\b|that\b|this\b|to\b|how\b)"
        rf"{_REST}",
        "taste:{value}",
        value="no",
    ),
    _rule(
        rf"\b(?i:I)(?i: really| also| now)* (?i:like|love|enjoy) (?!it\b|that\b|this\b|to\b|how\b|the idea\b|your\b)"
        rf"{_REST}",
        "taste:{value}",
        value="yes",
    ),
    _rule(
        rf"\b(?i:I)(?i: really| also)* (?i:hate|dislike) (?!it\b|that\b|this\b|to\b|how\b){_REST}",
        "taste:{value}",
        value="no",
    ),
    _rule(
        rf"{_CONDITION}\b(?i:I)(?i: really| usually| always| now)* (?i:prefer) (?!it\b|that\b|this\b){_PREFERRED}", ""
    ),
    _rule(
        rf"\b(?i:(?:mi sono|ci siamo)(?: appena)? trasferit[oaie])(?: da [^,;.!?\n]{{1,40}}?)? (?i:a|ad|in) {_PLACE}",
        "home",
        any_case=True,
    ),
    _rule(
        rf"(?<!\w)(?i:(?:adesso |ora )?(?:abito|vivo|abitiamo|viviamo)(?: adesso| ora)?) (?i:a|ad|in) {_PLACE}",
        "home",
        any_case=True,
    ),
    _rule(rf"(?<!\w)(?i:non (?:abito|vivo) più) (?i:a|ad|in) {_PLACE}", "home", ends=True, any_case=True),
    _rule(rf"(?<!\w)(?:{_HERS}) (?P<who>[a-zà-ÿ]+) (?i:si chiama) {_NAME}", "name:{who}", any_case=True),
    _rule(rf"(?<!\w)(?i:mi chiamo|chiamami|il mio nome è) {_NAME}", "name:me"),
    _rule(
        rf"(?<!\w)(?i:non sono (?:più )?allergic[oa]) (?i:ai|agli|alle|alla|all['’]|allo|al|a)\s?{_REST}",
        "allergy:{value}",
        value="no",
    ),
    _rule(
        rf"(?<!\w)(?i:sono(?: anche)? allergic[oa]) (?i:ai|agli|alle|alla|all['’]|allo|al|a)\s?{_REST}",
        "allergy:{value}",
        value="yes",
    ),
    _rule(
        r"(?<!\w)(?i:non sono più) (?P<value>(?i:vegetarian[oa]|vegan[oa]|celiac[oa]|diabetic[oa]))\b",
        "diet:{value}",
        value="no",
    ),
    _rule(
        r"(?<!\w)(?i:sono) (?P<value>(?i:vegetarian[oa]|vegan[oa]|celiac[oa]|diabetic[oa]|intollerante al lattosio))\b",
        "diet:{value}",
        value="yes",
    ),
    _rule(rf"(?<!\w)(?<!non )(?i:lavoro)(?i: adesso| ora)? (?i:per|da|presso|alla|in|all['’])\s?{_PLACE}", "work"),
    _rule(rf"(?<!\w)(?i:non lavoro più) (?i:per|da|presso|alla|in|all['’])\s?{_PLACE}", "work", ends=True),
    _rule(rf"(?<!\w)(?i:lavoro come|faccio (?:il|la|l['’])) {_REST}", "role"),
    _rule(r"(?<!\w)(?i:ho) (?P<value>\d{1,3}) (?i:anni)\b", "age"),
    _rule(rf"(?<!\w)(?:{_HERS}) (?P<what>[a-zà-ÿ]+) (?i:preferit[oa]) (?i:è|sono) {_REST}", "favourite:{what}"),
    _rule(
        rf"(?<!\w)(?:{_HERS})(?i: nuov[oa])? (?P<what>(?i:{_POSSEDUTO})) (?i:è|sono)(?i: ora| adesso| il)* {_AMOUNT}",
        "{what}",
    ),
    _rule(
        rf"(?<!\w)(?i:il|la|l['’])\s?(?P<what>(?i:{_COSA})) (?i:di|del|della|dell['’]|dello|per(?: il| la)?)\s?"
        rf"(?P<of>[^,;.!?\n]{{1,60}}?) (?i:{_E}) {_AMOUNT}",
        "{what}:{of}",
    ),
    _rule(
        r"(?<!\w)(?i:alzat|abbassat|ridott|portat|spostat|rinviat|anticipat|cambiat)[oa] (?i:il|la|l['’])\s?"
        rf"(?P<what>(?i:{_COSA})) (?i:di|del|della|dell['’]|dello|per(?: il| la)?)\s?"
        rf"(?P<of>[^,;.!?\n]{{1,60}}?)(?i: da [^;!?\n]{{1,30}}?)? (?i:a|al) {_AMOUNT}",
        "{what}:{of}",
    ),
    _rule(rf"(?<!\w)(?:{_HERS}) (?P<who>(?i:{_SUPERIOR})) (?i:è)(?i: ora| adesso)? {_NAME}", "name:{who}"),
    _rule(
        rf"(?<!\w)(?i:il|la)\s?(?P<what>(?i:{_PERSONA})) (?i:di|del|della|dell['’]|dello)\s?"
        rf"(?P<of>[^,;.!?\n]{{1,60}}?) (?i:è)(?i: ora| adesso)? {_NAME}",
        "{what}:{of}",
    ),
    _rule(
        r"(?<!\w)(?i:d['’]ora in (?:poi|avanti)|da ora in (?:poi|avanti)|da oggi in poi)\b[,:]? [^\n]*?"
        r"\b(?i:rispondi\w*|scrivi\w*|parla\w*)\b[^\n]*? (?i:in) (?P<value>[a-z]+)\b[^\n]*",
        "rule:language",
    ),
    _rule(r"(?<!\w)(?i:d['’]ora in (?:poi|avanti)|da ora in (?:poi|avanti)|da oggi in poi)\b[,:]? [^\n]+", ""),
    _rule(
        rf"(?<!\w)(?i:non mi piac(?:e|ciono)(?: più)?) (?i:il |la |i |le |gli |lo |l['’])?{_REST}",
        "taste:{value}",
        value="no",
    ),
    _rule(
        rf"(?<!non )(?<!\w)(?i:mi piac(?:e|ciono)(?: molto)?|adoro) (?i:il |la |i |le |gli |lo |l['’])?{_REST}",
        "taste:{value}",
        value="yes",
    ),
    _rule(
        rf"(?<!\w)(?i:odio|detesto|non sopporto) (?i:il |la |i |le |gli |lo |l['’])?{_REST}",
        "taste:{value}",
        value="no",
    ),
    _rule(rf"{_CONDIZIONE}(?<!\w)(?i:preferisco) {_PREFERITO}", ""),
)
"""Words that one rule has matched are not matched by later ones."""
