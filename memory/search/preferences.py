"""How people state preferences, needs and limitations, in English and Italian. Pure."""

import re
from collections.abc import Iterable
from typing import Final

from memory.search.vocabulary import word_set

_PREFERENCE: Final = re.compile(
    r"\b(?:"
    r"always|never|from now on|whenever|every time|please (?:don't|do not|make sure|remember)|i(?:'m| am) allergic|"
    r"(?:i|we)(?: (?:really|usually|generally|also|do|would))? (?:prefer|like|love|hate|dislike|want|need)|"
    r"i'd (?:prefer|like|rather)|i (?:don't|do not|can't|cannot) (?:like|want|eat|drink|stand)|my favou?rite|"
    r"sempre|mai|d'ora in poi|da ora in poi|ogni volta|ricordati|preferisco|preferirei|vorrei|adoro|odio|detesto|"
    r"mi (?:piace|piacciono|piacerebbe)|non (?:voglio|mangio|bevo|sopporto)|sono allergic[oa]|"
    r"il mio preferito|la mia preferita"
    r")\b",
    re.IGNORECASE,
)
_STANDING: Final = re.compile(
    r"(?:^|[.!?]\s|\n)[^\S\n]*(?:please,? |per favore,? )?"
    r"(?:always|never|from now on|whenever|every time|sempre|mai|d'ora in poi|ogni volta)\b",
    re.IGNORECASE,
)
_WORDS: Final = word_set(
    """
    asthma asthmatic choke chokes coeliac deaf diet dietician dizzy dyslexia dyslexic eczema faint faints fussy gag gags
    halal heartburn hives insomnia itch itches itchy kosher migraine migraines palpitations pescatarian phobia picky
    pregnant puke pukes rash reflux sober swell swells swollen teetotal veggie vertigo wheelchair cholesterol headaches
    adores adore detest detests dislike dislikes favorite favourite hate hates like likes love loves prefer prefers
    rather anyone anything avoid avoids avoided avoiding banned double everything limit max maximum minimum must only
    please policy pronouns rule rules strict strictly without
    asma carrozzina celiaca celiaco colesterolo dieta dislessica dislessico daltonica daltonico emicrania emicranie
    fobia gastrite incinta orticaria prurito reflusso schizzinosa schizzinoso sorda sordo svengo sviene tachicardia
    vertigini vomita vomito adora adoro amano detesta detesto detestano impazzire odia odiano odio piacciono piace
    preferisce preferiscono preferisco preferita preferito rabbrividire schifo sopporta sopporto almeno bandita
    bandite banditi bandito basta deve devono evita evitare evito massimo minimo proibite proibiti proibito regola
    senza solo soltanto vietata vietate vietati vietato vogliono voglio vuole aboliti abolito
    """
)
_BEGINNINGS: Final = tuple(
    word_set(
        """
        allerg astemi cardiolog celiac dermatolog diabet gonfi intoleran intolleran soffr vegan vegetarian
        """
    )
)
_PHRASES: Final = re.compile(
    # Illnesses and disabilities.
    r"\b(?:colou?r.?blind|(?:air|car|motion|sea|travel).?sick\w*|hard of hearing|throws? up|"
    r"(?:afraid|fond|scared|sick|terrified) of|(?:bad|dodgy|weak) (?:ankle|back|ear|heart|hip|knee|shoulder|stomach)|"
    r"mal (?:d'auto|di (?:gola|mare|pancia|schiena|testa))|(?:ho|ha|hanno) paura|(?:sta|sto) male|pronto soccorso|"
    r"(?:ci|gli|le|mi) (?:fa|fanno) (?:male|schifo|venire|ingrassare)|(?:gli|le|mi) (?:spacca|spaccano|si chiude)|"
    # Likes and dislikes.
    r"insists? on|swears? by|(?:drives?|puts?|sets?) (?:her|him|me|them|us) (?:crazy|mad|off|up)|"
    r"makes? (?:her|him|me|them|us)|tastes? (?:like|of)|"
    # How something should be done.
    r"(?:never|not?|nothing) (?:after|before|earlier than|for|in|later than|longer than|more than|on|with)|"
    r"at (?:least|most)|keep (?:everything|it|mine|my|that|them|things|those|to)|when(?:ever)? (?:i|you)|if you|"
    r"(?:has|have) to|needs? to be|next time|from here on|no more|works? best|(?:gave|given|giving) up|"
    r"off (?:alcohol|caffeine|dairy|meat|sugar)|instead of|goes? out in|first thing|he/him|she/her|they/them|"
    r"al (?:massimo|minimo|posto di)|(?:mai|non) (?:dopo|oltre|piu|prima)|(?:quando|se) (?:c'e |ci |gli |le |mi )?\w+|"
    r"va (?:dat|fatt|mess|scritt)\w+|mi raccomando|per favore|ci (?:tengo|tiene)|di solito|chiuso con|smesso di|"
    r"la prossima volta|invece di|sotto i|oltre (?:i|le)|"
    r"si (?:chiama|da|danno|fa|fanno|mette|mettono|paga|parla|scrive|scrivono|sta|supera|usa|usano)|"
    # What someone does not or cannot do.
    r"(?:can't|cannot|do not|does not|doesn't|don't|mustn't|never|will not|won't|wouldn't) "
    r"(?!(?:believe|come|find|forget|know|make it|mind|remember|see (?:any|why)|think|wait|worry)\b)\w+|"
    r"non (?:ci |gli |la |le |li |lo |me |mi |ne |si |ti |vi )*"
    r"(?!(?:abbiamo|ancora|arriv\w+|c|ce|cred\w+|e|era|funzion\w+|ha|hai|hanno|ho|parte|penso|ricord\w+|sa|sai|so|solo|"
    r"sono|trov\w+|vedo|viene)\b)\w+[aeio])\b|"
    # “No calls on Fridays”, “le scale no”.
    r"(?:^|[,.;:!?\n] *|\b(?:and|but|e|ma) )(?:mai|nessun[oa]?|niente|no|not|nothing|via) \w+|\w no(?=[,.;!]|$)"
)


def is_preference(text: str) -> bool:
    """Whether ``text`` says what someone prefers, or how something should be done."""
    return _PREFERENCE.search(text.replace("’", "'")) is not None


def is_standing_instruction(text: str) -> bool:
    """Whether a sentence of ``text`` says how something should always be done."""
    return _STANDING.search(text.replace("’", "'")) is not None


def may_constrain(plain: str, words: Iterable[str]) -> bool:
    """Whether a text (as ``comparable``, with these ``words``) may say what someone likes, needs or cannot do, or how
    something should be done.
    """
    has_word = any(word in _WORDS or word.startswith(_BEGINNINGS) for word in words)
    return has_word or _PHRASES.search(plain) is not None
