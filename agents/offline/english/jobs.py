"""How English asks for what takes minutes."""

from agents.offline.grammar import JobWords

_OF_WEEK = "(?:of|for) (?:the|my|our|this|last|the last|the past) week"
_WISH = "(?:write|make|create|do|prepare|generate|run|get|show|give|i need|i want|time for)(?: me)?"

JOBS = JobWords(
    summaries=(
        "(?:summari[sz]e|sum up|recap) (?:{the}(?:state|status|progress) of )?{target}(?: for me)?",
        (
            f"(?:{_WISH}|update|refresh|renew|redo|rewrite) "
            "(?:(?:the|a|an|another) )?(?:(?:new|short|brief|quick|fresh) )?(?:project )?summary (?:of|for) {target}"
        ),
    ),
    plan=(
        "plan(?: out)? "
        f"|(?:{_WISH}|draw up|draft|suggest|propose|work out) "
        "(?:(?:the|a|another) )?(?:new )?(?:project )?plan (?:for|of) "
    ),
    aim="in order to |so (?:that|as to) |with the (?:goal|aim) (?:of |to )|to reach(?: the goal)? |to ",
    reviews=(
        f"(?:{_WISH} )?{{the}}(?:weekly |week(?:'s)? )(?:review|recap|summary)(?: {_OF_WEEK})?",
        f"(?:{_WISH} )?{{the}}(?:review|recap|summary) {_OF_WEEK}",
        "(?:review|recap|summari[sz]e|sum up) (?:the|my|our|this|last|the last|the past) week(?: for me)?",
        "how (?:was|is|did|has) (?:the|my|our|this) week(?: (?:go|going|been|look|looking))?",
    ),
)
