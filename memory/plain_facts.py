"""Facts that a user states plainly, found by rules, in English and Italian. Pure.

The rules are cautious: questions, conditions, commands and quotations state nothing, and a rule only matches if the
words say who or what they are about.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from memory.drawn import DrawnFact
from memory.exchange import TouchedRow
from memory.plain_rules import RULES, Rule
from memory.search.words import words_of
from memory.speech import is_reported, own_words

MAX_FACTS: Final = 20
"""How many facts are drawn from one message at most."""
MAX_STATEMENT_CHARS: Final = 300
_MIN_TITLE: Final = 3
_MAX_SENTENCE_CHARS: Final = 500
"""A longer sentence, in characters, is no plain statement."""

_SENTENCE: Final = re.compile(r"[^\n.!?…]+(?:[.,](?=\d)[^\n.!?…]+)*[.!?…]?")
_CLAUSE: Final = re.compile(
    r"\s*[;:]\s+|,\s+(?:(?:and|but|so|e|ma)\s+)?|\s+(?:and|but|so|because|e|ed|ma|perché|quindi)\s+(?=(?:I|we|my|our|the|"
    r"io|mi|ci|il|la|mia|mio|sono|ho|abito|vivo|lavoro|non)\b)",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r'"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|`[^`\n]*`|```.*?```', re.DOTALL)
_STATES_NOTHING: Final = re.compile(
    r"\s*(?:if|suppose|imagine|pretend|let'?s say|for example|say that|maybe|perhaps|"
    r"(?:please |can you |could you |would you )?(?:create|add|make|write|draft|send|rename|translate|list|show|find|"
    r"search|delete|remove|move|mark|update|change|set|schedule|remind|summari[sz]e|explain|tell|give|open|what|which|who|"
    r"where|when|why|how|is|are|do|does|did|should)\b|"
    r"se|immagina|supponi|per esempio|forse|magari|"
    r"(?:per favore |puoi |potresti )?(?:crea|aggiungi|scrivi|manda|rinomina|traduci|elenca|mostra|trova|cerca|elimina|"
    r"cancella|sposta|segna|aggiorna|cambia|imposta|ricordami|riassumi|spiega|dimmi|dammi|apri|che|cosa|quale|quali|chi|"
    r"dove|quando|perché|come|quant[oaie])\b)",
    re.IGNORECASE,
)
_CAPITAL: Final = re.compile(r"(?!I\b)[^\W\d_a-zà-ÿ]")
_NOT_OTHER: Final = re.compile(r"\s*,?\s*(?:and not|not|e non|non) ([^\W\d_]+)")
"""Matches, after a name, the wrong name that it replaces: “Anna, not Ann”."""
_RELATIONS: Final = {
    "sorella": "sister", "fratello": "brother", "madre": "mother", "mamma": "mother", "mum": "mother", "mom": "mother",
    "padre": "father", "papà": "father", "papa": "father", "dad": "father", "moglie": "wife", "marito": "husband",
    "figlio": "son", "figlia": "daughter", "compagno": "partner", "compagna": "partner", "fidanzato": "boyfriend",
    "fidanzata": "girlfriend", "gatto": "cat", "gatta": "cat", "cane": "dog", "capo": "boss", "capa": "boss",
    "medico": "doctor", "dottore": "doctor", "dottoressa": "doctor", "dentista": "dentist", "collega": "colleague",
    "amico": "friend", "amica": "friend", "nonna": "grandmother", "nonno": "grandfather", "zia": "aunt", "zio": "uncle",
    "squadra": "team", "azienda": "company", "compleanno": "birthday", "anniversario": "anniversary",
    "indirizzo": "address", "telefono": "phone", "cellulare": "phone", "macchina": "car", "auto": "car",
    "colore": "colour", "color": "colour", "cibo": "food", "piatto": "dish", "scadenza": "deadline",
    "prezzo": "price", "affitto": "rent", "cliente": "client", "responsabile": "lead", "consegna": "delivery",
    "fornitore": "supplier", "stipendio": "salary", "vegetariano": "vegetarian", "vegetariana": "vegetarian",
    "vegano": "vegan", "vegana": "vegan", "celiaco": "celiac", "celiaca": "celiac", "coeliac": "celiac",
    "diabetico": "diabetic", "diabetica": "diabetic", "favorite": "favourite",
}  # fmt: skip
"""Synonyms of words in slots, so that both languages fill the same slot."""
_SEVERAL: Final = frozenset(
    words_of(
        "sister brother son daughter colleague friend cousin aunt uncle grandmother grandfather cat dog child nephew "
        "neighbour neighbor niece cugino cugina vicino vicina nipote"
    )
)
"""Relations that people may have to several: another name then does not replace the first."""
_FILLERS: Final = frozenset(words_of("the il lo la i gli le any more anymore piu project progetto"))
_ABOUT: Final = {
    "home": "home live living lives city town address casa abito abiti vivo vivi abita città indirizzo residenza",
    "work": "work works job employer company lavoro lavori lavora azienda ditta impiego",
    "role": "work job role profession lavoro mestiere professione ruolo",
    "name": "name called nome chiama chiami chiamo",
    "allergy": "allergy allergic allergia allergie allergico allergica eat food mangiare cibo",
    "diet": "diet eat food dish restaurant dieta mangiare mangio cibo ristorante cucina",
    "favourite": "favourite favorite preferito preferita",
    "birthday": "birthday born compleanno nato nata",
    "age": "age old anni età",
    "taste": "like likes love prefer hate piace piacciono preferisco odio gusti",
    "rule": "answer reply always rispondi sempre",
}
"""Words of questions about a slot, in both languages."""


def plain_facts(message: str, touched: Sequence[TouchedRow] = ()) -> list[DrawnFact]:
    """The facts that ``message`` states, in order. A fact that names one of the rows ``touched`` is about that row."""
    found: dict[tuple[str, str], DrawnFact] = {}
    for sentence in _sentences(own_words(message)):
        for fact in _facts_of(sentence):
            row = next(iter(rows_named(fact.statement, touched)), None)
            found.setdefault((fact.slot, fact.statement), replace(fact, row=row))
    return list(found.values())[:MAX_FACTS]


def states_something(message: str) -> bool:
    """Whether a sentence of ``message`` may state a fact. Commands and questions do not."""
    return any(len(words_of(sentence)) > 1 for sentence in _sentences(own_words(message)))


def rows_named(text: str, rows: Sequence[TouchedRow]) -> list[TouchedRow]:
    """The rows whose titles ``text`` contains, as whole words."""
    said = f" {' '.join(words_of(text))} " if rows else ""
    titled = ((row, " ".join(words_of(row.title))) for row in rows)
    return [row for row, title in titled if len(title) >= _MIN_TITLE and f" {title} " in said]


def words_about(slot: str) -> str:
    """Words of questions about ``slot``, in both languages."""
    kind, *rest = slot.split(":")
    same = [other for other, name in _RELATIONS.items() if name in (kind, *rest)]
    return " ".join([_ABOUT.get(kind, kind), *rest, *same])


def _sentences(message: str) -> Iterator[str]:
    """The sentences that may state a fact, without quotations."""
    for match in _SENTENCE.finditer(_QUOTED.sub(lambda quoted: " " * len(quoted[0]), message)):
        sentence = match[0].strip()
        if (
            0 < len(sentence) <= _MAX_SENTENCE_CHARS
            and not sentence.endswith("?")
            and not _STATES_NOTHING.match(sentence)
        ):
            yield sentence


def _facts_of(sentence: str) -> Iterator[DrawnFact]:
    taken: list[tuple[int, int]] = []
    without_capitals = not _CAPITAL.search(sentence, 1)
    for rule in RULES:
        for match in (rule.lowercase if without_capitals else rule.pattern).finditer(sentence):
            begin, end = match.span()
            if any(begin < other_end and other_begin < end for other_begin, other_end in taken):
                continue
            taken.append((begin, end))
            if is_reported(sentence, begin, end):
                continue
            yield _fact(rule, match, sentence)


def _fact(rule: Rule, match: re.Match[str], sentence: str) -> DrawnFact:
    given = {name: said or "" for name, said in match.groupdict().items()}
    slot = rule.slot.format(**{name: _slot_words(said) for name, said in given.items()})
    said = given.get("value", "")
    if slot.startswith("name:") and slot.removeprefix("name:") in _SEVERAL:
        corrected = _NOT_OTHER.match(sentence, match.end())
        slot = f"{slot}:{_slot_words(corrected[1] if corrected else said)}"
    statement = _clause(sentence, match.start(), match.end())[:MAX_STATEMENT_CHARS]
    return DrawnFact(
        statement=statement,
        evidence=statement,
        subject=slot.replace(":", " "),
        slot=slot,
        value="" if rule.ends else rule.value or " ".join(words_of(said)),
        ends=said if rule.ends else "",
    )


def _slot_words(said: str) -> str:
    """The words of ``said``, in the form that they have in a slot."""
    return " ".join(_RELATIONS.get(word, word) for word in words_of(said) if word not in _FILLERS)


def _clause(sentence: str, begin: int, end: int) -> str:
    """The clause of ``sentence`` that has the match."""
    before = [match.end() for match in _CLAUSE.finditer(sentence) if match.end() <= begin]
    after = _CLAUSE.search(sentence, end)
    return sentence[before[-1] if before else 0 : after.start() if after else len(sentence)].strip(" ,;:.!…\t")
