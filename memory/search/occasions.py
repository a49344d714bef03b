"""Occasions, which connect requests with the preferences that apply to them, in English and Italian. Pure.

“Where shall we eat with Paolo?” shares no word with “no gluten, remember”, but both are about eating. An occasion has
words of requests (“eat”, “restaurant”), and words of what people want, need or cannot do (“gluten”). The words are
those of everyday life and work, folded as ``words_of`` does.
"""

from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

from memory.search.thesaurus import forms_of
from memory.search.vocabulary import word_set
from memory.search.words import stem


class Occasion(NamedTuple):
    """The words of requests on an occasion and of the preferences that apply to it, or their stems.

    Requests on an occasion that ``is_of_own_life`` are about the user (“book a table”). Others may be about anything
    (“write a poem about fog”).
    """

    requests: frozenset[str]
    preferences: frozenset[str]
    is_of_own_life: bool


def _occasion(requests: str, preferences: str, *, is_of_own_life: bool = True) -> Occasion:
    words = word_set(requests)
    # A preference may have words of the request: “no calls on Fridays”.
    return Occasion(words, words | word_set(preferences), is_of_own_life)


_EATING: Final = _occasion(
    """
    eat eating lunch dinner breakfast brunch supper meal restaurant pizzeria cafe pub bar menu cook cooking recipe
    bake baking cake dish starter main dessert pudding snack food picnic barbecue bbq grocery groceries supermarket
    takeaway takeout catering canteen buffet hungry sandwich soup salad roast drink drinks table feed nibbles mangiare
    mangiamo mangio pranzo pranzare cena cenare cenetta colazione merenda aperitivo ristorante trattoria osteria
    locale cucinare cucino ricetta torta piatto antipasto primo dolce spuntino spesa supermercato rinfresco grigliata
    panino zuppa insalata arrosto bere bevande tavolo sfornare
    """,
    """
    vegetarian veggie vegan pescatarian coeliac celiac gluten wheat flour lactose dairy milk cheese butter cream egg
    nut peanut almond hazelnut walnut sesame soy shellfish prawn seafood fish salmon tuna anchovy meat pork beef
    chicken lamb bacon ham offal liver allergic allergy intolerant diabetic diabetes sugar salt salty spicy spice
    chilli chili garlic onion mushroom coriander cilantro olive tomato aubergine pepper celery banana kiwi strawberry
    fruit vegetable rice pasta bread potato alcohol alcoholic wine beer spirits booze sober coffee caffeine decaf tea
    halal kosher diet calorie carbs sweet sour bitter raw fried greasy rare portion appetite taste tasty sparkling
    vegetariano vegetariana vegano vegana celiaco celiaca glutine frumento farina lattosio latticini latte formaggio
    burro panna uovo uova noci nocciole mandorle arachidi sesamo soia crostacei gamberi pesce salmone tonno acciughe
    carne maiale manzo pollo agnello pancetta prosciutto fegato allergico allergica allergia intollerante intolleranza
    diabetico diabetica zucchero sale salato piccante peperoncino aglio cipolla funghi prezzemolo pomodoro melanzane
    peperoni sedano fragole frutta verdura riso pane patate alcol alcolici astemio astemia vino birra caffe caffeina
    decaffeinato dieta carboidrati dolci amaro crudo fritto fritti unto cottura porzione gusto gassata
    """,
)
_WRITING: Final = _occasion(
    """
    blurb flyer handout label line lines panel poster wording write draft email mail letter message text reply answer
    respond response post tweet caption speech toast invitation invite card note memo report minutes summary summarise
    summarize update status newsletter proposal abstract description announcement press bio cv translate translation
    rewrite reword shorten proofread word phrase thank apologise complain complaint compose article blog page slide
    slides presentation agenda recap compito esercizi etichetta problemi righe verifica volantino scrivi scrivere
    scrivimi bozza lettera messaggio messaggino risposta rispondi rispondere didascalia discorso brindisi invito
    biglietto verbale relazione riassunto riassumi riassumere riepilogo aggiornamento comunicato circolare avviso
    traduci tradurre traduzione correggi riscrivi ringraziare ringrazia articolo testo presentazione scheda prepara
    preparami
    """,
    """
    tone formal informal formally casual casually polite stiff friendly warm blunt direct short shorter long brief
    briefly concise line paragraph sentence bullet bulleted list numbered emoji exclamation smiley apology apologies
    sorry waffle fluff sign signed signature regards cheers dear hi hiya greeting jargon abbreviation acronym capital
    capitals caps lowercase spelling spelled british american comma semicolon dash hyphen font bold italics heading
    headings title table tables chart person plain english italian language wordy read reads subject ps surname
    adjective cliche tono formale informale gentile cordiale diretto breve corto corta corte lungo lunga lunghe riga
    righe paragrafo frase frasi elenco punti puntato numerato esclamativi faccine scuse firma firmare firmato saluti
    cordiali caro cara egregio gergo sigle abbreviazioni maiuscolo maiuscole virgole carattere grassetto corsivo
    titolo titoli tabella tabelle grafici lei tu voi italiano inglese dialetto lingua legge leggono oggetto cognome
    aggettivi inglesismi
    """,
    is_of_own_life=False,
)
_FIGURES: Final = _occasion(
    """
    far distance convert weigh weight temperature cost costs price table budget quote estimate figures chart total sum
    calculate calculation spreadsheet invoice expense expenses weather forecast measure size long fast speed distante
    distanza dista converti peso pesa temperatura costo costi costa prezzo prezzi tabella preventivo stima conto conti
    calcola calcolo totale foglio fattura spese meteo previsioni misura quanto
    """,
    """
    kilometre kilometer km mile metric imperial celsius fahrenheit kilo kg gram pound stone litre inch inches cm metre
    decimal decimals round rounded rounding vat net gross tax percent percentage currency euro euros dollar sterling
    24h format pence cents chilometri miglia metri centimetri litri grammi chili decimali arrotondare arrotondati
    arrotonda iva netto lordo percentuale percentuali valuta centesimi formato unita
    """,
    is_of_own_life=False,
)
_CODE: Final = _occasion(
    """
    code function script query regex class snippet refactor bug implement program programme python swift javascript
    typescript sql java kotlin rust bash algorithm method api endpoint unit tests component library migration codice
    funzione classe programma implementa metodo componente libreria
    """,
    """
    indent indentation tab tabs spaces type typed types comment comments docstring test unwrap force dependency
    dependencies snake camel lint linter functional variable names framework semicolon semicolons print logging error
    readable one-liner oneliner recursion inline indentazione tabulazioni spazi tipi commenti dipendenze variabili
    nomi
    """,
    is_of_own_life=False,
)
_MEETING: Final = _occasion(
    """
    meeting meet meetup call appointment schedule slot arrange book plan planning organise organize calendar reminder
    remind move reschedule interview lesson session catchup catch visit viewing availability diary agenda shift rota
    dentist doctor haircut hairdresser gym class free riunione incontro incontriamo vedersi
    appuntamento chiamata telefonata fissa fissare fissami prenota prenotare organizza organizzare pianifica programma
    calendario promemoria ricordami sposta spostare colloquio lezione seduta visita sopralluogo turno turni dentista
    medico parrucchiere palestra corso libero
    """,
    """
    morning mornings afternoon afternoons evening evenings night nights noon lunchtime weekday weekend monday mondays
    tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday sundays early
    earlier late later minutes hour half back-to-back gap buffer break video zoom teams camera phone remotely remote
    person nap pickup run off church prayer sabbath shabbat am pm oclock before after focus batch busy bed asleep
    mattina mattine mattino pomeriggio pomeriggi sera sere notte mezzogiorno lunedi martedi mercoledi giovedi venerdi
    sabato domenica presto tardi minuti ora ore mezzora pausa videochiamata telefono distanza presenza pisolino riposo
    messa prima dopo concentrazione dorme libera consecutive fila
    """,
)
_TRAVEL: Final = _occasion(
    """
    train flight fly hotel trip travel ticket tickets route drive driving taxi airport holiday vacation getaway stay
    airbnb hostel pack packing itinerary journey coach bus ferry boat car lift tour break abroad city commute seat
    seats station treno volo aereo albergo viaggio viaggiare biglietto biglietti strada tragitto aeroporto vacanza
    vacanze gita itinerario valigia pullman autobus traghetto macchina passaggio estero posto posti stazione weekend
    arrivo arrivare
    """,
    """
    seat window aisle facing forwards backwards quiet carriage carsick seasick airsick sick sickness motion flying
    afraid scared fear heights legroom stairs lift floor balcony pillow layover connection change changes early
    red-eye departure luggage baggage suitcase hand carry-on motorway motorways toll night drive drives licence
    vertigo view noisy noise shared single passport wheelchair budget airline airlines finestrino corridoio senso
    marcia nausea mal vomito volare paura vertigini altezze scale ascensore piano balcone cuscino scalo coincidenza
    cambi partenza bagaglio bagagli zaino autostrada autostrade pedaggio guidare guida notte patente vista rumoroso
    rumore silenziosa singola passaporto carrozzina lowcost
    """,
)
_OUTING: Final = _occasion(
    """
    walk hike hiking stroll run running jog exercise workout training sport outing activity activities ride cycle
    cycling bike swim swimming climb climbing park beach museum sightseeing afternoon fun family kids day saturday
    sunday weekend outdoors game games passeggiata camminata escursione gita corsa correre allenamento esercizi
    attivita pedalata bici bicicletta nuotare nuoto arrampicata parco spiaggia museo uscita giro montagna sabato
    domenica divertente bambini famiglia giochi
    """,
    """
    knee back hip ankle shoulder neck asthma asthmatic heart pregnant wheelchair buggy pram pushchair stairs steep
    heights vertigo cold heat hot crowd crowds crowded loud noise dark dog dogs allergic allergy pollen hayfever wasp
    bees sun sunburn burns water swim swims tired slow steps scared afraid rain muddy queue queues ginocchio schiena
    anca caviglia spalla collo asma cuore incinta carrozzina passeggino scale ripido ripida ripidi salite discese
    altezze vertigini freddo caldo folla affollati affollato rumore buio cane cani allergico allergica polline pollini
    vespe api sole scotta acqua nuota stanca stanco lento gradini paura pioggia fango coda code funivia funivie creste
    """,
)
_GIFT: Final = _occasion(
    """
    gift gifts present presents birthday christmas anniversary surprise leaving wishlist regalo regali regalare
    compleanno natale anniversario sorpresa pensierino
    """,
    """
    like likes love loves hate hates collect collects plastic secondhand handmade budget spend colour color size scent
    scented perfume candle candles flower flowers lilies allergic reads reader toys sweets chocolate piace piacciono
    ama adora odia detesta colleziona plastica usato fatti mano spendere colore taglia profumo profumi candele fiori
    allergica allergico legge giocattoli dolci cioccolato
    """,
)
_SHOPPING: Final = _occasion(
    """
    buy order purchase shop shopping cheap cheapest find choose pick compare recommend replace new need shirt shoes
    coat dress clothes laptop phone soap detergent cream shampoo gear compra comprare comprami ordina ordinare
    acquistare acquisto negozio scegli scegliere confronta trova trovami economico maglia camicia scarpe giacca
    vestito vestiti sapone detersivo crema
    """,
    """
    brand size organic plastic secondhand used refurbished amazon local budget spend max colour color wool cotton
    leather synthetic polyester nylon scent scented perfume fragrance eczema skin itchy latex cheap delivery online
    ethical marca taglia numero biologico bio plastica usato ricondizionato locale spendere colore lana cotone pelle
    sintetico poliestere profumato profumati profumo prude allergica lattice spedizione
    """,
)
_CULTURE: Final = _occasion(
    """
    film films movie movies watch series show book books read playlist music song songs podcast theatre theater
    concert gig game play cinema tonight evening audiobook guardare guardiamo vedere serie libro libri leggere musica
    canzone canzoni teatro concerto spettacolo stasera serata
    """,
    """
    horror violent violence gore blood subtitles subtitled dubbed scary sad long loud genre thriller crime romance
    romcom jazz opera classical musical musicals hate hates love loves fantasy subtitle spoilers spoiler ending
    animated sequel violenza violento violenti sangue sottotitoli doppiato doppiati originale tristi lunghi genere
    giallo gialli rosa classica odia odio adora adoro finale animazione cartoni
    """,
)
_HOME: Final = _occasion(
    """
    guest guests stay staying room bed sleep visit visiting host hosting clean cleaning cleaner painter builder
    plumber electrician repair repairs party invite flat garden decorate plants ospite ospiti ospitare stanza
    camera letto dormire pulizie pulire idraulico elettricista imbianchino riparazione festa invitare appartamento
    giardino piante
    """,
    """
    shoe shoes smoke smokes smoking pet pets cat cats dog dogs allergic allergy quiet noise noisy stairs dust feather
    feathers doorbell bell neighbours parking key bleach chemicals nap baby draught scarpe fuma fumo fumare animali
    gatto gatti cane cani allergico allergica silenzio rumore scale polvere piume campanello vicini parcheggio
    candeggina pisolino
    """,
)
_HEALTH: Final = _occasion(
    """
    medicine medication painkiller painkillers headache cold flu cough fever doctor remedy pharmacy chemist tablet
    pills vaccine injection rash vitamin sore ache sunscreen medicina farmaco farmaci antidolorifico testa raffreddore
    influenza tosse febbre medico rimedio farmacia pastiglia vaccino iniezione vitamine dolore
    """,
    """
    allergic allergy penicillin antibiotic antibiotics ibuprofen aspirin paracetamol codeine pregnant breastfeeding
    needle needles swallow stomach blood pressure diabetic asthma faint allergico allergica penicillina antibiotico
    antibiotici ibuprofene aspirina paracetamolo incinta allatto aghi inghiottire stomaco pressione diabetico asma
    svengo
    """,
)
_EXPLAINING: Final = _occasion(
    """
    explain explanation teach understand learn learning revise revision study tutorial spiega spiegami spiegare
    spiegazione capire imparare studiare ripassare ripasso
    """,
    """
    example examples diagram diagrams drawing picture analogy analogies metaphor metaphors formula formulas step steps
    simple simply beginner jargon visual dyslexic esempio esempi schema schemi disegno analogie metafore formule passo
    passi semplice parole dislessico dislessica
    """,
    is_of_own_life=False,
)
_WRITES: Final = word_set(
    "write draft compose reply reword rewrite translate scrivi scrivere scrivimi rispondi rispondere traduci tradurre"
)
"""A noun after one of these verbs is a text."""
# ``occasions_of`` expects writing first.
_OCCASIONS: Final = (
    *(_WRITING, _EATING, _FIGURES, _CODE, _MEETING, _TRAVEL, _OUTING, _GIFT, _SHOPPING, _CULTURE, _HOME, _HEALTH),
    _EXPLAINING,
)


@cache
def _stemmed(language: str) -> list[Occasion]:
    """All occasions, with stems by the rules of ``language``."""

    def stems(words: Iterable[str]) -> frozenset[str]:
        return frozenset(stem(form, language) for word in words for form in forms_of(word))

    return [Occasion(stems(each.requests), stems(each.preferences), each.is_of_own_life) for each in _OCCASIONS]


def occasions_of(words: Iterable[str], languages: Iterable[str]) -> list[Occasion]:
    """The occasions of a request with these words (folded), stemmed by the rules of each of ``languages`` (ISO 639-1).

    A text to be written belongs to no other occasion: “scrivi un biglietto” is not about trains.
    """
    words = list(words)
    written = {word for index, verb in enumerate(words) if verb in _WRITES for word in words[index + 1 : index + 3]}
    found: list[Occasion] = []
    for language in languages:
        stems = {stem(word, language) for word in words}
        writing, *others = _stemmed(language)
        others_stems = stems - ({stem(word, language) for word in written} & writing.requests)
        found += [writing] if not writing.requests.isdisjoint(stems) else []
        found += [each for each in others if not each.requests.isdisjoint(others_stems)]
    return found
