"""Words that say little about the topic of a text, in English and Italian, folded as ``words_of`` does. Pure."""

from collections.abc import Mapping
from typing import Final


def word_set(text: str) -> frozenset[str]:
    """The words of ``text``, separated by white space."""
    return frozenset(text.split())


LABELS: Final = word_set(
    """
    action agenda agreed change contact date decided decision done draft edit example fyi goal goals idea ideas info
    issue item location meeting memo note notes place plan ps question re reminder request result status subject summary
    task tasks time tip title to todo topic update updates urgent warning
    aggiornamento appunti appunto argomento attenzione azione data decisione domanda esempio fatto idea luogo memo nb
    nota note obiettivo oggetto ora orario piano problema promemoria ps riassunto richiesta riunione stato titolo
    urgente
    """
)
"""Words before a colon that are no name of a speaker."""
STOP_WORDS: Final[Mapping[str, frozenset[str]]] = {
    "en": word_set(
        """
        a about above after again against all also am an and any are as at be because been before being below between
        both but by bye can could d did didn do does doesn doing don down during each few for from further get go
        goodbye got had has hasn have haven having he hello her here hers herself hey hi him himself his how i if in
        into is isn it its itself just let ll m may me might more most must my myself no nor not now of off ok okay on
        once one only or other our ours out over own please re s said same say shall she should so some such t tell than
        thank thanks that the their theirs them then there these they this those through to too under until up us ve
        very was wasn we were what when where which while who whom why will with won would wow yes you your yours
        yourself
        """
    ),
    "it": word_set(
        """
        a abbiamo ad agli ai al alla alle allo anche ancora avere aveva avevo bene buonanotte buonasera buongiorno c che
        chi ci ciao cio col come con cosa cui d da dai dal dalla dalle dallo degli dei del dell della delle dello detto
        di dimmi dirmi dopo dove e ecco ed era erano ero esse essere fa fare fra fu gia gli grazie ha hai hanno ho i il
        in io l la le lei li lo loro lui ma me mi mia mie miei mio molto ne negli nei nel nell nella nelle nello no noi
        non nostra nostro o ogni per perche pero piu poi possa posso prego puo puoi qual quale quali quando quanto
        quella quelle quelli quello quest questa queste questi questo qui s salve se sei si sia siamo sono stata stato
        su sua sue sugli sui sul sulla sulle suo suoi t te ti tra tu tua tue tuo tuoi un una uno va vi voi
        """
    ),
}
"""Words that are not searched: articles, pronouns, prepositions, auxiliaries, greetings."""

REQUEST_WORDS: Final[Mapping[str, frozenset[str]]] = {
    "en": word_set(
        """
        across aspect aspects bring brought call called chat chats comprehensive conversation conversations create
        describe detail details different discuss discussed discussion discussions explain find gave give given happen
        happened happening help include including involved involving item items kind list made make many mean mention
        mentioned mentioning much name ordered overview previously provide recommend regarding related remember sequence
        show suggest summarise summarised summarize summarized summary talk talked thing things think throughout time
        told topic topics translate various walk want wanted work write wrote
        """
    ),
    "it": word_set(
        """
        aiuta aiutami argomenti argomento aspetti aspetto chiama consiglia conversazione conversazioni crea dammi
        descrivi dice dici dire diversi elenca elenco fammi genere menzionato mostra mostrami ordine panoramica parla
        parlami parlato pensi quante quanti riassumi riassunto ricordi riguardo sai sapere scrivi sequenza significa
        spiega spiegami suggerisci tempo traduci trova vari tipo vuoi vuole
        """
    ),
}
"""Words for what an answer should be, and for the conversation itself."""

COMMON_WORDS: Final[Mapping[str, frozenset[str]]] = {
    "en": word_set(
        """
        able actually again ago almost already always another anyone anything around ask asked away awesome bad
        best better big bit brilliant came case check come comes coming cool day days difference different done
        easy else end enough even ever every everyone everything exactly fact far feel felt fine first five
        found four free full fun good great guy happy hard hear high hope hour hours idea important interesting
        keep kids knew know large last late later least leave left less like line little live long look looking
        lot love low main maybe minute minutes month months morning near need never new next nice night nobody
        number old open part past people perfect person place point pretty probably problem put question quite
        reach read ready real really reason right run saying says second see seem sentence set short side since
        small somebody someone something soon sort start state stay still stop sure take ten three today
        together told tomorrow tonight took try turn two use used usual want wants way week weeks well whole
        without word words world worth year years yesterday yet
        """
    ),
    "it": word_set(
        """
        adesso allora altra altre altri altro anni anno bella bello bisogno brava bravo buon buona buono capito
        caso certo comunque cose deve devi devo differenza dobbiamo domani due forse giorni giorno giusto grande
        grandi guarda idea ieri insieme invece lungo mai male mattina meglio meno mese mesi mettere mezzo mille
        minuti modo momento nessuno niente nome numero nuova nuovo oggi ora ore parola parole parte perfetto
        piace piccolo poco portare porto posto presto prima primo pronto proprio punto pure qualche qualcosa
        qualcuna qualcuno sabato seconda secondo sempre senza sera serve settimana solo subito tanto tardi tre
        troppo tutta tutte tutti tutto uguale ultima ultimo vado vede vedere vedo vengo vengono venire venuta
        venuto vera vero viene visto vita vogliamo voglio volta volte vuol
        """
    ),
}
"""Words that are used about any topic. They are searched, but count less."""
