"""English sentences that change, delete, comment and ask."""

from agents.adapters.offline.commands import Entity, Field, Priority, Status
from agents.adapters.offline.english.parts import NO_QUESTION
from agents.adapters.offline.grammar import Change, Sentences

SENTENCES = Sentences(
    greetings="(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|howdy)(?: there)?(?:,? adiuva)?|adiuva",
    thanks=(
        "(?:ok(?:ay)?,? )?(?:many )?(?:thanks|thank you|thx|cheers)(?: (?:a lot|very much"
        "|so much))?|ok(?:ay)?|great|perfect"
    ),
    help=(
        "help(?: me)?|what can (?:you|i) (?:do|ask|say)(?: for me| here| you)?|what do you do"
        "|how do(?:es)? (?:you|this|it) work|(?:(?:show"
        "|list) )?(?:me )?(?:the )?(?:available )?commands|who are you|what are you"
    ),
    next=(
        (
            "what(?: task)? (?:should|shall|can|must|do|could) i (?:do|work on|tackle|start"
            "|start with|focus on|begin with)"
            "(?: next| first| now| today)?"
        ),
        "what(?:'s| is)(?: my| the)? next(?: task| to-?do| step| thing to do| up)?",
        "what(?:'s| is)(?: my| the) most (?:important|urgent)(?: task| thing)?(?: now| today| next| to do)?",
        "what (?:comes )?next|where (?:should|do|shall) i (?:start|begin)|next(?: task)?",
        "suggest (?:me )?(?:something|a task|what)(?: i should| to)?(?: do| work on)?(?: next)?",
    ),
    changes=(
        Change(
            pattern=(
                "(?:remove|clear|delete|drop|unset)(?: the)? (?:due date|deadline|date) (?:of|from|for|on) {target}"
            ),
            entity=Entity.TASK,
            clears=Field.DUE,
        ),
        Change(
            pattern=(
                "(?:remove|clear|drop|delete)(?: the| all)?(?: the)? (?:assignees?|assignments?) (?:of"
                "|from|for) {target}"
            ),
            entity=Entity.TASK,
            clears=Field.ASSIGNEES,
        ),
        Change(pattern="unassign {target}", entity=Entity.TASK, clears=Field.ASSIGNEES),
        Change(pattern="(?:remove|take) {target} (?:from|out of) (?:its|the) project", clears=Field.PROJECT),
        Change(
            pattern=(
                "(?:set|change|move|update|put)(?: the)? (?:due date|deadline|due day|date) (?:of|for) {target} "
                "(?:(?:to|for|on|at|until|as) )?{when}"
            )
        ),
        Change(
            pattern=(
                "(?:move|postpone|reschedule|push|delay|shift|defer|put off|schedule|bring forward|plan|snooze|set)"
                "(?: back)? {target} (?:(?:to|until|till|for|on|by|due) ){1,2}{when}"
            )
        ),
        Change(
            pattern=rf"{NO_QUESTION}{{target}} (?:is|should be|must be) (?:now )?due (?:(?:on|by|at) )?{{when}}",
            entity=Entity.TASK,
        ),
        Change(
            pattern=(
                "(?:set|change|update|make|raise|lower|increase|decrease|reduce|put"
                "|bring)(?: the)? priority (?:of|for|on) "
                "{target} (?:(?:to|as|down to|up to|at) )?{priority}(?: priority)?"
            ),
            entity=Entity.TASK,
        ),
        Change(pattern="(?:set|change|update) {target}(?:'s)? priority (?:to|as) {priority}", entity=Entity.TASK),
        Change(
            pattern=(
                "(?:make|mark|set|flag|give|change) {target} (?:(?:as|to|an?|with) ){0,2}{priority}(?:[ -]priority)?"
            ),
            entity=Entity.TASK,
        ),
        Change(pattern="prioriti[sz]e {target}", entity=Entity.TASK, priority=Priority.HIGH),
        Change(
            pattern=(
                "(?:mark|set|flag|tick|check|update|change|move|put|make) {target}(?: off)?(?: (?:as"
                "|to|into))? {status}"
            ),
            entity=Entity.TASK,
        ),
        Change(pattern="(?:tick|check|cross) off {target}", entity=Entity.TASK, status=Status.DONE),
        Change(pattern="(?:tick|check|cross) {target} off", entity=Entity.TASK, status=Status.DONE),
        Change(
            pattern=(
                "(?:complete|finish|close|resolve|done:?|done with|i(?: am|'m)?(?: now)? (?:done|finished) with"
                "|i(?: have|'ve)?(?: just| already)? (?:finished|completed|done|did)) {target}"
            ),
            entity=Entity.TASK,
            status=Status.DONE,
        ),
        Change(
            pattern=rf"{NO_QUESTION}{{target}} (?:is|are|has been|was) (?:now |already )?(?:done|finished|completed?)",
            entity=Entity.TASK,
            status=Status.DONE,
        ),
        Change(
            pattern="(?:reopen|re-open|uncomplete|unmark|uncheck|untick) {target}",
            entity=Entity.TASK,
            status=Status.TODO,
        ),
        Change(
            pattern=(
                "(?:(?:start|begin)(?: working on| work on| with)?|(?:i'm|i am)(?: now)? working on|work on) {target}"
            ),
            entity=Entity.TASK,
            status=Status.IN_PROGRESS,
        ),
        Change(pattern="(?:rename|retitle) {target} (?:to|as|into) {title}"),
        Change(pattern="(?:change|set|update)(?: the)? (?:title|name) of {target} (?:to|into|as) {title}"),
        Change(pattern="(?:move|put|transfer|add|assign) {target} (?:to|into|in|under)(?: the| my)? project {project}"),
        Change(pattern="(?:(?:re)?assign|give|delegate) {target} to {names}", entity=Entity.TASK),
        Change(pattern="(?:move|put|transfer|add) {target} (?:to|into|in|under)(?: the| my)? {project} project"),
        Change(pattern="(?:set|change)(?: the)? project of {target} to {project}"),
        Change(pattern="(?:move|transfer) {target} (?:to|into|under) {project}"),
        Change(pattern="archive {target}", entity=Entity.PROJECT, archived=True),
        Change(pattern="(?:unarchive|un-archive|restore|reactivate) {target}", entity=Entity.PROJECT, archived=False),
        Change(
            pattern="(?:set|change|update)(?: the)? description (?:of|for) {target} (?:to|as|:) {content}",
            entity=Entity.TASK,
        ),
        Change(
            pattern=(
                "(?:set|change|update|replace)(?: the)? (?:content|contents|text|body) (?:of"
                "|for) {target} (?:to|with|as) {content}"
            ),
            entity=Entity.NOTE,
        ),
    ),
    deletions=("(?:delete|remove|erase|trash|discard|get rid of|drop|throw away|bin|cancel) {target}",),
    comment_deletions=("(?:delete|remove|erase)(?: the| my)? comment (?P<content>.+?) (?:on|of|from|for|in) {target}",),
    comments=(
        (
            "(?:add|leave|write|post|put|make)(?: the| a| this)?(?: new)? comment:? {quoted} (?:on"
            "|to|for|in|under) {target}"
        ),
        (
            "(?:add|leave|write|post|put|make)(?: a| the)?(?: new)? comment (?:on|to|for|in"
            "|under) {target}"
            r"(?:\s*: ?|,? (?:saying|that says|with the text|with text|with) )"
            "{content}"
        ),
        (
            "(?:add|leave|write|post|put|make)(?: the| a"
            "| this)?(?: new)? comment:? {content} (?:on|to|for|under)(?: the| my)? task {target}"
        ),
        r"comment (?:on )?{target}(?:\s*: ?|,? (?:saying|with) ){content}",
        "comment {quoted} (?:on|to|for|under) {target}",
    ),
    authored="(?:as|by|from) {author}",
    comment_lists=(
        (
            "(?:(?:show|list|read|see|get|display|view|find)(?: me)? |what (?:are|were) "
            "|are there |what )?(?:any |all )?(?:the |my )?"
            "comments (?:are there |do i have )?(?:of|on|for|to|in|about|under) {target}"
        ),
        "(?:show|list|read)(?: me)? {target}'s comments",
    ),
    note_searches=(
        (
            "(?:search|look|find|check|go)(?: in| through| for)?(?: all)?(?: my"
            "| the)? notes (?:for|about|on|regarding|mentioning"
            "|that mention|containing|which mention|with) {query}"
        ),
        "(?:search|look|find)(?: for)? {query} (?:in|among|through)(?: all)?(?: my| the)? notes",
        "what do(?:es)?(?: my| the)? notes? (?:say|tell(?: me)?|contain) (?:about|on|regarding) {query}",
        "what (?:did|have) i (?:write|written|note|noted|take note of)(?: down)? (?:about|on|regarding) {query}",
        (
            "(?:(?:show|list|give|get)(?: me)? |do i have |are there |is there "
            "|any )?(?:all )?(?:any |the |my |a )?notes? "
            "(?:about|on|regarding|mentioning|concerning|that mentions?) {query}"
        ),
    ),
    readings=(
        "(?:read|open|show|display|see|get|view|print|describe|find|look up|search for|look for)(?: me)? {target}",
        "what (?:does|is in|'s in) {target}(?: say)?",
        "what's (?:in )?{target}",
        "(?:tell me|what do you know) about {target}",
        "(?:how is|what is the status of|what's the status of) {target}(?: going)?",
    ),
)
