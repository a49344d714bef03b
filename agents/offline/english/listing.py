"""How English asks for rows."""

from agents.offline.commands import Grouping, Shape
from agents.offline.english.parts import IN_PROJECT
from agents.offline.grammar import ListingWords

LISTING = ListingWords(
    questions=(
        "what|what's|which|who|how|show|list|display|give|tell|do i|is there|are there|any|find|see|view|get"
        "|count|search|look|anything|have i|did i|check|number|let me see|my"
    ),
    shapes=(
        (
            (
                "(?:(?:as|in|with|on|using) )?(?:(?:an?|the) )?(?:(?P<chart>area|bar|line|pie|radar|radial|donut"
                "|column) )?(?:charts?|graph|diagram|plot)(?: of| with| showing)?"
            ),
            Shape.CHART,
        ),
        ("(?:(?:as|in) )?(?:(?:an?|the) )?(?:table|tabular)(?: form| format| view)?(?: of| with)?", Shape.TABLE),
        ("(?:(?:as|in|on) )?(?:(?:an?|the|my) )?(?:project )?(?:timeline|road ?map)", Shape.TIMELINE),
    ),
    charts=(("area", "area"), ("line", "line"), ("pie|donut", "pie"), ("radar", "radar"), ("radial", "radial")),
    groupings=(
        ("{split} (?:status|state|statuses)", Grouping.STATUS),
        ("{split} (?:priority|priorities)", Grouping.PRIORITY),
        ("{split} projects?", Grouping.PROJECT),
    ),
    due_mark=(
        "(?:(?:that (?:are|is)|which (?:are|is)|to be|that have to be) )?(?:due|scheduled|planned|expiring|done"
        "|expire|dated|created|written|made|with(?: a)? deadline)(?: date)?(?: (?:for|by|on|before|until|in"
        "|from))?|for|by|on|before|until|of|from"
    ),
    overdue=(
        "(?:(?:that (?:are|is)|which are) )?(?:overdue|over due|past (?:their |its )?(?:due date|due|deadline)"
        "|late|expired|behind schedule|missed)"
    ),
    undated="(?:without|with no|missing|having no|that have no)(?: an?)? (?:due dates?|deadlines?|dates?)|undated",
    priority=(
        "(?:(?:with|of|at|having|that have|that are|which are) )?(?:an? )?(?:the )?{priority}[ -]priorit(?:y|ies)",
        "(?:with )?(?:a )?priority(?: of| is| =|:)? {priority}",
        "(?:that are |which are )?(?:most )?(?P<priority>urgent|important|critical)",
    ),
    status_mark=(
        "(?:that|which)(?: are| is| i have| i've| have been| i)?(?: still| already)?|marked(?: as)?"
        "|with(?: the)? (?:status|state)|still|already|currently"
    ),
    assignee="(?:that (?:are|were) )?(?:assigned|given|delegated) to {names}",
    project=IN_PROJECT,
    words=(
        "(?:about|containing|contain|with|mentioning|matching|regarding|concerning|like|including"
        "|that (?:contain|mention|match|include))(?: the words?)? (?P<words>.+)"
    ),
    about="(?:for|of|in|by|from|on|to) (?:the |my )?(?P<about>.+)",
    everything="all|every|entire|whole|everything|(?:including|even)(?: the)? (?:done|completed|finished)(?: ones)?",
    archived="(?:(?:including|and|even)(?: the)? )?archived(?: ones)?",
    active="active|current|open|running|ongoing",
    fillers=(
        "list lists show me display give tell see view get what what's whats which who are is do does did have "
        "has had there any my mine the of in on at to a an now currently still left find can you got i i've need "
        "must be been with that this those these overview existing many how count number total let know look up "
        "search for please our us right yet and anything some it's its it due check also only just would like "
        "want s exist coming upcoming next status here page view screen"
    ),
)
