"""How English says that something is to be made."""

from agents.offline.english.parts import IN_PROJECT
from agents.offline.grammar import CreationWords

CREATION = CreationWords(
    verbs=(
        "add|create|make|insert|register|set up|write down|write|take down|take|jot down|log|record|save|enter"
        "|i need|i want|i'd like|give me"
    ),
    articles="(?:(?:an?|another|one|one more|the following) )?",
    wishes=(
        "remind me to {title}",
        "(?:add|put) {title} (?:to|on|in|onto)(?: my| the)? (?:task list|to-?do list|list of tasks|tasks|to-?dos|list)",
        "don't let me forget to {title}",
        "i (?:have|need) to remember to {title}",
    ),
    dictations=(
        "(?:note|write|jot|take)(?: this)? down(?: that)?:? {content}",
        "(?:make|take) (?:a )?note (?:that|of):? {content}",
    ),
    qualifiers="(?:brand )?new|quick|short|simple|personal|single",
    priority_before="{priority}(?:[ -]priority)?",
    priority_after="(?!)",
    title_mark=(
        "(?:which is |that is |and )?(?:called|named|titled|entitled)|with(?: the)? (?:title|name)"
        "|whose (?:title|name) is|(?:and )?(?:call|name|title) it"
    ),
    title_lead="(?:to|about|that says|saying|on|for) ",
    content_mark="with(?: the| a)? (?:description|details)|described as",
    note_mark="(?:and )?with(?: the| this)? (?:content|text|body|contents)|saying|that says|which says|containing",
    priority=(
        "(?:(?:with|at|of|having|as|in) )?(?:an? )?{priority}[ -]priority",
        "(?:(?:with|and|at|set) )?(?:the |a )?priority:? (?:of |is |as |set to |to )?{priority}",
        "marked (?:as )?{priority}",
    ),
    due_mark=(
        "(?:(?:and|that is|that's|which is|it is|to be) )?(?:due date:?|due|expiring|scheduled|planned|dated"
        "|deadline:?|done|with(?: a| the)? (?:due date|deadline|date)(?: of| on)?)(?: (?:for|by|on|before|until"
        "|at))?|for|by|on|before|until|till"
    ),
    not_bare_after=(
        "of|the|every|each|from|since|and|or|to|an?|this|next|last|between|than|with|about|in|on|at|for|by|before"
        "|after|until|till|is|around|like"
    ),
    assignees="(?:and )?(?:assigned|assign(?: it)?|delegated|given) to {names}",
    project=IN_PROJECT,
    glue="and|with|it|an?|the|is|of",
    joint="and",
)
