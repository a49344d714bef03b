"""Parts of Italian sentences that several of them share.

Prepositions may hold an article; elided ones end in an apostrophe and need no space, so the space is part of them.
"""

VOCABULARY = {
    "no_question": (
        r"(?!(?:cosa|che|chi|quali|quale|quando|dove|come|perch[eé]|mostra|elenca|quant[aeio]|cerca|trova|ci|hai|ho)\b)"
    ),
    "a": "(?:(?:ad|a|al|allo|alla|ai|agli|alle) |all')",
    "di": "(?:(?:di|del|dello|della|dei|degli|delle) |dell'|d')",
    "da": "(?:(?:da|dal|dallo|dalla|dai|dagli|dalle) |dall')",
    "in": "(?:(?:in|nel|nello|nella|nei|negli|nelle) |nell')",
    "su": "(?:(?:su|sul|sullo|sulla|sui|sugli|sulle) |sull')",
    "per": "(?:per (?:il |lo |la |i |gli |le |l')?)",
    "il": "(?:il |lo |la |i |gli |le |l')",
    "un": "(?:(?:il|un|questo) )?",
    "imposta": "(?:(?:imposta|cambia|modifica|aggiorna|fissa|sposta)(?:re)?|metti|mettere)",
    "segna": (
        "(?:(?:segna|contrassegna|marca|imposta|spunta|porta|sposta|cambia|aggiorna)(?:re)?|metti|mettere"
        "|rend(?:i|ere))"
    ),
    "sposta": "(?:sposta(?:re)?|trasferi(?:sci|re)|metti|mettere)",
    "togli": "(?:togli(?:ere)?|rimuov(?:i|ere)|elimina(?:re)?|cancella(?:re)?)",
    "aggiungi": "(?:aggiung(?:i|ere)|lascia(?:re)?|scriv(?:i|ere)|metti)",
    "assegna": "(?:assegna|affida|delega|riassegna)(?:re)?",
    "mostra": "(?:mostra(?:mi|re)?|elenca(?:re)?|legg(?:i|imi|ere)|dammi|fammi vedere|vedere|trova(?:mi|re)?)",
    "cerca": "(?:cerca(?:mi|re)?|trova(?:mi|re)?|guarda(?:re)?)",
    "priorità": "(?:la |una )?priorit(?:à|a'?)",
    "le_note": "(?:(?:tutte )?(?:le |gli |la |delle |qualche )?(?:mie |miei |mia )?(?:note|nota|appunti))",
    "riguardo": "(?:{su}|riguardo {a}|a proposito {di}|che parl(?:a|ano) {di}|che (?:contengono|menzionano|citano) )",
    "dicendo": r"(?:\s*: ?|,? (?:dicendo|che dice|con scritto|con il testo|con testo|con) )",
    "diviso": "(?:(?:raggruppat[aei]|divis[aei]|suddivis[aei]) )?(?:per|in base {a}|{per}) ?",
}

IN_PROJECT = ("(?:{in}|{di}|{a}|{da}|{per}|{su})(?:mio )?progett[oi](?: chiamato| di nome)?:? {project}",)
OF_PROJECT = ("(?:{in}|{di}|{da})(?:mio )?progetto(?: chiamato| di nome)?:? {project}",)
