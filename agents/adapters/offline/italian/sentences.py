"""Italian sentences that change, delete, comment and ask."""

from agents.adapters.offline.commands import Entity, Field, Status
from agents.adapters.offline.grammar import Change, Sentences
from agents.adapters.offline.italian.parts import DA, DI, IN, NO_QUESTION, PER, SU, THE, A

SENTENCES = Sentences(
    greetings="(?:ciao|salve|buongiorno|buonasera|buon pomeriggio|ehi|hey)(?:,? adiuva)?|adiuva",
    thanks="(?:ok(?:ay)?,? )?(?:grazie)(?: (?:mille|tante|infinite))?|ok(?:ay)?|perfetto|bene|benissimo|ottimo",
    help=(
        "aiuto|aiutami|aiutarmi|(?:che )?cosa (?:sai|puoi|posso)(?: fare| chiederti| chiedere"
        "| dire)(?: per me| qui)?|che cosa fai|cosa fai"
        "|come funzion(?:i|a)|(?:mostra(?:mi)? )?(?:i )?comandi(?: disponibili)?|chi sei"
        "|cosa sei"
    ),
    next=(
        (
            "(?:che )?cosa (?:dovrei|devo|posso|mi conviene|conviene|è meglio) (?:fare|iniziare"
            "|affrontare)"
            "(?: adesso| ora| dopo| prima| per prima cosa| come prossima cosa| poi)?"
        ),
        (
            "(?:qual è|quale è) (?:la |il )?(?:mia |mio )?(?:prossim[ao]|attività più|cosa più"
            "|compito più)"
            "(?: (?:attività|compito|cosa|passo|cosa da fare|importante|urgente))?(?: da fare)?"
        ),
        (
            "su (?:che )?cosa (?:dovrei|devo|posso|mi conviene) (?:lavorare"
            "|concentrarmi)(?: adesso| ora| dopo| prima| oggi)?"
        ),
        (
            "da (?:che )?(?:cosa|dove) (?:comincio|inizio|parto|dovrei (?:iniziare|cominciare"
            "|partire)|devo (?:iniziare|cominciare))"
        ),
        (
            "(?:suggerisci(?:mi)?|consiglia(?:mi)?) (?:cosa fare|un'attività"
            "|qualcosa da fare)(?: adesso| ora| dopo)?"
            "|prossima attività|e adesso|e ora|e poi"
        ),
    ),
    changes=(
        Change(
            pattern=(
                f"(?:togli|rimuovi|elimina|cancella|rimuovere"
                f"|togliere) la (?:data di )?scadenza (?:{DI}|{DA}|{A}){{target}}"
            ),
            entity=Entity.TASK,
            clears=Field.DUE,
        ),
        Change(
            pattern=(
                f"(?:togli|rimuovi|elimina|cancella) (?:l'assegnazione|gli assegnatari|le assegnazioni"
                f"|l'assegnatario) (?:{DI}|{DA}|{A}){{target}}"
            ),
            entity=Entity.TASK,
            clears=Field.ASSIGNEES,
        ),
        Change(pattern="(?:togli|rimuovi) {target} (?:dal suo progetto|dal progetto)", clears=Field.PROJECT),
        Change(
            pattern=(
                "(?:impost|cambi|modific|mett|aggiorn|spost|fiss|post?icip|rimand)(?:are|ere|a|i) "
                "(?:la )?(?:data di scadenza|scadenza|data) "
                f"(?:{DI}|{PER}|{A}){{target}} (?:{A}|per |entro |in |il |{PER})?{{when}}"
            )
        ),
        Change(
            pattern=(
                "(?:sposta(?:re)?|rimanda(?:re)?|posticipa(?:re)?|rinvia(?:re)?|anticipa(?:re)?"
                "|pianifica(?:re)?|programma(?:re)?"
                f"|fissa(?:re)?|metti|imposta(?:re)?|rischedula(?:re)?) {{target}} (?:{A}|entro "
                f"|{PER}|in )?{{when}}"
            )
        ),
        Change(
            pattern=(
                f"{NO_QUESTION}{{target}} (?:scade|deve scadere|scadrà|è in scadenza) (?:{A}|entro |{PER}|in )?{{when}}"
            ),
            entity=Entity.TASK,
        ),
        Change(
            pattern=(
                "(?:imposta(?:re)?|cambia(?:re)?|modifica(?:re)?|metti|mettere|aggiorna(?:re)?"
                "|alza(?:re)?|abbassa(?:re)?|porta(?:re)?"
                f"|aumenta(?:re)?|riduci|ridurre) (?:la )?priorit(?:à|a'?) (?:{DI}|{PER}"
                f"|{A}){{target}} (?:(?:{A}|come |in |su )(?:livello )?)?{{priority}}"
            ),
            entity=Entity.TASK,
        ),
        Change(
            pattern=(
                "(?:d[aà]'?|dare|assegna(?:re)?|metti|imposta(?:re)?|segna(?:re)?) (?:una "
                "|la )?(?:priorit(?:à|a'?) (?P<priority>"
                f"alta|media|bassa|massima|minima|normale)) (?:{A}|{PER}){{target}}"
            ),
            entity=Entity.TASK,
        ),
        Change(
            pattern=(
                "(?:segna(?:re)?|imposta(?:re)?|metti|rendi|rendere|contrassegna(?:re)?|marca(?:re)?) {target} "
                f"(?:come |{A}|con |in )?(?:(?:la )?priorit(?:à|a'?) )?{{priority}}(?: priorit(?:à|a'?))?"
            ),
            entity=Entity.TASK,
        ),
        Change(
            pattern=(
                "(?:segna(?:re)?|imposta(?:re)?|metti|mettere|contrassegna(?:re)?|marca(?:re)?"
                "|spunta(?:re)?|sposta(?:re)?|porta(?:re)?"
                f"|cambia(?:re)?|aggiorna(?:re)?) {{target}} (?:(?:come|in stato|{A}(?:stato )?|fra le"
                f"|tra le|in) ?)?{{status}}"
            ),
            entity=Entity.TASK,
        ),
        Change(
            pattern=(
                "(?:completa(?:re)?|termina(?:re)?|chiud(?:i|ere)|finisci|finire|concludi|concludere"
                "|spunta(?:re)?|risolvi"
                "|ho(?: già| appena)? (?:finito|completato|terminato|fatto|concluso|chiuso)(?: con)?"
                "|fatto:?) {target}"
            ),
            entity=Entity.TASK,
            status=Status.DONE,
        ),
        Change(
            pattern=(
                f"{NO_QUESTION}{{target}} (?:è|sono)(?: stat[aoei])?(?: ora| già)? (?:fatt|completat"
                f"|finit|conclus|terminat)[aoei]"
            ),
            entity=Entity.TASK,
            status=Status.DONE,
        ),
        Change(pattern="(?:riapr(?:i|ire)|ripristina(?:re)?) {target}", entity=Entity.TASK, status=Status.TODO),
        Change(
            pattern=(
                "(?:inizia(?:re)?|comincia(?:re)?|avvia(?:re)?|sto lavorando|lavora(?:re)?"
                "|ho (?:iniziato|cominciato)|sto facendo)"
                f"(?: (?:a lavorare ))?(?: con)? (?:{A}|{SU})?{{target}}"
            ),
            entity=Entity.TASK,
            status=Status.IN_PROGRESS,
        ),
        Change(pattern=f"(?:rinomina(?:re)?|ribattezza(?:re)?) {{target}} (?:in|come|{A}) {{title}}"),
        Change(
            pattern=(
                f"(?:cambia(?:re)?|modifica(?:re)?|aggiorna(?:re)?|imposta(?:re)?) il (?:titolo"
                f"|nome) (?:{DI}){{target}} (?:in|a|con) {{title}}"
            )
        ),
        Change(
            pattern=(
                f"(?:sposta(?:re)?|metti|mettere|trasferisci|aggiungi"
                f"|assegna(?:re)?) {{target}} (?:{IN}|{A}|{SU})progetto {{project}}"
            )
        ),
        Change(
            pattern=f"(?:assegna(?:re)?|affida(?:re)?|delega(?:re)?|riassegna(?:re)?) {{target}} (?:{A}){{names}}",
            entity=Entity.TASK,
        ),
        Change(pattern=f"(?:sposta(?:re)?|trasferisci|trasferire) {{target}} (?:{IN}|{A}){{project}}"),
        Change(pattern="(?:archivia(?:re)?) {target}", entity=Entity.PROJECT, archived=True),
        Change(
            pattern="(?:riattiva(?:re)?|ripristina(?:re)?|togli dall'archivio|disarchivia(?:re)?) {target}",
            entity=Entity.PROJECT,
            archived=False,
        ),
        Change(
            pattern=(
                f"(?:imposta(?:re)?|cambia(?:re)?|modifica(?:re)?"
                f"|aggiorna(?:re)?) la descrizione (?:{DI}){{target}} (?:in|a|con|:) {{content}}"
            ),
            entity=Entity.TASK,
        ),
        Change(
            pattern=(
                f"(?:imposta(?:re)?|cambia(?:re)?|modifica(?:re)?|aggiorna(?:re)?"
                f"|sostituisci) il (?:contenuto|testo) (?:{DI}){{target}} (?:in|a|con) {{content}}"
            ),
            entity=Entity.NOTE,
        ),
    ),
    deletions=("(?:elimina(?:re)?|cancella(?:re)?|rimuov(?:i|ere)|togli(?:ere)?|butta via|cestina(?:re)?) {target}",),
    comment_deletions=(
        (
            f"(?:elimina(?:re)?|cancella(?:re)?|rimuov(?:i|ere)) il commento (?P<content>.+?) (?:{DI}"
            f"|{DA}|{SU}|{A}){{target}}"
        ),
    ),
    comments=(
        (
            f"(?:aggiung(?:i|ere)|lascia(?:re)?|scriv(?:i|ere)|metti) (?:il |un "
            f"|questo )?commento:? {{quoted}} (?:{A}|{SU}|{IN}|{PER}){{target}}"
        ),
        (
            f"(?:aggiung(?:i|ere)|lascia(?:re)?|scriv(?:i|ere)|metti) (?:il "
            f"|un )?(?:nuovo )?commento (?:{A}|{SU}|{IN}|{PER}){{target}}"
            r"(?:\s*: ?|,? (?:dicendo|che dice|con scritto|con il testo|con testo|con) )"
            "{content}"
        ),
        (
            f"(?:aggiung(?:i|ere)|lascia(?:re)?|scriv(?:i|ere)|metti) (?:il |un "
            f"|questo )?commento:? {{content}} (?:{A}|{SU})(?:attività|attivita'?|compito"
            f"|task) {{target}}"
        ),
        f"commenta(?:re)? (?:{SU}|{A}|{THE})?{{target}}(?:\\s*: ?|,? (?:dicendo|con scritto|con) ){{content}}",
    ),
    authored="(?:a nome di|da|come) {author}",
    comment_lists=(
        (
            "(?:(?:mostra(?:mi)?|mostrare|elenca(?:re)?|leggi(?:mi)?|leggere|fammi vedere|vedere"
            "|quali sono|ci sono|trova) )?"
            "(?:tutti )?(?:i |dei |gli )?"
            f"commenti (?:{DI}|{A}|{SU}|{PER}|{IN}){{target}}"
        ),
        f"(?:che |quali )commenti (?:ci sono |ha |hanno )?(?:{DI}|{A}|{SU}|{PER}|{IN})?{{target}}",
    ),
    note_searches=(
        (
            f"(?:cerca(?:mi|re)?|trova(?:re|mi)?|guarda(?:re)?) (?:{IN}|{PER}|tra )?(?:(?:le|gli"
            f"|tutte le) )?(?:(?:mie|miei) )?(?:note|appunti)"
            f"(?: qualcosa)? (?:su |{SU}|riguardo (?:{A})|che parl(?:a|ano) {DI}"
            f"|che (?:contengono|menzionano|citano) |con ){{query}}"
        ),
        (
            f"(?:cerca(?:mi|re)?|trova(?:re|mi)?) (?:{IN}|tra )(?:(?:le|gli) )?(?:(?:mie"
            f"|miei) )?(?:note|appunti)[ :]+{{query}}"
        ),
        (
            f"(?:cerca(?:mi|re)?|trova(?:re|mi)?) {{query}} (?:{IN}|tra )(?:(?:le|gli) )?(?:(?:mie"
            f"|miei) )?(?:note|appunti)"
        ),
        (
            "(?:che )?cosa (?:dicono|dice|c'è scritto|c'è|contengono|ho scritto|ho annotato"
            "|avevo scritto|ho appuntato)"
            f"(?: (?:{IN}|nelle )?(?:(?:la|le|gli|i) )?(?:(?:mie|miei|mia) )?(?:note|nota"
            f"|appunti))? (?:su |{SU}|riguardo (?:{A})|{DI}|a proposito {DI}){{query}}"
        ),
        (
            f"(?:(?:mostra(?:mi)?|elenca|dammi|ho|ci sono|hai) )?(?:delle |le "
            f"|qualche )?(?:(?:mie) )?(?:note|appunti|nota) (?:su |{SU}|riguardo (?:{A})"
            f"|che parlano {DI}){{query}}"
        ),
    ),
    readings=(
        (
            "(?:legg(?:i|imi|ere)|apr(?:i|imi|ire)|mostra(?:mi|re)?|fammi vedere|vedere"
            "|visualizza(?:re)?|descrivi(?:mi)?"
            "|trova(?:mi|re)?|cerca(?:mi|re)?) {target}"
        ),
        "(?:che )?cosa (?:dice|c'è scritto in|c'è scritto nella|c'è nella|c'è in|contiene) {target}",
        f"(?:parlami|dimmi tutto|cosa sai) (?:{DI}|{SU}){{target}}",
        f"(?:come va|come procede|a che punto è|qual è lo stato {DI.strip()}) {{target}}",
    ),
)
