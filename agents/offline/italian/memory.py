"""How Italian speaks of what is remembered."""

from agents.offline.grammar import MemoryWords

MEMORY = MemoryWords(
    remember=(
        (
            "(?:ricorda(?:ti|re)?|memorizza(?:re)?|tieni (?:a mente|presente)"
            "|non (?:dimenticar|scordar)(?:e|ti))(?: che |: ?){content}"
        ),
        "(?:ricorda(?:ti|re)?|memorizza(?:re)?) {content_mine}",
    ),
    mine="(?:(?:(?:il|la|i|le|lo|gli) )?(?:mi[ao]|mie|miei|nostr[aoei])|io|noi|mi) .+",
    subject=(
        r"(?:(?:il|la|i|le|lo|gli) |l'|(?=mi[ao] ))(?:(?:mi[ao]|mie|miei|nostr[aoei]) )?"
        r"(?P<key>(?:[\w'’-]+ ){0,4}[\w'’-]+) (?:è|sono|era|erano|si chiama) .+"
    ),
    lead=(
        "(?:(?:tutto )?(?:quello|ciò) che (?:sai|ricordi) |tutto )?(?:{di}|{su})?"
        "(?:(?:il|la|i|le|lo|gli) |l')?(?:(?:mi[ao]|mie|miei|nostr[aoei]|che) )?"
    ),
    recall_all=(
        "(?:che )?cosa (?:ti )?ricordi(?: di me)?|(?:che )?cosa sai di me",
        "(?:mostra(?:mi)?|elenca(?:mi)?|leggi(?:mi)?|dimmi) (?:la (?:tua |mia )?memoria|tutto quello che ricordi)",
        "(?:che )?cosa c'è (?:nella|in) (?:tua |mia )?memoria|(?:dimmi )?(?:tutto )?quello che (?:ricordi|sai di me)",
    ),
    recall=(
        "(?:(?:che )?cosa )?(?:ti )?ricordi (?:{su}|{di}|{riguardo})?{query}",
        "(?:dimmi|mostrami) (?:che )?(?:cosa|quello che) (?:ti )?ricordi (?:{su}|{di}){query}",
    ),
    forget=("(?:dimentica(?:re|ti)?|scorda(?:re|ti)?|non ricordare(?: più)?)(?: che| {di}?)? ?{query}",),
    history=(
        "di (?:che )?cosa abbiamo (?:parlato|discusso)(?:,? {span})?",
        (
            "(?:che )?cosa (?:abbiamo detto|ci siamo detti|ho detto|ti ho detto|ti ho chiesto|ti avevo detto)"
            "(?: (?:{su}|{di}|{riguardo}){query_short})?(?:,? {span})?"
        ),
        "(?:che )?cosa abbiamo (?:detto|discusso) (?:{su}|{di}|{riguardo}){query_short}",
        "quando abbiamo parlato (?:{su}|{di}){query_short}",
        (
            "(?:cerca|trova) {query_short} (?:nelle|nella|tra le) (?:(?:nostre|mie|nostra|mia) )?"
            "(?:conversazion[ei]|chat|cronologia)(?: (?:passat[ae]|precedent[ei]|vecchi[ea]))?"
        ),
        (
            "(?:cerca|mostra(?:mi)?|elenca|trova) (?:nelle |le |nella |la )?(?:(?:nostre|mie|nostra|mia) )?"
            "(?:conversazion[ei]|chat|cronologia)(?: (?:passat[ae]|precedent[ei]|vecchi[ea]))?"
            "(?: (?:{su}|{riguardo}|con |per ){query_short})?(?:,? (?:{di}|{da})?{span})?"
        ),
    ),
    back=(
        ("(?:la )?(?:settimana scorsa|scorsa settimana)|nell'ultima settimana|ultimamente|di recente", 7),
        ("(?:il )?(?:mese scorso|scorso mese)|nell'ultimo mese", 31),
    ),
)
