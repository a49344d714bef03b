"""English sentences that change, delete, comment and ask."""

from agents.offline.commands import Entity, Field, Priority, Status
from agents.offline.grammar import Change, Sentences

_CHANGES = (
    Change(pattern="{remove} {the}(?:due date|deadline|date) {of}{target}", entity=Entity.TASK, clears=Field.DUE),
    Change(
        pattern="{remove} (?:all )?{the}(?:assignees?|assignments?) {of}{target}",
        entity=Entity.TASK,
        clears=Field.ASSIGNEES,
    ),
    Change(pattern="unassign {target}", entity=Entity.TASK, clears=Field.ASSIGNEES),
    Change(pattern="(?:remove|take) {target} (?:from|out of) (?:its|the) project", clears=Field.PROJECT),
    Change(pattern="{set} {the}(?:due date|deadline|due day|date) {of}{target} (?:(?:to|for|on|at|until|as) )?{when}"),
    Change(
        pattern=(
            "(?:move|postpone|reschedule|push|delay|shift|defer|put off|schedule|bring forward|plan|snooze|set)"
            "(?: back)? {target} (?:(?:to|until|till|for|on|by|due) ){1,2}{when}"
        )
    ),
    Change(
        pattern="{no_question}{target} (?:is|should be|must be) (?:now )?due (?:(?:on|by|at) )?{when}",
        entity=Entity.TASK,
    ),
    Change(
        pattern=(
            "(?:{set}|raise|lower|increase|decrease|reduce|bring) {the}priority {of}{target}"
            " (?:(?:to|as|down to|up to|at) )?{priority}(?: priority)?"
        ),
        entity=Entity.TASK,
    ),
    Change(pattern="{set} {target}(?:'s)? priority (?:to|as) {priority}", entity=Entity.TASK),
    Change(pattern="{mark} {target} (?:(?:as|to|an?|with) ){0,2}{priority}(?:[ -]priority)?", entity=Entity.TASK),
    Change(pattern="prioriti[sz]e {target}", entity=Entity.TASK, priority=Priority.HIGH),
    Change(pattern="{mark} {target}(?: off)?(?: (?:as|to|into))? {status}", entity=Entity.TASK),
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
        pattern="{no_question}{target} (?:is|are|has been|was) (?:now |already )?{done}",
        entity=Entity.TASK,
        status=Status.DONE,
    ),
    Change(
        pattern="(?:reopen|re-open|uncomplete|unmark|uncheck|untick) {target}", entity=Entity.TASK, status=Status.TODO
    ),
    Change(
        pattern="(?:(?:start|begin)(?: working on| work on| with)?|(?:i'm|i am)(?: now)? working on|work on) {target}",
        entity=Entity.TASK,
        status=Status.IN_PROGRESS,
    ),
    Change(pattern="(?:rename|retitle) {target} (?:to|as|into) {title}"),
    Change(pattern="{set} {the}(?:title|name) of {target} (?:to|into|as) {title}"),
    Change(pattern="{move} {target} (?:to|into|in|under) {the}project {project}"),
    Change(pattern="(?:(?:re)?assign|give|delegate) {target} to {names}", entity=Entity.TASK),
    Change(pattern="{move} {target} (?:to|into|in|under) {the}{project} project"),
    Change(pattern="{set} {the}project of {target} to {project}"),
    Change(pattern="(?:move|transfer) {target} (?:to|into|under) {project}"),
    Change(pattern="archive {target}", entity=Entity.PROJECT, archived=True),
    Change(pattern="(?:unarchive|un-archive|restore|reactivate) {target}", entity=Entity.PROJECT, archived=False),
    Change(pattern="{set} {the}description {of}{target} (?:to|as) {content}", entity=Entity.TASK),
    Change(
        pattern="(?:{set}|replace) {the}(?:contents?|text|body) {of}{target} (?:to|with|as) {content}",
        entity=Entity.NOTE,
    ),
)

SENTENCES = Sentences(
    greetings="(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|howdy)(?: there)?(?:,? adiuva)?|adiuva",
    thanks=(
        "(?:ok(?:ay)?,? )?(?:many )?(?:thanks|thank you|thx|cheers)(?: (?:a lot|very much|so much))?"
        "|ok(?:ay)?|great|perfect"
    ),
    help=(
        "help(?: me)?|what can (?:you|i) (?:do|ask|say)(?: for me| here| you)?|what do you do"
        "|how do(?:es)? (?:you|this|it) work|(?:(?:show|list) )?(?:me )?(?:the )?(?:available )?commands"
        "|who are you|what are you"
    ),
    next=(
        (
            "what(?: task)? (?:should|shall|can|must|do|could) i"
            " (?:do|work on|tackle|start|start with|focus on|begin with)(?: next| first| now| today)?"
        ),
        "what(?:'s| is)(?: my| the)? next(?: task| to-?do| step| thing to do| up)?",
        "what(?:'s| is)(?: my| the) most (?:important|urgent)(?: task| thing)?(?: now| today| next| to do)?",
        "what (?:comes )?next|where (?:should|do|shall) i (?:start|begin)|next(?: task)?",
        "suggest (?:me )?(?:something|a task|what)(?: i should| to)?(?: do| work on)?(?: next)?",
    ),
    page=(
        (
            "(?:what(?:'s| is| do i see| can i see| does it say)?"
            "|(?:show|tell|give|list) me (?:what(?:'s| is)|everything)|describe|summari[sz]e|explain)"
            "(?: (?:there|everything|all))? ?(?:(?:on|in) )?(?:this|the|my)"
            "(?: (?:current|open|whole))? (?:page|screen|view)(?: (?:about|show|say|here))?"
        ),
        "what(?:'s| is)(?: there)? here|what am i looking at|where am i",
        "what (?:do i|can you|do you) see(?: here)?",
    ),
    changes=_CHANGES,
    deletions=("(?:delete|remove|erase|trash|discard|get rid of|drop|throw away|bin|cancel) {target}",),
    comment_deletions=("{remove} {the}comment (?P<content>.+?) (?:of |from |{on}){target}",),
    comments=(
        "{write} {the}(?:new )?comment:? {quoted} {on}{target}",
        "{write} {the}(?:new )?comment {on}{target}{saying}{content}",
        "{write} {the}(?:new )?comment:? {content} {on}{the}task {target}",
        "comment (?:on )?{target}{saying}{content}",
        "comment {quoted} {on}{target}",
    ),
    authored="(?:as|by|from) {author}",
    comment_lists=(
        (
            "(?:{show} |what (?:are|were) |are there |what )?(?:any |all )?{the}comments (?:are there |do i have )?"
            "(?:of|about|on|for|to|in|under) {target}"
        ),
        "{show} {target}'s comments",
    ),
    note_searches=(
        "{search} {my_notes} (?:for|with|{about}) {query}",
        "(?:search|look|find)(?: for)? {query} (?:in|among|through) {my_notes}",
        "what do(?:es)? {my_notes} (?:say|tell(?: me)?|contain) {about} {query}",
        "what (?:did|have) i (?:write|written|note|noted|take note of)(?: down)? {about} {query}",
        "(?:{show} |do i have |are there |is there )?(?:any |a )?{my_notes} {about} {query}",
    ),
    readings=(
        "(?:{show}|open|print|describe|look up|search for|look for) {target}",
        "what (?:does|is in|'s in) {target}(?: say)?",
        "what's (?:in )?{target}",
        "(?:tell me|what do you know) about {target}",
        "(?:how is|what is the status of|what's the status of) {target}(?: going)?",
    ),
)
