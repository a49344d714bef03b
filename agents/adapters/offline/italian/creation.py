"""How Italian says that something is to be made."""

from agents.adapters.offline.grammar import CreationWords
from agents.adapters.offline.italian.parts import DI, IN, PROJECT, SU, A

CREATION = CreationWords(
    verbs=(
        "aggiung(?:i|ere|imi|iamo)|cre(?:a|are|ami|iamo)|inseri(?:sci|re|scimi)|registra(?:re)?|scriv(?:i|ere|imi)"
        "|annot(?:a|are|ami)|prend(?:i|ere)|salv(?:a|are)|voglio|mi serve|serve|ho bisogno di|segnami"
    ),
    articles="(?:(?:una?|uno|un altro|il|lo|la) |un'altra |un'|l')?",
    wishes=(
        "ricorda(?:mi|rmi)(?: di)? {title}",
        (
            f"(?:aggiungi|metti|inserisci|aggiungere|mettere) {{title}} (?:{A}|{IN}|tra )(?:le "
            f"|la |mi[ae] )*"
            "(?:lista|elenco|cose da fare|attività|attivita'?|to-?do)"
            f"(?: {DI}?(?:mie |le )?(?:cose da fare|attività|attivita'?|compiti|cose))?"
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
    title_lead=f"per |di |che dice |riguardo |da |{SU}",
    content_mark="con(?: la| una)? (?:descrizione|dettagli)|descritt[ao] come",
    note_mark=(
        "con(?: il| questo)? (?:contenuto|testo)|con scritto|che dice|dicendo|che contiene|contenente|con dentro"
    ),
    priority=(
        "(?:(?:con|a|di|ad|in) )?(?:la |una )?priorit(?:à|a'?):? (?:(?:di|a|ad|livello) )?{priority}",
        "(?:(?:con|a|di|ad|in) )?(?:una )?{priority} priorit(?:à|a'?)",
    ),
    due_mark=(
        "(?:(?:e|che|da) )?(?:(?:con|in) (?:la |una )?(?:data di )?scadenza|scadenza|scade"
        "|in programma|previst[ao]|da fare"
        f"|programmat[ao]|pianificat[ao]|datat[ao]|con data|data|fissat[ao]"
        f"|che scade):?(?: (?:entro|per|{A}|{IN}|{DI}"
        "|il|la|in))?"
        f"|entro(?: (?:il|la|le|lo))?|entro l'|per(?: (?:il|la|lo))?|il|{A}|{DI}"
    ),
    not_bare_after=(
        "di|del|della|dell|dello|dei|delle|il|lo|la|i|gli|le|ogni|da|dal|dalla|e|o|a|al|alla"
        "|un|una|con|tra|fra|per|in|nel|su"
        "|sul|prima|dopo|è|questo|questa|prossimo|prossima"
    ),
    assignees=(
        f"(?:e )?(?:assegn(?:at[aoie]|ala|alo|a)|affidat[aoie]|da assegnare|affid(?:a|ala|alo)) (?:{A}){{names}}"
    ),
    project=PROJECT,
    glue="e|con|una?|il|la|di|è",
    joint="e|ed",
)
