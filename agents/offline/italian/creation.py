"""How Italian says that something is to be made."""

from agents.offline.grammar import CreationWords
from agents.offline.italian.parts import IN_PROJECT

CREATION = CreationWords(
    verbs=(
        "aggiung(?:i|ere|imi|iamo)|cre(?:a|are|ami|iamo)|inseri(?:sci|re|scimi)|registra(?:re)?"
        "|scriv(?:i|ere|imi)|annot(?:a|are|ami)|prend(?:i|ere)|salv(?:a|are)|voglio|mi serve|serve|ho bisogno di"
        "|segnami"
    ),
    articles="(?:(?:una?|uno|un altro|il|lo|la) |un'altra |un'|l')?",
    wishes=(
        "ricorda(?:mi|rmi)(?: di)? {title}",
        (
            "(?:aggiungi|metti|inserisci|aggiungere|mettere) {title} (?:{a}|{in}|tra )(?:le |la "
            "|mi[ae] )*(?:lista|elenco|cose da fare|attività|attivita'?"
            "|to-?do)(?: {di}?(?:mie |le )?(?:cose da fare|attività|attivita'?|compiti|cose))?"
        ),
        "non (?:farmi|lasciarmi) dimenticare di {title}",
    ),
    dictations=("(?:annota|segna|scrivi|appunta|prendi nota)(?:ti|mi)?(?: che|:) {content}",),
    qualifiers="nuov[aoei]|breve|semplice|veloce",
    priority_before="{priority}",
    priority_after="urgente|importante",
    title_mark=(
        "(?:che si )?(?:chiam(?:at[aoie]|ala|alo|a)|intitol(?:at[aoie]|ala|alo)|denominat[aoie])"
        "|con(?: il)? (?:titolo|nome)|dal titolo|di nome|dal nome|il cui titolo è"
    ),
    title_lead="per |di |che dice |riguardo |da |{su}",
    content_mark="con(?: la| una)? (?:descrizione|dettagli)|descritt[ao] come",
    note_mark=(
        "con(?: il| questo)? (?:contenuto|testo)|con scritto|che dice|dicendo|che contiene|contenente|con dentro"
    ),
    priority=(
        "(?:(?:con|a|di|ad|in) )?(?:la |una )?priorit(?:à|a'?):? (?:(?:di|a|ad|livello) )?{priority}",
        "(?:(?:con|a|di|ad|in) )?(?:una )?{priority} priorit(?:à|a'?)",
    ),
    due_mark=(
        "(?:(?:e|che|da) )?(?:(?:con|in) (?:la |una )?(?:data di )?scadenza|scadenza|scade|in programma"
        "|previst[ao]|da fare|programmat[ao]|pianificat[ao]|datat[ao]|con data|data|fissat[ao]"
        "|che scade):?(?: (?:entro|per|{a}|{in}|{di}|il|la|in))?|entro(?: (?:il|la|le|lo))?|entro l'"
        "|per(?: (?:il|la|lo))?|il|{a}|{di}"
    ),
    not_bare_after=(
        "di|del|della|dell|dello|dei|delle|il|lo|la|i|gli|le|ogni|da|dal|dalla|e|o|a|al|alla|un|una|con|tra|fra"
        "|per|in|nel|su|sul|prima|dopo|è|questo|questa|prossimo|prossima"
    ),
    assignees=("(?:e )?(?:assegn(?:at[aoie]|ala|alo|a)|affidat[aoie]|da assegnare|affid(?:a|ala|alo)) (?:{a}){names}"),
    project=IN_PROJECT,
    glue="e|con|una?|il|la|di|è",
    joint="e|ed",
)
