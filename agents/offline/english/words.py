"""English: its words, and where its sentences are."""

from agents.offline.commands import OPEN, Entity, Priority, Status
from agents.offline.english.creation import CREATION
from agents.offline.english.dates import DATES
from agents.offline.english.jobs import JOBS
from agents.offline.english.listing import LISTING
from agents.offline.english.memory import MEMORY
from agents.offline.english.parts import OF_PROJECT, VOCABULARY
from agents.offline.english.sentences import SENTENCES
from agents.offline.grammar import Grammar, Language

ENGLISH = Grammar(
    language=Language.ENGLISH,
    marks=(
        "the a an and of to in on for with my is are what which how many show list add create make mark delete "
        "remove task tasks note notes project projects due today tomorrow week done as called named priority "
        "high low search find about rename move please hi hello help thanks you i me do does overdue next "
        "comment comments complete finish archive assign all by from that this up remember forget we talk "
        "summarise summarize summary plan review"
    ),
    vocabulary=VOCABULARY,
    opening=(
        "please|pls|kindly|hey|hi|hello|ok|okay|adiuva|so|and|then|well|can you|could you|would you|will you"
        "|can i|could i|may i|i want you to|i need you to|i want to|i'd like you to|i'd like to|i would like to"
        "|i need to see|let's|let us|go ahead and|just|quickly"
    ),
    closing="please|pls|thanks|thank you|thanks a lot|thx|if you can|if possible",
    nouns={
        Entity.TASK: "tasks?|to-?dos?|action items?",
        Entity.PROJECT: "projects?",
        Entity.CHECKPOINT: "checkpoints?|milestones?",
        Entity.NOTE: "notes?",
        Entity.COMMENT: "comments?",
    },
    articles="(?:(?:the|my|an?|our|this|that|another|one of my) )?",
    dates=DATES,
    statuses=(
        (
            (
                "not (?:yet )?(?:done|completed?|finished|closed)|undone|unfinished|incomplete|uncompleted"
                "|pending|outstanding|open|remaining|active|(?:i )?(?:have|got|need|left) to do"
            ),
            OPEN,
        ),
        ("to-?do|to be done|to do|not (?:yet )?started|unstarted", frozenset({Status.TODO})),
        ("in[- ]progress|started|ongoing|under way|underway|being worked on|doing", frozenset({Status.IN_PROGRESS})),
        ("done|completed?|finished|closed|ticked off|checked off|solved", frozenset({Status.DONE})),
    ),
    priorities=(
        ("highest|high|top|urgent|important|critical", Priority.HIGH),
        ("medium|normal|mid|moderate|average", Priority.MEDIUM),
        ("lowest|low|minor|unimportant", Priority.LOW),
    ),
    name_separators=r"\s*(?:,|&|\+|\band\b)\s*",
    in_project=OF_PROJECT,
    pronouns="it|this|that|this one|that one|them|those|these|one|something|the (?:first|second|third|last)(?: one)?",
    plural=(
        "(?:all|every|each)(?: (?:of )?(?:my|the|these|those))?(?: {statuses})?(?: {any_noun})?|everything"
        "|them all|(?:my|the|these|those)(?: {statuses})? (?:tasks|to-?dos|projects|notes|checkpoints|milestones"
        "|comments)"
    ),
    creation=CREATION,
    listing=LISTING,
    memory=MEMORY,
    jobs=JOBS,
    sentences=SENTENCES,
)
