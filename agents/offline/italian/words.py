"""Italian: its words, and where its sentences are."""

from agents.offline.commands import OPEN, Entity, Priority, Status
from agents.offline.grammar import Grammar, Language
from agents.offline.italian.creation import CREATION
from agents.offline.italian.dates import DATES
from agents.offline.italian.jobs import JOBS
from agents.offline.italian.listing import LISTING
from agents.offline.italian.memory import MEMORY
from agents.offline.italian.parts import OF_PROJECT, VOCABULARY
from agents.offline.italian.sentences import SENTENCES

ITALIAN = Grammar(
    language=Language.ITALIAN,
    marks=(
        "il lo la i gli le un una uno di del della delle dei degli da in nel nella per con su e che cosa quali "
        "quale quante quanti mostra mostrami elenca elencami aggiungi crea segna elimina cancella attività "
        "attivita compito compiti nota note appunti progetto progetti scade scadono scadenza oggi domani "
        "settimana fatta fatto fatte come chiamata chiamato priorità priorita alta bassa media cerca trova "
        "rinomina sposta favore ciao aiuto grazie tu io mi ho sono è entro tutte tutti completa archivia assegna "
        "dal al alla nelle mie miei mia mio puoi vorrei dimmi devo fare cose commento commenti nuova nuovo "
        "rimuovi prossima tappa tappe traguardi dopodomani ieri ricordami leggi apri inizia salve buongiorno "
        "ricorda ricordi dimentica abbiamo riassumi riassunto pianifica revisione settimanale"
    ),
    vocabulary=VOCABULARY,
    opening=(
        "per favore|per piacere|per cortesia|cortesemente|ciao|ehi|salve|buongiorno|ok|okay|adiuva|allora|senti"
        "|dunque|e|mi puoi|puoi|potresti|mi potresti|potete|vorrei che tu|vorrei|voglio|posso|bisogna|dovresti"
        "|ti prego di|ti chiedo di|gentilmente"
    ),
    closing="per favore|per piacere|per cortesia|grazie|grazie mille|se puoi|se possibile|gentilmente",
    nouns={
        Entity.TASK: "attività|attivita'?|compit[oi]|task|cos[ae] da fare|faccend[ae]|to-?do",
        Entity.PROJECT: "progett[oi]",
        Entity.CHECKPOINT: "checkpoint|milestone|traguard[oi]|tapp[ae]|pietr[ae] miliar[ie]",
        Entity.NOTE: "not[ae]|appunt[oi]",
        Entity.COMMENT: "comment[oi]",
    },
    articles=(
        "(?:(?:(?:il|lo|la|i|gli|le|quest[aoe]|quell[ao]|una?|uno) |l'|un'|quell'"
        "|quest')?(?:(?:mi[ao]|mie|miei|nostr[ao]) )?)"
    ),
    dates=DATES,
    statuses=(
        (
            (
                "non (?:ancora )?(?:fatt[aoie]|completat[aoie]|finit[aoie]|terminat[aoie]|conclus[aoie])"
                "|incomplet[aoie]|in sospeso|pendent[ei]|apert[aoie]|rimast[aoie]|rimanent[ei]|incompiut[aoie]"
                "|attiv[aeio]|devo(?: ancora)? fare|ho da fare|mi rest[aio](?:no)? da fare"
            ),
            OPEN,
        ),
        ("da fare|da iniziare|non (?:ancora )?iniziat[aoie]|da completare|da svolgere", frozenset({Status.TODO})),
        (
            "in corso|iniziat[aoie]|avviat[aoie]|in lavorazione|in esecuzione|in svolgimento|cominciat[aoie]",
            frozenset({Status.IN_PROGRESS}),
        ),
        (
            (
                "fatt[aoie]|completat[aoie]|finit[aoie]|conclus[aoie]|terminat[aoie]|chius[aoie]|svolt[aoie]"
                "|eseguit[aoie]|completo|completa"
            ),
            frozenset({Status.DONE}),
        ),
    ),
    priorities=(
        ("alt[aoie]|elevat[aoie]|massim[aoie]|urgent[ei]|urgentissim[ao]|important[ei]|critic[aohe]+", Priority.HIGH),
        ("medi[aoe]|normal[ei]", Priority.MEDIUM),
        ("bass[aoie]|minim[aoie]|scars[ao]", Priority.LOW),
    ),
    name_separators=r"\s*(?:,|&|\+|\bed?\b)\s*",
    in_project=OF_PROJECT,
    pronouns=(
        "quest[aoei]|quell[aoei]|l[aoei]|ess[aoei]|un[ao]?|qualcosa|(?:il |la |l')?(?:prim|second|terz|ultim)[ao]"
        "|quest[ao] qui"
    ),
    plural=(
        "tutt[eio](?: (?:i|le|gli)?(?: ?(?:mie|miei))?(?: ?{statuses})?(?: ?{any_noun})?(?: {statuses})?)?"
        "|ogni {any_noun}|ogni cosa|(?:(?:i|le|gli) )?(?:(?:mie|miei) )?(?:attività|compiti|progetti|note|appunti"
        "|tappe|traguardi|commenti)(?: {statuses})?"
    ),
    creation=CREATION,
    listing=LISTING,
    memory=MEMORY,
    jobs=JOBS,
    sentences=SENTENCES,
)
