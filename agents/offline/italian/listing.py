"""How Italian asks for rows."""

from agents.offline.commands import Grouping, Shape
from agents.offline.grammar import ListingWords
from agents.offline.italian.parts import IN_PROJECT

LISTING = ListingWords(
    questions=(
        "cosa|che|cos'è|quali|quale|qual|chi|quant[aeio]|mostr(?:a|ami|are)|elenc(?:a|ami|are)|elenco|lista"
        "|fammi vedere|dammi|dimmi|visualizza|vedere|vedi|c'è|ci sono|ho|hai|trova|cerca|conta|contare|numero"
        "|vorrei vedere|le mie|i miei"
    ),
    shapes=(
        (
            (
                "(?:(?:come|in|con|su|un|il|fammi|di) )*(?:un )?(?:grafico|diagramma"
                "|istogramma)(?: (?:(?:a|ad) )?(?P<chart>torta|barre|linee|area|radar|radiale"
                "|ciambella))?(?: (?=d))?(?:(?:{di})(?=(?:attivit|compit|task|cose)))?"
            ),
            Shape.CHART,
        ),
        (
            (
                "(?:(?:come|in|una|la|sotto forma di|con) )*tabella(?: (?:{di})(?=(?:attivit|compit|task|cose"
                "|progett|not|appunt)))?"
            ),
            Shape.TABLE,
        ),
        ("(?:(?:come|in|la|una|sulla) )*(?:timeline|linea (?:del tempo|temporale)|cronologia|roadmap)", Shape.TIMELINE),
    ),
    charts=(("area", "area"), ("linee", "line"), ("torta|ciambella", "pie"), ("radar", "radar"), ("radiale", "radial")),
    groupings=(
        ("{diviso}(?:lo )?stat[oi]", Grouping.STATUS),
        ("{diviso}(?:la )?priorit(?:à|a'?)", Grouping.PRIORITY),
        ("{diviso}(?:il |ciascun |ogni )?progett[oi]", Grouping.PROJECT),
    ),
    due_mark=(
        "(?:(?:che|e) )?(?:(?:sono |è )?(?:in scadenza|scad(?:e|ono|ute)|da fare|previst[aeio]|programmat[aeio]"
        "|con scadenza|dat[ae]|creat[aeio]|scritt[aeio]|da finire|da completare))(?: (?:entro|per|{a}|{in}|{di}"
        "|il|la|in))?|(?:entro|per|di|da)(?: (?:il|la|le))?|entro l'|{di}|{a}|il|{in}"
    ),
    overdue=(
        "(?:che sono |che |già )?(?:scadut[aeio]|in ritardo|arretrat[aeio]|oltre la scadenza|fuori tempo massimo"
        "|ritardo)"
    ),
    undated="(?:senza|prive di|che non hanno)(?: una| la| data di)? (?:scadenza|data)(?: di scadenza)?",
    priority=(
        "(?:(?:con|a|di|ad|che hanno) )?(?:la |una )?priorit(?:à|a'?):? (?:(?:di|a|ad|livello) )?{priority}",
        "(?:(?:con|a|di|ad) )?(?:una )?{priority} priorit(?:à|a'?)",
        "(?:che sono )?(?:più )?(?P<priority>urgent[ei]|important[ei])",
    ),
    status_mark=(
        "(?:che )?(?:sono|ho|è|sono state|ho già|sono già|risultano|restano|sono ancora|devo ancora)|ancora|già"
        "|con stato|segnat[aeio] come"
    ),
    assignee="(?:che sono )?(?:assegnat[aoei]|affidat[aoei]) (?:{a}){names}",
    project=IN_PROJECT,
    words=(
        "(?:che (?:contengono|contiene|parlano di|parla di|riguardano|menzionano|citano)|contenent[ei]"
        "|con(?: (?:la|le) parol[ae])?|riguardanti|su) (?P<words>.+)"
    ),
    about="(?:{di}|{per}|{in}|{su}|{da}|{a})(?P<about>.+)",
    everything=(
        "tutt[aeoi]|tutt'|ogni|intero|intera|(?:anche|comprese|inclusi|incluse)(?: le| i)? (?:fatte|completat[ei]"
        "|finit[ei])"
    ),
    archived="(?:(?:compresi|inclusi|anche|e)(?: (?:quelli|i))? )?archiviat[io]",
    active="attiv[io]|in corso|apert[io]|corrent[ei]",
    fillers=(
        "qualcosa niente nulla scritto scritte scritti scritta appuntato annotato mostra mostrami mostrare "
        "elenca elencami elencare elenco lista fammi vedere dammi dimmi visualizza vedi cosa che cos'è quali "
        "quale qual chi quante quanti quanto quanta c'è ci sono ho hai ha abbiamo trova trovami cerca cercami "
        "conta contare numero vorrei le la il lo i gli l un una uno mie miei mio mia di del della delle dei "
        "degli dello dell da dal dalla in nel nella nelle nei per con a al alla alle ai agli all su e ed è si mi "
        "sia fare devo dobbiamo ancora adesso ora attualmente qualche alcuna alcune alcuni esistono esiste sto "
        "avere hanno me anche solo soltanto prossime prossimi favore quelle quelli questa questo queste questi "
        "panoramica attuali programma impegni scadenza scadono scade stato sulla sulle sul sui nell d c cos "
        "qui qua pagina schermata vista"
    ),
)
