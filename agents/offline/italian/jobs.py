"""How Italian asks for what takes minutes."""

from agents.offline.grammar import JobWords

_WISH = (
    "(?:scriv(?:i|imi|ere)|fa(?:i|mmi|re)|facciamo|crea(?:mi|re)?|prepara(?:mi|re)?|genera(?:re)?|dammi|mostra(?:mi)?"
    "|elabora(?:re)?|serve|mi serve)"
)
_ONE = "(?:(?:il|lo|la|un|una|uno) |l'|un')?(?:(?:mi[ao]|nuov[ao]|brev[ei]) )?"
_WEEK = "(?:(?:mia|nostra|questa|scorsa|ultima) )?settimana(?: scorsa| passata)?"
_REVIEW = "(?:revisione|riepilogo|resoconto|bilancio|riassunto|rassegna)"

JOBS = JobWords(
    summaries=(
        "(?:riassum(?:i|imi|ere)|riepiloga(?:mi|re)?|sintetizza(?:re)?) (?:lo stato {di})?{target}",
        (
            f"(?:{_WISH}|aggiorna(?:re)?|rif(?:ai|are)|riscriv(?:i|ere)) {_ONE}"
            "(?:riassunto|riepilogo|sommario|sintesi) (?:{di}|{per}|{su}){target}"
        ),
    ),
    plan=(
        "pianifica(?:mi|re)? "
        f"|(?:{_WISH}|propon(?:i|imi|re)|suggerisci(?:mi)?|abbozza(?:re)?) {_ONE}piano (?:{{per}}|{{di}})"
    ),
    aim="con (?:lo scopo|l'obiettivo) di |in modo da |così da |affinché |perché |per ",
    reviews=(
        f"(?:{_WISH} )?{_ONE}{_REVIEW} (?:settimanale|{{di}}{_WEEK})",
        f"(?:rived(?:i|iamo|ere)|riepiloga(?:mi|re)?|riassum(?:i|imi|ere)) (?:la |l')?{_WEEK}",
        f"com'è andata (?:la |l')?{_WEEK}",
    ),
)
