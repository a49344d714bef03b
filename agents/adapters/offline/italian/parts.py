"""Parts of Italian sentences that several kinds of them share."""

# Prepositions with and without an article; elided ones end in an apostrophe and need no space.
A = "(?:(?:ad|a|al|allo|alla|ai|agli|alle) |all')"
DI = "(?:(?:di|del|dello|della|dei|degli|delle) |dell'|d')"
DA = "(?:(?:da|dal|dallo|dalla|dai|dagli|dalle) |dall')"
IN = "(?:(?:in|nel|nello|nella|nei|negli|nelle) |nell')"
SU = "(?:(?:su|sul|sullo|sulla|sui|sugli|sulle) |sull')"
PER = "(?:per (?:il |lo |la |i |gli |le |l')?)"
THE = "(?:il |lo |la |i |gli |le |l')"


PROJECT = (f"(?:{IN}|{DI}|{A}|{DA}|{PER}|{SU})(?:mio |mia )?progett[oi](?: chiamato| di nome)?:? {{project}}",)
OF_PROJECT = (f"(?:{IN}|{DI}|{DA})(?:mio )?progetto(?: chiamato| di nome)?:? {{project}}",)
NO_QUESTION = (
    r"(?!(?:cosa|che|chi|quali|quale|quando|dove|come|perch[eé]|mostra|elenca|quant[aeio]|cerca|trova|ci|hai|ho)\b)"
)
SPLIT = "(?:(?:raggruppat[aei]|divis[aei]|suddivis[aei]) )?(?:per|in base (?:a|al|alla))"
STATUS = "(?:stato|stati)"
