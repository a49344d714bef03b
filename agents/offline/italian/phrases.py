"""What the assistant says in Italian."""

from agents.offline.commands import Entity, Field, Grouping, Missing, Priority, Status, Talk
from agents.offline.phrases import Noun, Phrases
from agents.permissions.approvals.refusals import Refusal

_CONNECT = (
    "Sono l'assistente offline: nessun modello linguistico è collegato, perciò capisco"
    " solo comandi semplici. Per collegare "
    "un modello, imposta OPENAI_API_KEY o OPENAI_BASE_URL sul server."
)
_EXAMPLES = """- Quali attività scadono oggi?
- Crea un'attività chiamata «Compra il latte» per domani con priorità alta
- Segna «Compra il latte» come fatta
- Crea un checkpoint «Beta» nel progetto «Sito» il 24 dicembre
- Cerca nelle mie note il budget"""

ITALIAN_PHRASES = Phrases(
    quotes="«»",
    nouns={
        Entity.TASK: Noun(one="attività", many="attività", the="l'attività", none="nessuna attività"),
        Entity.PROJECT: Noun(one="progetto", many="progetti", the="il progetto", none="nessun progetto"),
        Entity.CHECKPOINT: Noun(one="checkpoint", many="checkpoint", the="il checkpoint", none="nessun checkpoint"),
        Entity.NOTE: Noun(one="nota", many="note", the="la nota", none="nessuna nota"),
        Entity.COMMENT: Noun(one="commento", many="commenti", the="il commento", none="nessun commento"),
    },
    thing=Noun(one="elemento", many="elementi", the="l'elemento", none="nulla"),
    statuses={Status.TODO: "da fare", Status.IN_PROGRESS: "in corso", Status.DONE: "fatta"},
    status_adjectives={
        Status.TODO: ("da fare", "da fare"),
        Status.IN_PROGRESS: ("in corso", "in corso"),
        Status.DONE: ("fatta", "fatte"),
    },
    open=("aperta", "aperte"),
    done=("fatta", "fatte"),
    overdue=("scaduta", "scadute"),
    undated="senza scadenza",
    priority="priorità {priority}",
    priority_words={Priority.HIGH: "alta", Priority.MEDIUM: "media", Priority.LOW: "bassa"},
    no_project="nessun progetto",
    groupings={Grouping.STATUS: "per stato", Grouping.PRIORITY: "per priorità", Grouping.PROJECT: "per progetto"},
    archived="archiviato",
    today="oggi",
    tomorrow="domani",
    yesterday="ieri",
    weekdays=("lun", "mar", "mer", "gio", "ven", "sab", "dom"),
    months=("gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"),
    at="alle {time}",
    due="scadenza {day}",
    falling_due="in scadenza {day}",
    dated_rows="con data {day}",
    with_priority="con {priority}",
    between="tra {first} e {last}",
    described="{noun} {open} {overdue} {status} {priority} {when} {project} {person} {words}",
    in_project="nel progetto {name}",
    for_person="per {name}",
    with_words="con {name}",
    found="Hai {rows}.",
    found_none="Non hai {rows}.",
    of_which_done=("Una è già fatta.", "{count} sono già fatte."),
    more="… e altre {count}",
    all_done=("È già fatta.", "Sono tutte già fatte."),
    not_all="Ce ne sono altre {count} che non ho potuto guardare.",
    counts="Hai {rows}: {counts}.",
    headers=("Titolo", "Stato", "Priorità", "Scadenza"),
    date_header="Data",
    created="Ho creato {the} {title}{details}.",
    changed="Ho aggiornato {the} {title}{details}.",
    marked="Ho segnato {the} {title} come {status}.",
    renamed="Ho rinominato {the} {old} in {title}.",
    moved="Ho spostato {the} {title} nel progetto {project}.",
    archived_it="Ho archiviato {the} {title}.",
    restored_it="Ho tolto {the} {title} dall'archivio.",
    deleted="Ho eliminato {the} {title}.",
    commented="Ho aggiunto il commento. Attività: {title}.",
    cleared={
        Field.DUE: "{the} {title} non ha più una scadenza.",
        Field.ASSIGNEES: "{the} {title} non è più di nessuno.",
        Field.PROJECT: "{the} {title} non è più in un progetto.",
    },
    myself="Io",
    failed="Non ha funzionato. {sentence}",
    refusals={
        Refusal.REFUSED: "Va bene, lascio tutto com'è.",
        Refusal.UNANSWERED: "Non hai risposto in tempo, quindi non ho cambiato nulla. Ripeti la richiesta quando vuoi.",
        Refusal.PENDING: "Serve la tua approvazione, in attesa tra le richieste aperte. Finora nulla è cambiato.",
        Refusal.CANNOT_ASK: "Serve la tua approvazione, e qui non posso chiedertela. Non è cambiato nulla.",
        Refusal.DENIED: "Le tue impostazioni non lo permettono. Non è cambiato nulla.",
    },
    cannot_here="Qui non posso farlo: lo strumento necessario non è disponibile.",
    unclear_answer="Lo strumento non ha risposto.",
    several="{name} può indicare {count} {many}. Ripeti il comando con il titolo completo:",
    same_title=(
        "Ci sono {count} {many} con il titolo {name}. Aggiungi ciò che le distingue, ad"
        " esempio «nel progetto …», o rinominane una:"
    ),
    none_called="Non ho trovato {none} con il nome {name}.",
    not_certain=(
        "Ho trovato {the} {title}, ma il titolo che hai dato non è completo. Eliminare è"
        " definitivo: ripeti il comando con il "
        "titolo completo."
    ),
    talk={
        Talk.GREETING: f"Ciao! {_CONNECT}\n\nProva per esempio:\n{_EXAMPLES}",
        Talk.HELP: (
            f"{_CONNECT}\n\nElenco, conto, creo, modifico ed elimino attività, progetti, checkpoint"
            f" e note, riassumo e pianifico progetti e rivedo la settimana, in italiano e in "
            f"inglese. Per esempio:\n{_EXAMPLES}\n\nMetti i titoli tra virgolette se contengono"
            f" parole come «in» o «domani»."
        ),
        Talk.THANKS: "Prego!",
        Talk.ONE_AT_A_TIME: "Modifico una cosa alla volta. Indicala con il suo titolo, meglio se tra virgolette.",
        Talk.NO_SUCH_DATE: "Questa data non esiste nel calendario.",
        Talk.NOT_UNDERSTOOD: f"Non ho capito. {_CONNECT}\n\nPer esempio so fare questo:\n{_EXAMPLES}",
    },
    missing={
        Missing.TITLE: "Come si deve chiamare {the}? Per esempio: {example}",
        Missing.PROJECT: "A quale progetto appartiene {the}? Per esempio: {example}",
        Missing.DATE: "Per quale data è {the}? Per esempio: {example}",
        Missing.CONTENT: "Che cosa deve dire {the}? Per esempio: {example}",
        Missing.GOAL: "Che cosa deve raggiungere {the}? Per esempio: {example}",
        Missing.WHICH: "Quale intendi? Indica il titolo, meglio se tra virgolette. Per esempio: {example}",
    },
    examples={
        Entity.TASK: "Crea un'attività chiamata «Compra il latte»",
        Entity.PROJECT: "Crea un progetto chiamato «Sito»",
        Entity.CHECKPOINT: "Crea un checkpoint «Beta» nel progetto «Sito» il 24 dicembre",
        Entity.NOTE: "Crea una nota chiamata «Idee»: dipingere la cucina",
        Entity.COMMENT: "Commenta «Compra il latte»: il negozio chiude alle sei",
        None: "Segna «Compra il latte» come fatta",
    },
    filed_examples={
        Entity.TASK: "Crea un'attività chiamata «Compra il latte» nel progetto «Sito»",
        Entity.NOTE: "Crea una nota chiamata «Idee» nel progetto «Sito»: dipingere la cucina",
    },
    plan_example="Pianifica il progetto «Sito»: andare online entro il 1 maggio",
    no_page="Qui non vedo nessuna pagina. Chiedimelo accanto a una pagina aperta.",
    page_never_shared="Questa pagina non la condividi mai, quindi non posso vederla.",
    notes_read_only="Qui posso leggere le note, ma non modificarle. Apri la nota per cambiarla.",
    not_beside_page="Accanto a una pagina non posso farlo. Chiedimelo nella Home.",
    holds="Contiene {things}.",
    holds_nothing="Non contiene nulla.",
    of_which_overdue="{rows}, di cui {count} in ritardo",
    events="Sulla timeline c'è ancora:",
    no_events="Sulla timeline non c'è più nulla in programma.",
    next_checkpoint="Prossimo checkpoint: {title}, {day}.",
    new_since="Novità dal giorno prima: {things}.",
    start_with="Inizierei da {title}: {reason}.",
    start_plain="Inizierei da {title}.",
    because_overdue="scadeva {day}",
    because_started="è già in corso",
    because_due="scade {day}",
    because_priority="ha priorità alta",
    then="Poi:",
    nothing_open="Non hai attività aperte: non c'è nulla in attesa.",
    empty_note="La nota non ha testo.",
    notes_about="Queste sono le note più vicine a {name}:",
    no_notes_about="Non ho trovato note su {name}.",
    project_state="Il progetto {title} è {state}.",
    project_tasks="Ha {rows}.",
    active="attivo",
    not_for="Non posso cambiarlo: {the} {title} non ha questo campo.",
    comments_on="{count} sull'attività {title}:",
    no_comments="L'attività {title} non ha commenti.",
    remembered="Mi ricorderò: {text}.",
    recalled="Ecco che cosa ricordo:",
    recalled_nothing="Non ricordo nulla{about}.",
    about=" su {name}",
    forgot="Ho dimenticato: {text}.",
    forget_which="Può indicarne più di una. Ripeti il comando con una di queste:",
    history="Ecco di che cosa abbiamo parlato:",
    no_history="Non trovo conversazioni precedenti{about}.",
    begun="Ho avviato un lavoro a parte: ci vuole un po' di tempo, e il risultato arriva da solo.",
    summarized="Ho scritto il riassunto del progetto {title}:",
    planned="Ho aggiunto al progetto {title} queste proposte, che puoi accettare o rifiutare:",
    left_out="Ho lasciato fuori dal piano:",
    reviewed="Ecco la revisione della tua settimana:",
    reported="Lo strumento riferisce: {sentence}",
)
