"""How English speaks of what is remembered."""

from agents.offline.grammar import MemoryWords

MEMORY = MemoryWords(
    remember=(
        (
            "(?:remember|memori[sz]e|keep in mind|bear in mind|don't forget|do not forget|never forget)"
            "(?: for me)?(?:,? that |: ?){content}"
        ),
        "(?:remember|memori[sz]e) {content_mine}",
    ),
    mine="(?:my|i|i'm|we|we're|our) .+",
    subject=r"(?:my|our|the) (?P<key>(?:[\w'’-]+ ){0,4}[\w'’-]+) (?:is|are|was|were) .+",
    lead="(?:(?:everything |all )?about |what you (?:know|remember) (?:about|of) )?(?:(?:my|our|the|that) )?",
    recall_all=(
        "what (?:do|can) you (?:still )?(?:remember|know about me|remember about me|recall)",
        "what (?:have you|did you) remember(?:ed)?(?: about me)?",
        "(?:show|list|read|tell)(?: me)? (?:your|my|the) memory|what(?:'s| is) in (?:your|my|the) memory",
        "(?:show|list|tell)(?: me)? (?:everything|what|all) (?:that )?you (?:remember|know about me)(?: about me)?",
    ),
    recall=(
        "(?:what )?(?:do|can) you (?:still )?(?:remember|recall) (?:about |of )?{query}",
        "what (?:have you|did you) remember(?:ed)? (?:about|of) {query}",
        "(?:tell me|show me) what you remember (?:about|of) {query}",
    ),
    forget=("(?:forget|stop remembering|don't remember|do not remember)(?: that)? {query}",),
    history=(
        (
            "what (?:did|have) we (?:talk(?:ed)?|sp[eo]ak(?:en)?|discuss(?:ed)?|sa(?:y|id)|chat(?:ted)?)"
            "(?: about)?(?:,? (?:on )?{span})?"
        ),
        (
            "what (?:did|have) (?:we|i) (?:talk(?:ed)?|sp[eo]ak(?:en)?|discuss(?:ed)?|sa(?:y|id)|told|tell|ask(?:ed)?)"
            "(?: you| to you)? (?:about|of) {query_short}(?:,? (?:on )?{span})?"
        ),
        "when (?:did|have) we (?:talk(?:ed)?|sp[eo]ak(?:en)?|discuss(?:ed)?)(?: about| of)? {query_short}",
        (
            "(?:search|show|list|find)(?: me| in)? (?:our|my) (?:earlier |past |previous |last |old )?"
            "(?:conversations?|history|chats?)(?: (?:about|for|with) {query_short})?"
            "(?:,? (?:from |since |of |on )?{span})?"
        ),
    ),
    back=(("last week|the (?:last|past) week|recently|lately", 7), ("last month|the (?:last|past) month", 31)),
)
