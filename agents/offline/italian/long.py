"""What the assistant writes of many rows at once in Italian."""

from agents.offline.italian.phrases import ITALIAN_PHRASES
from agents.offline.long_phrases import LongPhrases

ITALIAN_LONG = LongPhrases(
    plain=ITALIAN_PHRASES,
    as_of="Situazione al {day}:",
    untold="Non ho potuto leggere: {rows}.",
    overdue="In ritardo: {rows}",
    open="Ancora da fare: {rows}",
    done="Completato: {rows}",
    ahead="In programma: {rows}",
    notes="Appunti: {rows}",
    done_lately="Completato negli ultimi sette giorni: {rows}",
    due_soon="In scadenza nei prossimi sette giorni: {rows}",
    passed="Passati negli ultimi sette giorni: {rows}",
    ahead_soon="In programma nei prossimi sette giorni: {rows}",
    quiet_week="Nulla di fatto, nulla in ritardo e nessuna scadenza nei prossimi sette giorni.",
    list_steps="Scrivere i passi per: {goal}",
    settle_late="Finire o rimandare {title}",
    set_date="Fissare una scadenza per {title}",
    look_back="Rivedere il piano per: {goal}",
    halfway="A metà strada verso: {goal}",
    reached="Raggiunto: {goal}",
    because_late="Scadeva {day}.",
)
