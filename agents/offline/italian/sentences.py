"""Italian sentences that change, delete, comment and ask."""

from agents.offline.commands import Entity, Field, Status
from agents.offline.grammar import Change, Sentences

_CHANGES = (
    Change(pattern="{togli} la (?:data di )?scadenza (?:{di}|{da}|{a}){target}", entity=Entity.TASK, clears=Field.DUE),
    Change(
        pattern=("{togli} (?:l'assegnazione|gli assegnatari|le assegnazioni|l'assegnatario) (?:{di}|{da}|{a}){target}"),
        entity=Entity.TASK,
        clears=Field.ASSIGNEES,
    ),
    Change(pattern="{togli} {target} (?:dal suo progetto|dal progetto)", clears=Field.PROJECT),
    Change(
        pattern=(
            "(?:{imposta}|posticipa|rimanda) (?:la )?(?:data di scadenza|scadenza|data) (?:{di}|{per}|{a}){target}"
            " (?:{a}|{per}|entro |in |il )?{when}"
        )
    ),
    Change(
        pattern=(
            "(?:{imposta}|(?:rimanda|posticipa|rinvia|anticipa|pianifica|programma)(?:re)?) {target}"
            " (?:{a}|{per}|entro |in )?{when}"
        )
    ),
    Change(
        pattern=("{no_question}{target} (?:scade|deve scadere|scadrà|è in scadenza) (?:{a}|{per}|entro |in )?{when}"),
        entity=Entity.TASK,
    ),
    Change(
        pattern=(
            "(?:{imposta}|(?:alza|abbassa|porta|aumenta)(?:re)?|riduci|ridurre) {priorità} (?:{di}|{per}|{a}){target}"
            " (?:(?:{a}|{su}|come |in )(?:livello )?)?{priority}"
        ),
        entity=Entity.TASK,
    ),
    Change(
        pattern="(?:d[aà]'?|dare|{assegna}|{segna}) {priorità} {priority} (?:{a}|{per}){target}", entity=Entity.TASK
    ),
    Change(
        pattern="{segna} {target} (?:come |{a}|con |in )?(?:{priorità} )?{priority}(?: {priorità})?",
        entity=Entity.TASK,
    ),
    Change(
        pattern="{segna} {target} (?:(?:come|in stato|{a}(?:stato )?|fra le|tra le|in) ?)?{status}",
        entity=Entity.TASK,
    ),
    Change(
        pattern=(
            "(?:(?:completa|termina|spunta)(?:re)?|chiud(?:i|ere)|fini(?:sci|re)|conclud(?:i|ere)|risolvi|fatto:?"
            "|ho(?: già| appena)? (?:finito|completato|terminato|fatto|concluso|chiuso)(?: con)?) {target}"
        ),
        entity=Entity.TASK,
        status=Status.DONE,
    ),
    Change(
        pattern=(
            "{no_question}{target} (?:è|sono)(?: stat[aoei])?(?: ora| già)?"
            " (?:fatt|completat|finit|conclus|terminat)[aoei]"
        ),
        entity=Entity.TASK,
        status=Status.DONE,
    ),
    Change(pattern="riapr(?:i|ire) {target}", entity=Entity.TASK, status=Status.TODO),
    Change(
        pattern=(
            "(?:(?:inizia|comincia|avvia|lavora)(?:re)?|sto lavorando|sto facendo|ho (?:iniziato|cominciato))"
            "(?: a lavorare)?(?: con)? (?:{a}|{su})?{target}"
        ),
        entity=Entity.TASK,
        status=Status.IN_PROGRESS,
    ),
    Change(pattern="(?:rinomina|ribattezza)(?:re)? {target} (?:in|come|a) {title}"),
    Change(pattern="{imposta} il (?:titolo|nome) {di}{target} (?:in|a|con) {title}"),
    Change(pattern="(?:{sposta}|{aggiungi}|{assegna}) {target} (?:{in}|{a}|{su})progetto {project}"),
    Change(pattern="{assegna} {target} {a}{names}", entity=Entity.TASK),
    Change(pattern="(?:sposta(?:re)?|trasferi(?:sci|re)) {target} (?:{in}|{a}){project}"),
    Change(pattern="archivia(?:re)? {target}", entity=Entity.PROJECT, archived=True),
    Change(
        pattern="(?:(?:riattiva|ripristina|disarchivia)(?:re)?|togli dall'archivio) {target}",
        entity=Entity.PROJECT,
        archived=False,
    ),
    Change(pattern="{imposta} la descrizione {di}{target} (?:in|a|con) {content}", entity=Entity.TASK),
    Change(
        pattern="(?:{imposta}|sostituisci) il (?:contenuto|testo) {di}{target} (?:in|a|con) {content}",
        entity=Entity.NOTE,
    ),
)

SENTENCES = Sentences(
    greetings="(?:ciao|salve|buongiorno|buonasera|buon pomeriggio|ehi|hey)(?:,? adiuva)?|adiuva",
    thanks="(?:ok(?:ay)?,? )?grazie(?: (?:mille|tante|infinite))?|ok(?:ay)?|perfetto|bene|benissimo|ottimo",
    help=(
        "aiuto|aiutami|(?:che )?cosa (?:sai|puoi|posso)(?: fare| chiederti| chiedere| dire)(?: per me| qui)?"
        "|(?:che )?cosa fai|come funzion[ia]|(?:mostra(?:mi)? )?(?:i )?comandi(?: disponibili)?|chi sei|cosa sei"
    ),
    next=(
        (
            "(?:che )?cosa (?:dovrei|devo|posso|mi conviene|conviene|è meglio) (?:fare|iniziare|affrontare)"
            "(?: adesso| ora| dopo| prima| per prima cosa| come prossima cosa| poi)?"
        ),
        (
            "qual(?: |e )è (?:la |il )?(?:mi[ao] )?(?:prossim[ao]|(?:attività|cosa|compito) più)"
            "(?: (?:attività|compito|cosa|passo|cosa da fare|importante|urgente))?(?: da fare)?"
        ),
        (
            "su (?:che )?cosa (?:dovrei|devo|posso|mi conviene) (?:lavorare|concentrarmi)"
            "(?: adesso| ora| dopo| prima| oggi)?"
        ),
        "da (?:che )?(?:cosa|dove) (?:comincio|inizio|parto|(?:dovrei|devo) (?:iniziare|cominciare|partire))",
        "(?:suggerisci|consiglia)(?:mi)? (?:cosa fare|un'attività|qualcosa da fare)(?: adesso| ora| dopo)?",
        "prossima attività|e adesso|e ora|e poi",
    ),
    page=(
        (
            "(?:(?:che )?cosa (?:c'è|vedo|si vede|contiene|mostra|dice)|mostra(?:mi)?(?: cosa c'è| tutto)?"
            "|descrivi(?:mi)?|riassumi(?:mi)?|dimmi cosa c'è|elenca(?:mi)? tutto)"
            "(?: (?:in|su|sulla|nella))? (?:quest[ao]|la|il) "
            "(?:pagina|schermata|schermo|vista)(?: corrente| aperta| attuale)?"
        ),
        "(?:che )?cosa c'è qui|(?:che )?cosa (?:vedo|vedi)(?: qui)?|dove (?:sono|mi trovo)",
        "(?:che )?cosa sto guardando",
    ),
    changes=_CHANGES,
    deletions=("(?:{togli}|butta via|cestina(?:re)?) {target}",),
    comment_deletions=("{togli} il commento (?P<content>.+?) (?:{di}|{da}|{su}|{a}){target}",),
    comments=(
        "{aggiungi} {un}commento:? {quoted} (?:{a}|{su}|{in}|{per}){target}",
        "{aggiungi} {un}(?:nuovo )?commento (?:{a}|{su}|{in}|{per}){target}{dicendo}{content}",
        "{aggiungi} {un}commento:? {content} (?:{a}|{su})(?:attività|attivita'?|compito|task) {target}",
        "commenta(?:re)? (?:{su}|{a}|{il})?{target}{dicendo}{content}",
    ),
    authored="(?:a nome di|da|come) {author}",
    comment_lists=(
        "(?:(?:{mostra}|quali sono|ci sono) )?(?:tutti )?(?:i |dei )?commenti (?:{di}|{a}|{su}|{per}|{in}){target}",
        "(?:che |quali )commenti (?:ci sono |ha |hanno )?(?:{di}|{a}|{su}|{per}|{in})?{target}",
    ),
    note_searches=(
        "{cerca} (?:{in}|{per}|tra )?{le_note}(?: qualcosa)? (?:{riguardo}|con ){query}",
        "{cerca} (?:{in}|tra ){le_note}[ :]+{query}",
        "{cerca} {query} (?:{in}|tra ){le_note}",
        (
            "(?:che )?cosa (?:dicono|dice|c'è scritto|c'è|contengono|(?:ho|avevo) (?:scritto|annotato|appuntato))"
            "(?: {in}?{le_note})? (?:{riguardo}|{di}){query}"
        ),
        "(?:(?:{mostra}|ho|ci sono|hai) )?{le_note} {riguardo}{query}",
    ),
    readings=(
        "(?:{mostra}|{cerca}|apr(?:i|imi|ire)|visualizza(?:re)?|descrivi(?:mi)?) {target}",
        "(?:che )?cosa (?:dice|c'è scritto in|c'è scritto nella|c'è nella|c'è in|contiene) {target}",
        "(?:parlami|dimmi tutto|cosa sai) (?:{di}|{su}){target}",
        "(?:come va|come procede|a che punto è) {target}",
    ),
)
