"""Parts of English sentences that several kinds of them share."""

PROJECT = (
    "(?:in|into|to|for|of|under|on|from|inside|within)(?: the| my)? project(?: called| named)?:? {project}",
    "(?:in|into|to|for|of|under|from|inside|within)(?: the| my)? {project} project",
)
OF_PROJECT = (
    "(?:in|of|from|under|inside|within)(?: the| my)? project(?: called| named)?:? {project}",
    "(?:in|of|from|under|inside|within)(?: the| my)? {project} project",
)
NO_QUESTION = r"(?!(?:what|which|who|how|when|where|why|is|are|do|does|show|list|any|find|give|tell|all|every)\b)"
SPLIT = "(?:(?:grouped|split|broken down|divided|sorted|each|counted) )?(?:by|per|for each|for every|in each|of each)"
