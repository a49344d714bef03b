"""Irregular forms of words, and related words, in English and Italian. Pure.

Irregular forms count as the same word, as regular forms do by their stem. A related word is a weaker hint: a question
about children also finds a daughter. The words are those of everyday life and work, folded as ``words_of`` does.

In ``thesaurus.txt`` each line is a group of related words. The words after a colon are kinds or parts of those before
it, and not related to each other.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from memory.search.words import stems_of

_GROUPS: Final = Path(__file__).with_name("thesaurus.txt")
_IRREGULAR: Final = """
become became
begin began begun
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
buy bought
catch caught
choose chose chosen
come came
deal dealt
draw drew drawn
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
give gave given
go went gone
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
know knew known
lead led
leave left
lend lent
lose lost
make made
mean meant
meet met
pay paid
ride rode ridden
ring rang rung
rise rose risen
run ran
see saw seen
sell sold
send sent
shake shook shaken
show showed shown
sing sang sung
sit sat
sleep slept
speak spoke spoken
spend spent
stand stood
steal stole stolen
swim swam swum
take took taken
teach taught
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
win won
write wrote written
child children
die died dying
foot feet
knife knives
leaf leaves
life lives
man men
mouse mice
person people
shelf shelves
tooth teeth
wife wives
woman women
andare vado vai va andiamo andate vanno andato andata andati andate andro andra andava
aprire apro apre aperto aperta
bere bevo beve bevono bevuto
chiedere chiedo chiede chiesto
chiudere chiudo chiude chiuso chiusa
correre corro corre
cuocere cuoce cotto
decidere decido decide deciso
leggere leggo legge
mettere metto mette messo messa
morire muore morto morta
nascere nasce nato nata
offrire offro offre offerto
perdere perdo perde perso persa
prendere prendo prende preso
rimanere rimango rimane rimasto
rispondere rispondo risponde risposto
rompere rompe rotto rotta
scegliere scelgo sceglie scelto scelta
scrivere scrivo scrive scritto scritta
spendere spendo spende speso
stare sto stai sta stanno
uscire esco esce uscito uscita
vedere vedo vede visto vista
venire vengo vieni viene vengono venuto venuta verra
vincere vinco vince vinto
vivere vivo vive vissuto
uomo uomini
"""

_FORMS: Final[Mapping[str, frozenset[str]]] = {
    word: frozenset(line.split()) for line in _IRREGULAR.strip().splitlines() for word in line.split()
}


def forms_of(word: str) -> frozenset[str]:
    """``word`` and its irregular forms."""
    return _FORMS.get(word, frozenset([word]))


@cache
def related_stems(language: str) -> Mapping[str, frozenset[str]]:
    """The related stems of each stem in the thesaurus, by the rules of ``language``."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in _GROUPS.read_text(encoding="utf-8").splitlines():
        names, _, kinds = line.partition(":")
        stems = set(stems_of(names.split(), language))
        members = set(stems_of(kinds.split(), language))
        for stem in stems:
            found[stem].update(stems | members)
        for stem in members:
            found[stem].update(stems)
    return {stem: frozenset(related) for stem, related in found.items()}
