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
boiler heating radiator thermostat caldaia riscaldamento termosifone termostato: vaillant worcester baxi nest
stove cooker hob oven fornello forno: aga induction induzione
fridge refrigerator freezer frigo frigorifero congelatore
washer laundry washing lavatrice bucato: bosch candy hotpoint indesit whirlpool
dryer tumble asciugatrice
dishwasher lavastoviglie
appliance elettrodomestico: fridge freezer oven microwave dishwasher kettle toaster dryer washer
elettrodomestici elettrodomestico: frigo frigorifero congelatore forno microonde lavastoviglie lavatrice asciugatrice
vacuum hoover aspirapolvere: dyson roomba henry miele folletto
bin trash garbage rubbish waste refuse spazzatura immondizia pattumiera rifiuti
recycling recycle differenziata riciclo riciclare: paper plastic glass carta plastica vetro umido
router modem wifi wireless hub
broadband internet fibre fiber wifi fibra connessione: openreach virgin sky plusnet talktalk fastweb tim tiscali
electricity electric power luce elettricita corrente energia: enel octopus edf eon ovo bulb edison iren sorgenia
gas methane metano: enel octopus edf eon ovo eni plenitude italgas
water acqua: thames acea hera mains
utility utilities utenze: electricity gas water broadband luce metano acqua
carrier mobile operator operatore: vodafone ee o2 giffgaff tim wind iliad verizon tmobile
tap faucet rubinetto
toilet loo lavatory restroom wc gabinetto
sofa couch settee divano
duvet comforter quilt piumone trapunta
furniture mobili arredamento mobilio: sofa table wardrobe desk bookcase divano tavolo armadio scrivania libreria
loft attic soffitta mansarda
leak dripping infiltrazione perdita
renovation refurbishment renovate remodel ristrutturazione ristrutturare
cleaner cleaning maid housekeeper colf pulizie domestica
quote estimate preventivo
warranty guarantee garanzia
tool attrezzo utensile: hammer screwdriver drill spanner pliers wrench martello trapano cacciavite sega pinza
spanner wrench chiave
torch flashlight torcia pila
bank banca: barclays lloyds hsbc natwest santander monzo starling nationwide chase revolut n26 halifax
banca conto: unicredit intesa sanpaolo bper fineco ing poste mediolanum credem bpm sella
card carta: visa mastercard amex debit credit bancomat postepay prepagata
atm cashpoint bancomat sportello
mortgage mutuo remortgage
instalment installment rata
savings isa saving risparmi risparmio deposito
investment invest shares stocks investimento azioni: etf bond crypto bitcoin vanguard bot btp
pension retirement pensione: sipp inps
paypal satispay venmo
insurance insurer assicurazione: aviva admiral axa allianz generali unipol bupa zurich churchill
refund rimborso reimbursement
receipt scontrino ricevuta
discount voucher coupon sconto buono offerta
subscription membership abbonamento: netflix spotify disney prime audible gym
streaming netflix disney hulu prime youtube paramount infinity raiplay dazn
television tv televisione televisore telly
headphones earphones earbuds cuffie auricolari: airpods bose sennheiser
speaker cassa altoparlante: sonos alexa echo jbl
console playstation xbox nintendo videogame videogioco
laptop notebook portatile: thinkpad macbook dell xps chromebook lenovo zenbook
computer pc: thinkpad macbook imac desktop laptop portatile
phone handset telefono telefonino: oneplus xiaomi huawei motorola nokia fairphone
watch smartwatch orologio: rolex omega casio garmin fitbit swatch
printer stampante: epson canon brother hp
screen monitor display schermo
charger cable caricatore caricabatterie cavo
camera fotocamera macchinetta: nikon canon leica fujifilm gopro polaroid
messaging chat message text sms messaggio: whatsapp telegram signal messenger
email mail posta: gmail outlook protonmail icloud fastmail
social: facebook instagram tiktok twitter linkedin mastodon bluesky
videocall videochiamata: zoom teams skype facetime webex
database db: mysql postgresql mongodb redis oracle mariadb dynamodb duckdb cassandra elasticsearch
editor ide: vim neovim vscode emacs intellij pycharm sublime webstorm cursor
cloud hosting provider: aws azure gcp heroku vercel netlify hetzner digitalocean cloudflare
server: nginx apache caddy linux vps
container docker kubernetes podman k8s helm
os linux windows macos: ubuntu debian fedora arch mint
programming language linguaggio: python javascript typescript java rust golang ruby php kotlin swift scala haskell
programming language linguaggio: perl julia elixir erlang clojure lua cpp csharp cobol fortran
frontend framework: react vue angular svelte nextjs nuxt tailwind
backend framework: django flask fastapi rails laravel springboot nodejs
git repository repo commit branch: github gitlab bitbucket
design mockup wireframe: figma sketch photoshop illustrator canva
train rail railway treno ferrovia: lner eurostar trenitalia italo frecciarossa amtrak thameslink
flight airline volo compagnia: ryanair easyjet alitalia ita lufthansa jet2 wizz emirates klm vueling delta
airport aeroporto: heathrow gatwick stansted luton malpensa linate fiumicino ciampino orly schiphol jfk
bus coach pullman autobus corriera
underground tube subway metro metropolitana
parking parcheggio parcheggiare garage
petrol fuel gasoline diesel benzina carburante gasolio
mot revisione tagliando collaudo
bollo roadtax tax
tyre tire gomma gomme pneumatico
trunk boot bagagliaio baule
motorway highway freeway autostrada
lorry truck van camion furgone
motorbike motorcycle scooter moto motorino: vespa honda yamaha ducati kawasaki triumph
car auto macchina automobile: honda nissan kia hyundai mazda volvo dacia tesla mercedes mini citroen
car auto macchina automobile: alfa lancia yaris golf fiesta polo qashqai duster jeep suv hatchback
bike bicycle bici bicicletta: brompton ebike trek bianchi specialized canyon
dog cane: labrador retriever poodle beagle terrier spaniel collie dachshund bulldog greyhound whippet pug cockapoo
dog cane: husky corgi chihuahua barboncino bassotto pastore setter meticcio segugio maltese volpino
cat gatto: siamese persian tabby ragdoll bengal persiano soriano tigrato
pet animale: rabbit parrot budgie tortoise goldfish guinea ferret coniglio criceto pappagallo tartaruga pesciolino
breed razza
kibble crocchette petfood croccantini
vet veterinary veterinarian veterinario
leash lead collar guinzaglio collare
kennel cattery boarding pensione canile
chicken hen hens poultry gallina galline pollaio coop
nursery daycare kindergarten preschool creche asilo nido
school scuola: primary secondary elementary elementare elementari medie liceo superiori comprehensive
homework compiti
babysitter childminder nanny sitter tata
buggy stroller pram pushchair passeggino carrozzina
diaper nappy pannolino
dummy pacifier ciuccio
cot crib culla lettino
niece nephew nipote
godmother godfather godparent madrina padrino
toy giocattolo: lego doll teddy bambola peluche
pill tablet capsule pastiglia pasticca compressa pillola capsula
medication medicine farmaco medicinale: ibuprofen paracetamol aspirin antibiotic statin insulin tachipirina metformin
medication medicine farmaco: cetirizine omeprazole levothyroxine ramipril sertraline amoxicillin antibiotico eutirox
prescription ricetta impegnativa
pharmacy chemist drugstore farmacia: superdrug cvs walgreens
gp doctor surgery medico ambulatorio
surgery operation operated operazione intervento
specialist specialista: cardiologist dermatologist orthopedic neurologist cardiologo dermatologo ortopedico oculista
optician optometrist ottico oculista
glasses spectacles eyeglasses occhiali: varifocal bifocal rayban
shortsighted nearsighted myopia miope miopia
allergy allergic allergia allergico: peanut nut shellfish penicillin pollen hayfever latex wasp arachidi noci polline
intolerance intolerant intolleranza: lactose gluten lattosio glutine
coeliac celiac gluten celiaco celiachia glutine
vaccine vaccination jab vaccino vaccinazione
hypertension pressione ipertensione
diabetes diabetic diabete diabetico insulin insulina
flu influenza cold cough raffreddore tosse
physio physiotherapist physiotherapy fisioterapia fisioterapista osteopath
scan xray mri ultrasound radiografia risonanza ecografia lastra tac
dentist dental dentista: filling crown braces root otturazione apparecchio hygienist
vegetarian veggie vegan pescatarian vegetariana vegano vegana
meat carne: beef steak pork lamb chicken bacon sausage ham bistecca manzo maiale agnello pollo salsiccia prosciutto
fish pesce: salmon tuna cod trout sardine haddock mackerel salmone tonno merluzzo trota orata branzino
shellfish seafood crostacei: prawn shrimp crab lobster mussel oyster gamberi cozze vongole
dairy latticini: milk cheese yogurt butter cream latte formaggio burro panna
milk latte: oat soya almond avena soia mandorla
cheese formaggio: cheddar parmesan brie feta mozzarella gorgonzola parmigiano pecorino ricotta stilton
nut noce: almond walnut hazelnut cashew peanut pistachio mandorla nocciola pistacchio
pasta noodles: spaghetti lasagne ravioli carbonara penne tagliatelle
fruit frutta: apple banana orange pear strawberry grape cherry mela arancia pera fragola uva ciliegia pesca
vegetable veg veggies verdura ortaggio: carrot potato onion broccoli spinach cabbage carota patata cipolla spinaci
eggplant aubergine melanzana
zucchini courgette zucchina
cilantro coriander coriandolo
pepper peperone peperoncino chilli
herb spice spezia erba: basil parsley rosemary thyme oregano basilico prezzemolo rosmarino curry cumin
dessert pudding sweet dolce: cake tiramisu gelato trifle brownie torta crostata pie
biscuit cookie biscotto
chips crisps fries patatine
coffee caffe: espresso cappuccino latte flatwhite macchiato americano decaf mocha lavazza illy nespresso
tea te tisana: chamomile earl assam matcha rooibos camomilla peppermint
wine vino: prosecco barolo chianti merlot rioja champagne primitivo sauvignon chardonnay malbec nebbiolo
beer birra: ale lager stout ipa guinness peroni moretti
cocktail aperitivo: spritz negroni mojito martini
spirits liquor liquore: gin whisky whiskey vodka rum grappa limoncello amaro bourbon
alcohol booze alcol teetotal sober astemio
takeaway takeout asporto delivery: deliveroo glovo justeat ubereats doordash
cuisine cucina: thai indian mexican sushi ramen curry indiano giapponese messicano
smoke smoker smoking cigarette fumo fumare fumatore sigaretta vape
supermarket grocery supermercato: tesco sainsburys asda aldi lidl waitrose morrisons ocado walmart costco kroger
supermercato spesa: coop esselunga conad carrefour eurospin pam despar ipercoop lidl
shop negozio: ikea amazon argos ebay vinted decathlon zara primark leroy
parcel package delivery courier pacco consegna corriere: dhl ups fedex hermes evri bartolini sda
trousers pants jeans pantaloni
jumper sweater pullover cardigan maglione maglioncino
trainers sneakers sneaker scarpe: nike adidas asics brooks hoka puma saucony
coat jacket cappotto giacca giubbotto raincoat anorak parka
tshirt shirt maglietta maglia camicia blouse
backpack rucksack zaino
hair capelli haircut: blonde brunette curly bald biondi castani ricci bob fringe
gym palestra: puregym virgin crossfit pilates yoga zumba spinning weights pesi
sport: tennis rugby cricket basketball volleyball hockey golf boxing judo karate badminton squash
sport: fencing climbing rowing skiing surfing sailing padel scherma arrampicata canottaggio sci vela pallavolo nuoto
ski skiing snowboard snowboarding sci sciare
football soccer calcio: arsenal chelsea liverpool juventus juve inter milan napoli roma lazio everton tottenham
knit knitting crochet yarn wool maglia uncinetto lana
sew sewing embroidery cucire cucito ricamo
craft bricolage artigianato: knitting sewing pottery woodwork origami crochet embroidery calligraphy
choir singing chorus coro cantare: soprano alto tenor bass contralto tenore baritono
band gruppo orchestra banda
instrument strumento: cello viola flute clarinet saxophone trumpet harp bass ukulele violoncello flauto tromba
chess scacchi
boardgame boardgames: catan scrabble monopoly
theatre theater teatro musical opera
allotment vegetable orto
plant pianta: tulip orchid fern cactus succulent basil lavender rosa orchidea geranio monstera ficus
tree albero: oak apple olive fig lemon birch quercia ulivo fico limone melo
holiday vacation vacanza: cruise safari camping airbnb crociera campeggio villaggio
lodging accommodation alloggio: airbnb hotel hostel guesthouse pensione agriturismo ostello
campervan motorhome caravan rv camper roulotte
passport passaporto
license licence patente
document documento: passport licence id passaporto patente tessera carta
identity id identita carta
citizenship citizen nationality cittadinanza nazionalita
notary solicitor notaio
council municipality townhall comune municipio
tax tassa imposta: vat imu tari irpef iva isee hmrc irs
accountant bookkeeper commercialista ragioniere caf
university universita: oxford cambridge harvard bocconi sapienza politecnico ucl stanford mit
thesis dissertation tesi
grade score voto
shift rota turno turni
boss manager capo responsabile direttore
leave holiday vacation pto ferie
payslip paycheck payroll busta cedolino
redundancy redundant layoff licenziamento
resume cv curriculum
wfh homeworking telelavoro smartworking
concierge porter doorman portiere portinaio portineria custode
landlord landlady proprietario padrone
condominio condominium amministratore
elevator lift ascensore
postcode zip cap
christening baptism baptised battesimo
communion comunione cresima confirmation
funeral burial cemetery funerale cimitero
bachelorette stag addio nubilato celibato
religion religione: catholic anglican muslim jewish hindu buddhist cattolico protestante ebreo musulmano buddista
church parish chiesa parrocchia priest vicar prete parroco
christmas xmas natale yuletide
easter pasqua
ramadan eid iftar
feast festivita: christmas easter halloween natale pasqua ferragosto epifania
charity nonprofit ngo onlus associazione: oxfam unicef emergency caritas samaritans
colour color colore: red blue green yellow orange purple pink brown black white grey navy teal turquoise
colore: rosso blu verde giallo arancione viola rosa marrone nero bianco grigio azzurro
purple violet viola
season stagione: spring summer autumn winter primavera estate autunno inverno
fortnight fortnightly biweekly quindicinale
weight peso: kg kilogram pound stone lb chilo
spain spagna spanish spagnolo: madrid barcelona barcellona seville siviglia valencia malaga bilbao
france francia french francese: paris parigi lyon lione marseille marsiglia nizza bordeaux
germany germania german tedesco: berlin berlino munich monaco hamburg amburgo cologne frankfurt francoforte
italy italia italian italiano: rome roma milan milano turin torino naples napoli florence firenze venice venezia bologna
portugal portogallo portuguese portoghese: lisbon lisbona porto algarve faro madeira
england inghilterra english inglese: london londra manchester birmingham leeds bristol liverpool brighton york
scotland scozia scottish scozzese: edinburgh edimburgo glasgow aberdeen dundee inverness highlands
wales galles welsh gallese: cardiff swansea snowdonia
ireland irlanda irish irlandese: dublin dublino cork galway limerick
britain uk british britannico: england scotland wales london
usa america american americano: york chicago boston seattle california texas florida angeles francisco
canada canadian canadese: toronto vancouver montreal ottawa calgary
mexico messico mexican messicano: cancun oaxaca guadalajara
brazil brasile brazilian brasiliano: rio paulo salvador brasilia
argentina argentinian argentino: buenos mendoza patagonia
netherlands holland dutch olanda olandese: amsterdam rotterdam utrecht
belgium belgio belgian belga: brussels bruxelles antwerp anversa ghent bruges
switzerland svizzera swiss svizzero: zurich zurigo geneva ginevra bern basel lugano
austria austrian austriaco: vienna salzburg salisburgo innsbruck
greece grecia greek greco: athens atene crete creta santorini corfu rhodes
turkey turchia turkish turco: istanbul ankara antalya
poland polonia polish polacco: warsaw varsavia krakow cracovia gdansk
czech ceco czechia cechia: prague praga brno
hungary ungheria hungarian ungherese: budapest
romania romanian rumeno: bucharest bucarest cluj
croatia croazia croatian croato: zagreb zagabria dubrovnik
russia russian russo: moscow mosca petersburg
sweden svezia swedish svedese: stockholm stoccolma gothenburg malmo
norway norvegia norwegian norvegese: oslo bergen
denmark danimarca danish danese: copenhagen copenaghen aarhus
finland finlandia finnish finlandese: helsinki tampere
japan giappone japanese giapponese: tokyo kyoto osaka
china cina chinese cinese: beijing pechino shanghai shenzhen
india indian indiano: delhi mumbai bangalore goa kerala
thailand thailandia thai thailandese: bangkok phuket
korea corea korean coreano: seoul seul busan
australia australian australiano: sydney melbourne brisbane perth
egypt egitto egyptian egiziano: cairo luxor
morocco marocco moroccan marocchino: marrakech casablanca
sicily sicilia sicilian siciliano: palermo catania siracusa taormina
sardinia sardegna sardo: cagliari alghero olbia
tuscany toscana toscano: florence firenze siena pisa lucca
glasses occhiali prescription diopter diottrie
builder contractor mason muratore
locksmith lock serratura fabbro
handyman tuttofare
mechanic garage meccanico officina carrozziere
ferry boat ship traghetto nave
fishing angling pescare
noon midday mezzogiorno
dawn sunrise alba
dusk sunset tramonto
dozen dozzina
spreadsheet excel foglio csv
ticket tracker board: jira trello asana
aunt auntie zia
cousin cugino cugina
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
