"""Whether a message asks for an action, a suggestion or information, in English and Italian. Pure."""

import re
from typing import Final

from memory.search.lexicon import information
from memory.search.persons import POSSESSIVE, is_of_self
from memory.search.vocabulary import STOP_WORDS
from memory.search.words import asked_words, comparable, is_common, sentences_of, stem, words_of

_DO: Final = (
    r"add|announce|arrange|ask|block|book|build|buy|choose|compare|compose|cook|create|design|draft|email|estimate|find|"
    r"fit|fix|format|generate|get|help(?= \w)|implement|introduce|invite|lay out|make|message|move|offer|order|"
    r"organi[sz]e|pack|pick|plan|post|prepare|price|proofread|propose|put|quote|rank|recommend|refactor|remind me to|"
    r"repeat|reply|reschedule|reserve|respond|reword|rewrite|schedule|send|set|shorten|simplify|sketch|slot|sort|"
    r"suggest|tell (?!me\b)|text|thank|translate|write"
)
_FARE: Final = (
    r"(?:abbozz|accorci|aggiung|aiut|avvis|butta|calcol|cerc|compil|compr|confront|consigli|continu|correg|crea|fai|"
    r"famm|fiss|impost|inserisc|invit|mand|metti|ordin|organizz|pens|pianific|prenot|prepar|programm|propon|redig|"
    r"ringrazi|ripet|riscriv|riserv|rispond|scegl|scriv|semplific|sistem|spieg|spost|stend|sugger|traduc|trov)\w*"
)
_WORK: Final = (
    r"(?:agenda|blurb|caption|card|draft|invitation|itinerary|lines|list|menu|message|note|outline|plan|recipe|sketch|"
    r"speech|template|biglietto|bozza|discorso|domande|elenco|esercizi|invito|itinerario|lista|messaggio|modello|"
    r"problemini|programma|ricetta|righe|scaletta|tabella|volantino)"
)
_BEGINS: Final = r"(?:^|[.!?:;,\n] *|\b(?:and|then|so|ok|hey|hi|e|poi|ora|cosi) )"
_POLITE: Final = (
    r"(?:please |pls |plz |just |quickly |also |now |can you |could you |would you |help me |let's |"
    r"(?:i|we) (?:need|have|want) to )*"
)
_ASKING_WORD: Final = r"(?:when|where|whom?|what|how|which|quando|dove|chi|quant[oaie]|qual[ei]?|che|cosa|come)"
_REQUEST: Final = re.compile(
    rf"{_BEGINS}{_POLITE}(?:{_DO})\b|{_BEGINS}{_FARE}|"
    # “Flapjack recipe for the school fair”.
    rf"^(?:[\w']+ ){{0,6}}{_WORK} (?:about|for|of|on|to|al|alla|da|d[ei]|de(?:gli|i|l|lla|lle)|per|su|sul|sulla)\b|"
    rf"\b(?:(?:please|pls)(?! (?:tell|remind) me {_ASKING_WORD}\b)|help me|let's|"
    r"(?:i|we) (?:need|want) (?:an?|some|to)|(?:shall|should) (?:i|we|the|our|my)|"
    r"what (?:about|time shall|to \w+)|suggestions?|tips|recommendations?|ideas?|"
    r"(?:what|where|which|who|when|how)\b[^.!?]{0,60}? (?:should|shall|can|could|would|might) "
    r"(?:i|we|you suggest|you recommend)|"
    r"(?:what|where|who|how) do (?:i|we) (?:answer|ask|bring|buy|cook|do(?! for (?:a living|work)\b)|find|get|give|"
    r"make|order|pack|say|send|take|tell|wear|write)|"
    r"(?:somewhere|something|anything|anywhere|places?) (?:\w+ )?(?:to|for|nice|good|with|special)|"
    rf"(?:puoi|potresti|riesci a|mi|ci|devo|dobbiamo|vorrei|voglio|volevo|vogliamo) (?:\w+ )?(?:{_FARE}|serv\w*)|"
    # “Che dolce faccio domenica?”
    r"(?:cosa|che|dove|quale|quali|quando|come|chi) (?:[\w']+ ){0,3}(?:\w+iamo|(?:chied|compr|cucin|dev|dic|dovre|"
    r"facci?|invit|mangi|mett|offr|ordin|organizz|port|poss|potre|prend|prenot|prepar|regal|rest|scelg|scriv|serv|us|"
    r"vad)[io])|"
    r"idee|consigli|suggerimenti|proposte|(?:devo|dobbiamo|posso|possiamo|conviene) \w+(?:re|rci|rmi|rlo|rla)|"
    r"qualcosa (?:da|di|per))\b"
)
_WANTS_TO_KNOW: Final = re.compile(
    r"^\W*(?:(?:so|and|but|ok|hey|btw|wait|please|pls|e|ma|allora|scusa),? )*"
    r"(?:(?:can|could|would) you (?:tell|remind) me |do you (?:know|remember) |tell me |remind me |what was |dimmi |"
    r"ricordami |sai |(?:mi |ti )?ricordi |mi (?:dici|sai dire) |"
    r"(?:mi )?(?:puoi|potresti|sai|sapresti) (?:dir|ricordar)(?:e|mi) )*"
    # “At what time”, “entro quando”.
    r"(?:(?!for what it|in which case|a quanto pare)"
    r"(?:at|by|for|from|in|on|since|to|until|with|a|con|d[ai]|entro|fino a|ogni|su) "
    rf"(?={_ASKING_WORD}\b))?"
    rf"(?:{_ASKING_WORD}|(?:when|where|who|what|how)s|whose|why|"
    r"did|do|does|is|are|was|were|has|have|had|am|will|would|perche|ho|hai|ha|abbiamo|hanno|e|sono|era|erano|"
    r"c'e|c'era|ci sono|per cosa|(?:com|cos|dov|quand|quant)'(?:e|era|erano))\b"
)
_CHOICE: Final = re.compile(r"\w (?:or|o|oppure) \w|\b(?:better|best|meglio)\b")
_MAY_BE_OF_THE_WORLD: Final = re.compile(
    r"^\W*(?:[^,.:;!?]{1,40}[,:] )??(?:(?:ok|so|hey|scusa|e|ma),? )*(?:"
    r"why|how come|who (?:\w+ )?(?:built|composed|designed|discovered|found|founded|invented|painted|won|wrote)|"
    r"what year|what (?:do|does) .* (?:mean|stand)|is it true|"
    r"how (?:do|does|can|could|would|should) (?:one|people|they|you)|how (?:tall|far|old is)|"
    r"how many .* (?:are|do|does|have|in|to|until)|explain|"
    r"spiega|quant[ie] \w+ mancano|perche|come mai|in che (?:anno|secolo)|per cosa sta|"
    r"chi (?:ha )?(?:compo|dipin|disegn|fond|invent|scopr|scriss|vin)\w*|"
    r"(?:che )?cosa (?:significa|vuol dire)|che significa|e vero|da dove (?:deriva|viene)|"
    # The impersonal “si”, and not that of “come si chiamano le gatte” and “dove si è trasferito Luca”.
    r"(?:come|dove|quando) si (?!(?:chiam|spos)\w*|(?:e|sono|era|erano) \w+[aeio]\b)|si (?:dice|fa|puo|scrive|usa)|"
    r"quant[ie] .* (?:ci sono|ha|hanno|in un|sono))"
)
_DEFINES: Final = re.compile(
    r"^\W*(?:(?:ok|so|hey|scusa|e|ma),? )*(?:what (?:are|is) |what'?s |who (?:is|was|were) |"
    r"(?:che )?cosa (?:e|sono) |cos'e |chi (?:e|era|fu|ha) |qual(?:'e| e) (?:il|la|l'))"
)
"""“What is the capital of Peru?” asks for general knowledge, “What is the name of the vet?” does not."""
_UNITS: Final = (
    r"(?:celsius|cm|cups|fahrenheit|feet|grammes|grams|inches|kg|kilos|km|litres|metres|miles|ounces|pints|pounds|stone|"
    r"tablespoons|grammi|libbre|litri|metri|miglia|once|piedi|pollici)"
)
_OF_THE_WORLD: Final = re.compile(
    r"\bwhy (?:are|can't|do|don't) we\b|\b(?:difference between|differenza (?:fra|tra))\b|"
    r"\b(?:couplet|haiku|joke|limerick|poem|rhym\w+|riddle|barzelletta|filastrocca|indovinello|poesia|rima)\b|"
    r"\b(?:square root|radice quadrata)\b|\b\d+ ?(?:%|percent|per ?cento) (?:of|di|su|tip)\b|"
    rf"\b(?:how many|quant[ie]) {_UNITS}\b|\b(?:in|to) {_UNITS}\b|"
    r"\b(?:in the world|of all time|al mondo|di sempre|nella storia)\b|est\b[^.!?]{0,80} ever\b|"
    r"\b(?:traduc\w*|translate|how do you (?:say|spell)|(?:come )?si (?:dice|pronuncia|scrive))\b"
)
_CLAUSE_ENDS: Final = re.compile(r"[,;:] | [-–—] ")
_OF_LANGUAGE: Final = re.compile(
    r"\b(?:correct|grammar|mean|pronounce|proofread|rephrase|reword|say|sentence|shorten|sound|spell|translate|"
    r"corregg\w*|dice|pronunci\w*|riformul\w*|scrive|significa|suon\w*|traduc\w*)\b"
)
_QUOTED: Final = re.compile(r"«[^»]{0,300}»|“[^”]{0,300}”|\"[^\"]{0,300}\"|(?<!\w)'[^'\n]{1,300}'(?!\w)")
_CLOSING: Final = re.compile(
    r"\b(?:absolutely|bravo|brilliant|bye|cheers|cool|excellent|fantastic|goodbye|good ?night|great|lol|lovely|night|"
    r"ok|okay|perfect|sure|ta|thanks|thank you|understood|ah|capito|certo|chiaro|ciao|d'accordo|esatto|fantastico|"
    r"grazie|notte|ottimo|perfetto|va bene)\b"
)
_FREQUENT: Final = 9.5
"""A word with less information (``memory/search/lexicon.py``) says little."""
_HOW_TO: Final = re.compile(
    r"^\W*(?:how (?:do|can|could|should|would) (?:i|we)|come (?:faccio|facciamo|posso|possiamo|devo|dobbiamo))\b"
    rf"(?!.*\b{POSSESSIVE}\b)"
)
"""“How do I get wine out of a carpet?” asks for general knowledge."""

_POINTS_BACK: Final = re.compile(
    r"\b(?:that|this|these|those|it|them|far(?:lo|la|li|le)|quell[oaie]|quest[oaie]|cio)"
    r"(?=\W*(?:[?.!,;]|\Z)| (?:and|or|but|e|o|ma)\b)(?<!time is it)"
)
_ASKS: Final = re.compile(r"\?(?:[^\w?]|_)*\Z")
_MAX_CLOSING: Final = 40
"""Characters."""
_MIN_LETTERS: Final = 3
_END_CHARS: Final = 500
"""How much of a long message is read at its beginning and at its end, where people say what they want."""


def asking_sentences(text: str) -> str:
    """The sentences that ask for something; the whole message if there are none. Of a long message, only its beginning
    and end are read. “Is a tomato a fruit? We had an argument” asks nothing about one's own life.
    """
    sentences = sentences_of(_ends_of(text.strip()))
    if len(sentences) < 2:
        return text
    asking = [each for each in sentences if _ASKS.search(each)] or [
        each for each in sentences if is_request(plain := comparable(each)) or wants_to_know(plain)
    ]
    return " ".join(asking) or text


def asked_in_full(text: str) -> str:
    """As ``asking_sentences``; the whole message if these do not ask for general knowledge and have no content word
    (“any ideas?”), or only one and refer to the rest (“what are some ways to do that?”).
    """
    asked = asking_sentences(text)
    content = [word for word in asked_words(asked, "en") if word.isdigit() or not is_common(word)]
    plain = comparable(asked)
    enough = 2 if _POINTS_BACK.search(plain) else 1
    return asked if len(content) >= enough or asks_of_the_world(plain) else text


def is_closing(text: str) -> bool:
    """Whether a message only thanks, agrees or says goodbye: “perfect, thanks”."""
    if len(text) > _MAX_CLOSING or "?" in text or is_request(plain := comparable(text)) or wants_to_know(plain):
        return False
    rest = _CLOSING.sub(" ", plain)
    return rest != plain and not any(map(_is_content, words_of(rest)))


def _is_content(word: str) -> bool:
    if word.isdigit() or is_common(word) or len(word) < _MIN_LETTERS:
        return word.isdigit()
    return all(information(stem(word, language)) > _FREQUENT for language in STOP_WORDS)


def without_quotes(text: str) -> str:
    """``text`` without quotations if it asks how something is written or said; otherwise unchanged."""
    return _QUOTED.sub(" ", text) if _OF_LANGUAGE.search(comparable(text)) else text


def asks_or_wants(text: str) -> bool:
    """Whether a text asks for information, an action or a suggestion."""
    plain = comparable(text).strip()
    return _ASKS.search(plain) is not None or wants_to_know(plain) or is_request(plain)


def is_request(plain: str) -> bool:
    """Whether a message (as ``comparable``) asks for an action or a suggestion."""
    return _REQUEST.search(_ends_of(plain)) is not None


def asks_how_to(plain: str) -> bool:
    """Whether a message (as ``comparable``) asks how something is done, which is general knowledge."""
    return _HOW_TO.match(plain) is not None


def wants_to_know(plain: str) -> bool:
    """Whether a message (as ``comparable``) asks only for information."""
    asks = _WANTS_TO_KNOW.match(plain) is not None and _CHOICE.search(_ends_of(plain)) is None
    return asks and not is_request(plain)


def clauses_of(plain: str) -> list[str]:
    """The parts of a sentence (as ``comparable``) between commas, colons, semicolons and dashes."""
    return _CLAUSE_ENDS.split(plain)


def asks_of_the_world(plain: str) -> bool:
    """Whether a message (as ``comparable``) asks for general knowledge or a text, and nothing about its author."""
    if is_of_self(plain):
        return any(map(surely_of_the_world, clauses_of(plain)))
    return _MAY_BE_OF_THE_WORLD.match(plain) is not None or _OF_THE_WORLD.search(plain) is not None


def asks_what_is(plain: str) -> bool:
    """Whether a message (as ``comparable``) asks what or who something is, without mentioning its author."""
    return _DEFINES.match(plain) is not None and not is_of_self(plain)


def surely_of_the_world(clause: str) -> bool:
    """As ``asks_of_the_world``, for one clause of a message, by what it asks for and not by how it begins."""
    found = _OF_THE_WORLD.search(clause)
    return found is not None and not is_of_self(clause.replace(found[0], ""))


def tells_of_self(plain: str) -> bool:
    """Whether a message (as ``comparable``) states something about its author, and asks for nothing."""
    if not is_of_self(plain) or "?" in plain or is_request(plain) or asks_of_the_world(plain):
        return False
    return not any(map(wants_to_know, clauses_of(plain)))


def asks_of_own_life(plain: str) -> bool:
    """Whether a message (as ``comparable``) asks for information about its author's life."""
    if is_request(plain) or not ("?" in plain or wants_to_know(plain)):
        return False
    return is_of_self(plain) and not asks_how_to(plain) and not asks_of_the_world(plain)


def _ends_of(text: str) -> str:
    return text if len(text) <= 2 * _END_CHARS else f"{text[:_END_CHARS]}\n{text[-_END_CHARS:]}"
