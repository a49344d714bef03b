"""Words that mean the same or belong together, in English and Italian, for searches that have no language model. Pure.

The forms of an irregular word are one word, as its regular forms are by their stem. A related word is a weaker hint: a
question about children also finds a daughter. The words are those of everyday life and work, folded as ``words_of``
does. A line is a group, and a word may be in several; after a colon are kinds of it, which are not related themselves.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Final

from memory.search.words import stems_of

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
_RELATED: Final = """
child kid son daughter baby toddler bambino bambina figlio figlia
family relative famiglia parente: husband wife kid child parent
mother mom mum mommy mamma madre
father dad daddy papa padre
parent genitore: mother father mom dad madre padre mamma papa
husband wife spouse marito moglie
partner boyfriend girlfriend husband wife fidanzato fidanzata compagno compagna
brother sister sibling fratello sorella
grandmother grandma granny nonna
grandfather grandpa grandad nonno
friend buddy pal amico amica
neighbour neighbor vicino
flatmate roommate housemate coinquilino coinquilina
colleague coworker teammate collega
boss manager supervisor capo
relationship single dating married partner breakup relazione
wedding marriage marry married engaged matrimonio sposare sposato nozze
divorce divorced separated breakup divorzio separato
pregnant pregnancy incinta gravidanza
adopt adoption foster adottare adozione
birthday born birth age old compleanno nascere eta
dead die death funeral morire morto
name nickname surname nome cognome soprannome
pet animale: dog cat puppy kitten hamster cane gatto
dog puppy cane cagnolino
cat kitten gatto gattino
job work career position role profession occupation employer lavoro impiego mestiere
job work profession occupation: nurse teacher doctor lawyer engineer designer developer programmer accountant
job work profession occupation: consultant plumber electrician carpenter builder mechanic technician chef waiter
job work profession occupation: waitress barista baker driver pilot florist gardener farmer hairdresser barber
job work profession occupation: journalist editor translator architect librarian researcher scientist secretary
job work profession occupation: receptionist cashier salesman photographer musician pharmacist psychologist freelance
job work profession occupation: freelancer retired
lavoro lavorare mestiere professione: infermiere infermiera insegnante maestra professore medico avvocato ingegnere
lavoro lavorare mestiere professione: progettista sviluppatore programmatore contabile commercialista consulente
lavoro lavorare mestiere professione: idraulico elettricista falegname muratore meccanico tecnico cuoco cuoca
lavoro lavorare mestiere professione: cameriere cameriera barista panettiere autista pilota fioraio fioraia
lavoro lavorare mestiere professione: giardiniere contadino parrucchiere barbiere giornalista traduttore traduttrice
lavoro lavorare mestiere professione: architetto bibliotecaria ricercatore segretaria impiegato impiegata commesso
lavoro lavorare mestiere professione: commessa fotografo musicista farmacista psicologo psicologa pensionato
company firm employer business azienda ditta
business biz startup company store venture impresa
salary wage income pay stipendio paga
hire hiring recruit recruiting candidate applicant assumere assunzione candidato
interview candidate job colloquio
fired lost laid dismissed unemployed licenziato
meeting appointment call riunione appuntamento incontro
deadline due scadenza scadere
team colleague squad gruppo squadra
school class teacher student scuola classe
university college degree campus universita laurea
study education course degree student studio studiare corso
exam test esame
lesson class course lezione
teacher professor tutor insegnante maestro professore
student pupil studente alunno
learn learning taught imparare
teach teacher taught insegnare
home house apartment flat casa appartamento
rent landlord tenant lease affitto locazione padrone inquilino
address live street reside indirizzo abitare via
live reside living home abitare vivere: flat apartment house appartamento casa
live move relocate abitare vivere trasferirsi trasferito trasferita trasloco
move relocate relocation trasferire trasferirsi trasloco
room bedroom stanza camera
kitchen cucina
garden yard plant flower giardino pianta fiore
repair fix broken plumber riparare aggiustare rotto guasto
car vehicle auto macchina automobile
car auto macchina automobile: drive guidare fiat ford skoda renault toyota volkswagen panda clio peugeot opel bmw audi
bike bicycle cycling bici bicicletta
train railway station treno stazione
flight plane fly airport volo aereo aeroporto
trip travel vacation holiday journey visit viaggio vacanza ferie gita
hotel accommodation hostel albergo
beach sea ocean coast spiaggia mare
mountain hike hiking trail montagna escursione
camping camp tent campfire campeggio tenda
nature outdoors natura: park forest hike camping bosco
city town village citta paese
country nation abroad nazione estero
move relocate home country
buy purchase bought shopping order comprare acquistare acquisto
sell sold sale vendere vendita
price cost expensive pay prezzo costo costare
money budget saving cash spend soldi denaro
budget spending expense cost spesa bilancio
bank account loan mortgage banca conto mutuo prestito
invoice bill payment fattura bolletta pagamento
tax taxes tassa imposta
insurance policy assicurazione polizza
gift present regalo
shop store boutique negozio
supermarket grocery groceries supermercato
food eat meal dish snack cibo mangiare pasto piatto
dinner supper meal cena
lunch meal pranzo
breakfast colazione
restaurant cafe pizzeria ristorante trattoria
cook cooking recipe bake cucinare ricetta
vegetarian vegan meat fish vegetariano vegano carne pesce
allergy allergic intolerant allergia allergico intollerante
drink bere bevanda: coffee tea wine beer caffe te vino birra
favourite favorite prefer love best preferito preferire
prefer preference like favorite favourite preferenza preferire
enjoy love like fun piacere
hobby pastime activity interest passatempo passione attivita
activity hobby attivita passatempo: sport class painting swimming running hiking camping pottery
sport exercise workout gym training fitness allenamento palestra
run running race marathon jog corsa correre maratona
swim swimming pool nuoto nuotare piscina
football soccer calcio
ride riding bike horse
art artist arte: painting drawing sculpture pottery
paint painting draw drawing canvas artwork dipingere dipinto quadro
draw drawing sketch disegno disegnare
pottery clay ceramic bowl mug ceramica
music musica: song band concert album singer canzone concerto
instrument strumento: guitar piano violin drum chitarra pianoforte violino
dance dancing dancer ballet ballo ballare danza
book novel read reading author libro romanzo leggere lettura
read reading book novel leggere libro
film movie cinema
watch film movie series show guardare vedere
series show episode season serie puntata
game play giocare gioco
photo picture pic image foto immagine
write writing writer draft article essay scrivere scrittura
draft script screenplay manuscript bozza
edit editing revise revision proofread correggere revisione
doctor physician clinic medico dottore
dentist tooth teeth dentista dente
hospital clinic ospedale clinica
medicine medication pill drug medicina farmaco pastiglia
ill sick illness disease malato malattia
injury hurt accident injured infortunio incidente
pain ache hurt dolore
health healthy wellness fitness salute
therapy therapist counseling counselling counselor psychologist mental terapia terapista psicologo
sleep insomnia nap bed dormire sonno
wake alarm svegliarsi alzarsi alzare sveglia
stress destress relax unwind calm pressure overwhelmed rilassarsi ansia
relax relaxing unwind calm destress rilassarsi
anxious nervous worried afraid scared fear ansia paura preoccupato
happy glad joy excited felice contento
sad upset unhappy triste
angry mad upset arrabbiato
tired exhausted stanco
confidence confident courage self fiducia coraggio
courage strength brave resilience coraggio forza
motivate motivation inspire inspired inspiration encourage motivazione ispirare
support help encourage helped supportive aiuto aiutare sostegno
success achievement accomplish milestone proud successo traguardo
win award prize trophy medal vincere premio medaglia
competition contest tournament competizione gara torneo
challenge difficulty struggle problem obstacle difficolta sfida
party celebration celebrate festa festeggiare
event evento: conference festival parade fair workshop concert fiera
community group club comunita gruppo
volunteer volunteering charity donate volontario volontariato beneficenza
identity gender transgender lgbtq identita genere
religion religious church faith god religione chiesa fede
belief faith philosophy credenza filosofia
politics political government vote politica governo
symbol symbolize represent meaning remind simbolo significato
career job counseling profession
phone mobile smartphone telefono cellulare: iphone android samsung pixel
computer laptop pc
email mail
password code pin
internet wifi network web online rete
website site web online page sito
app application software program applicazione programma
bug error exception issue problem failure errore problema
fix solve solution debug resolve risolvere soluzione
database sql postgres sqlite query
code coding programming developer implement codice programmare
implement build feature develop sviluppare
deploy deployment release launch production rilascio
server hosting cloud
security secure authentication password login encryption sicurezza
privacy security data encryption riservatezza
login password authentication account accesso
interface ui ux design layout interfaccia
performance speed latency fast slow prestazioni velocita
test testing coverage
document documentation docs documentazione documento
project progetto
client customer buyer cliente
contract agreement contratto accordo
lawyer attorney legal avvocato legale
law legal regulation rule legge
will testament estate inheritance testamento eredita
report presentation slide relazione presentazione
feedback review comment suggestion recensione commento
promote promotion advertise advertising marketing campaign offer pubblicita
goal aim target objective obiettivo
plan planning schedule intend piano pianificare
schedule calendar timeline routine agenda calendario
idea suggestion proposal proposta
advice recommend recommendation suggest suggestion tip consiglio consigliare
decide decision choose choice decisione scelta scegliere
opinion think view feel opinione
change switch adjust update cambiare cambiamento modifica
start begin launch open iniziare cominciare inizio
finish complete end done finire finito fine
improve improvement better progress migliorare miglioramento
increase grow growth rise aumentare crescita
reduce decrease cut lower ridurre
problem issue trouble problema guaio
size taglia misura
height tall altezza alto
weight weigh kilo peso pesare
big large huge grande
small little tiny piccolo
colour color colore
clothes clothing outfit fashion vestito abbigliamento: dress shirt jacket shoe scarpa giacca camicia
shoe sneaker boot scarpa
jewelry gioiello: necklace ring bracelet collana anello
glasses lens occhiali
key chiave
weather tempo: rain snow sunny pioggia neve sole
morning mattina
evening night sera notte
weekend: saturday sunday sabato domenica
weekly settimanale
monthly mensile
yearly annual annuale
plumber idraulico
electrician elettricista
hairdresser barber parrucchiere
flower fiore
tree albero
luggage suitcase bag valigia borsa bagaglio
ticket biglietto
language lingua: english italian spanish french german portuguese japanese chinese russian arabic
language lingua: inglese italiano spagnolo francese tedesco portoghese giapponese cinese russo arabo
"""


_FORMS: Final[Mapping[str, frozenset[str]]] = {
    word: frozenset(line.split()) for line in _IRREGULAR.strip().splitlines() for word in line.split()
}


def forms_of(word: str) -> frozenset[str]:
    """``word`` and its irregular forms."""
    return _FORMS.get(word, frozenset([word]))


@cache
def related_stems(language: str) -> Mapping[str, frozenset[str]]:
    """For each stem of the thesaurus by the rules of ``language`` the stems that are related to it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in _RELATED.strip().splitlines():
        names, _, kinds = line.partition(":")
        alike = set(stems_of(names.split(), language))
        members = set(stems_of(kinds.split(), language))
        for stem in alike:
            found[stem].update(alike | members)
        for stem in members:
            found[stem].update(alike)
    return {stem: frozenset(related) for stem, related in found.items()}
