"""Parts of English sentences that several of them share."""

VOCABULARY = {
    "no_question": r"(?!(?:what|which|who|how|when|where|why|is|are|do|does|show|list|any|find|give|tell|all|every)\b)",
    "the": "(?:(?:the|my|a|an|this) )?",
    "of": "(?:of|for|from|on) ",
    "on": "(?:on|to|for|in|under) ",
    "within": "(?:in|of|from|under|inside|within)",
    "set": "(?:set|change|update|make|put|move)",
    "mark": "(?:mark|set|flag|tick|check|make|give|update|change|move|put)",
    "move": "(?:move|put|transfer|add|assign)",
    "remove": "(?:remove|clear|delete|drop|unset)",
    "write": "(?:add|leave|write|post|put|make)",
    "show": "(?:show|list|read|see|get|give|display|view|find)(?: me)?",
    "search": "(?:search|look|find|check|go)(?: in| through| for)?",
    "saying": r"(?:\s*: ?|,? (?:saying|that says|with the text|with text|with) )",
    "about": "(?:about|on|regarding|concerning|mentioning|that mentions?|containing)",
    "my_notes": "(?:all )?(?:my |the )?notes?",
    "done": "(?:done|finished|completed?)",
    "split": "(?:(?:grouped|split|broken down|divided|sorted|counted) )?(?:by|per|for each|for every|in each|of each)",
}

IN_PROJECT = (
    "(?:to|for|into|on|{within})(?: the| my)? project(?: called| named)?:? {project}",
    "(?:to|for|into|{within})(?: the| my)? {project} project",
)
OF_PROJECT = (
    "{within}(?: the| my)? project(?: called| named)?:? {project}",
    "{within}(?: the| my)? {project} project",
)
