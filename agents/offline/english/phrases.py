"""What the assistant says in English."""

from agents.offline.commands import Entity, Field, Grouping, Missing, Priority, Status, Talk
from agents.offline.phrases import Noun, Phrases
from agents.permissions.approvals.refusals import Refusal

_CONNECT = (
    "I am the offline assistant: no language model is connected, so I understand plain"
    " commands only. To connect a model, "
    "set OPENAI_API_KEY or OPENAI_BASE_URL on the server."
)
_EXAMPLES = """- Which tasks are due today?
- Create a task called “Buy milk” for tomorrow with high priority
- Mark “Buy milk” as done
- Create a checkpoint “Beta” in project “Website” on 24 December
- Search my notes for budget"""

ENGLISH_PHRASES = Phrases(
    quotes="“”",
    nouns={
        Entity.TASK: Noun(one="task", many="tasks", the="the task", none="no task"),
        Entity.PROJECT: Noun(one="project", many="projects", the="the project", none="no project"),
        Entity.CHECKPOINT: Noun(one="checkpoint", many="checkpoints", the="the checkpoint", none="no checkpoint"),
        Entity.NOTE: Noun(one="note", many="notes", the="the note", none="no note"),
        Entity.COMMENT: Noun(one="comment", many="comments", the="the comment", none="no comment"),
    },
    thing=Noun(one="thing", many="things", the="it", none="nothing"),
    statuses={Status.TODO: "to do", Status.IN_PROGRESS: "in progress", Status.DONE: "done"},
    status_adjectives={
        Status.TODO: ("to do", "to do"),
        Status.IN_PROGRESS: ("in progress", "in progress"),
        Status.DONE: ("done", "done"),
    },
    open=("open", "open"),
    done=("done", "done"),
    overdue=("overdue", "overdue"),
    undated="without a due date",
    priority="{priority} priority",
    priority_words={Priority.HIGH: "high", Priority.MEDIUM: "medium", Priority.LOW: "low"},
    no_project="no project",
    groupings={Grouping.STATUS: "by status", Grouping.PRIORITY: "by priority", Grouping.PROJECT: "by project"},
    archived="archived",
    today="today",
    tomorrow="tomorrow",
    yesterday="yesterday",
    weekdays=("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    months=("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    at="at {time}",
    due="due {day}",
    falling_due="due {day}",
    dated_rows="dated {day}",
    with_priority="with {priority}",
    between="between {first} and {last}",
    described="{open} {overdue} {noun} {status} {priority} {when} {project} {person} {words}",
    in_project="in the project {name}",
    for_person="for {name}",
    with_words="with {name}",
    found="You have {rows}.",
    found_none="You have no {rows}.",
    of_which_done=("One of them is done.", "{count} of them are done."),
    more="… and {count} more",
    all_done=("It is done.", "All of them are done."),
    not_all="There are {count} more that I could not look at.",
    counts="You have {rows}: {counts}.",
    headers=("Title", "Status", "Priority", "Due"),
    date_header="Date",
    created="I created {the} {title}{details}.",
    changed="I updated {the} {title}{details}.",
    marked="I marked {the} {title} as {status}.",
    renamed="I renamed {the} {old} to {title}.",
    moved="I moved {the} {title} to the project {project}.",
    archived_it="I archived {the} {title}.",
    restored_it="I took {the} {title} out of the archive.",
    deleted="I deleted {the} {title}.",
    commented="I added the comment to {the} {title}.",
    cleared={
        Field.DUE: "{the} {title} has no due date any more.",
        Field.ASSIGNEES: "{the} {title} is assigned to nobody any more.",
        Field.PROJECT: "{the} {title} belongs to no project any more.",
    },
    myself="Me",
    failed="That did not work. {sentence}",
    refusals={
        Refusal.REFUSED: "All right, I leave it as it is.",
        Refusal.UNANSWERED: "You did not answer in time, so I changed nothing. Say it again when you like.",
        Refusal.PENDING: "This needs your approval and waits for it: look at what is open. Nothing is changed yet.",
        Refusal.CANNOT_ASK: "This needs your approval, and I cannot ask you for it here. Nothing is changed.",
        Refusal.DENIED: "Your settings do not allow this. Nothing is changed.",
    },
    cannot_here="I cannot do this here: the tool it takes is not on offer.",
    unclear_answer="The tool gave no answer.",
    several="{count} {many} could be meant by {name}. Repeat the command with the full title of one of them:",
    same_title=(
        "{count} {many} have the title {name}. Add what tells them apart, such as “in project …”, or rename one first:"
    ),
    none_called="I found {none} called {name}.",
    not_certain=(
        "I found {the} {title}, but that is not the whole title you gave. Deleting cannot be"
        " undone: repeat the command with "
        "the full title."
    ),
    talk={
        Talk.GREETING: f"Hello! {_CONNECT}\n\nTry for example:\n{_EXAMPLES}",
        Talk.HELP: (
            f"{_CONNECT}\n\nI list, count, create, change and delete tasks, projects, checkpoints"
            f" and notes, summarise and plan projects, and review the week, in English and "
            f"Italian. For example:\n{_EXAMPLES}\n\nPut titles in quotes where a title holds words"
            f" like “to” or “tomorrow”."
        ),
        Talk.THANKS: "You're welcome.",
        Talk.ONE_AT_A_TIME: "I change one thing at a time. Name it by its title, best in quotes.",
        Talk.NO_SUCH_DATE: "There is no such date in the calendar.",
        Talk.NOT_UNDERSTOOD: f"I did not understand that. {_CONNECT}\n\nThis I can do, for example:\n{_EXAMPLES}",
    },
    missing={
        Missing.TITLE: "What is {the} to be called? For example: {example}",
        Missing.PROJECT: "Which project does {the} belong to? For example: {example}",
        Missing.DATE: "For which date is {the}? For example: {example}",
        Missing.CONTENT: "What is {the} to say? For example: {example}",
        Missing.GOAL: "What is {the} to reach? For example: {example}",
        Missing.WHICH: "Which one do you mean? Name it by its title, best in quotes. For example: {example}",
    },
    examples={
        Entity.TASK: "Create a task called “Buy milk”",
        Entity.PROJECT: "Create a project called “Website”",
        Entity.CHECKPOINT: "Create a checkpoint “Beta” in project “Website” on 24 December",
        Entity.NOTE: "Create a note called “Ideas”: paint the kitchen",
        Entity.COMMENT: "Comment on “Buy milk”: the shop closes at six",
        None: "Mark “Buy milk” as done",
    },
    filed_examples={
        Entity.TASK: "Create a task called “Buy milk” in project “Website”",
        Entity.NOTE: "Create a note called “Ideas” in project “Website”: paint the kitchen",
    },
    plan_example="Plan the project “Website”: go online by 1 May",
    no_page="I see no page here. Ask me beside a page that you have open.",
    page_never_shared="You never share this page, so I cannot see it.",
    notes_read_only="Here I can read notes, but not edit them. Open the note to change it.",
    not_beside_page="I cannot do this beside a page. Ask me on Home.",
    holds="It holds {things}.",
    holds_nothing="There is nothing in it.",
    of_which_overdue="{rows}, {count} of them overdue",
    events="On the timeline there is still ahead:",
    no_events="There is nothing ahead on the timeline.",
    next_checkpoint="Next checkpoint: {title}, {day}.",
    new_since="New or changed since the day before: {things}.",
    start_with="I would start with {title}: {reason}.",
    start_plain="I would start with {title}.",
    because_overdue="it was due {day}",
    because_started="it is already in progress",
    because_due="it is due {day}",
    because_priority="it has high priority",
    then="After that:",
    nothing_open="You have no open tasks, so nothing is waiting for you.",
    empty_note="The note has no text.",
    notes_about="These of your notes come closest to {name}:",
    no_notes_about="I found no notes about {name}.",
    project_state="The project {title} is {state}.",
    project_tasks="It has {rows}.",
    active="active",
    not_for="I cannot change that: {the} {title} has no such field.",
    comments_on="{count} on the task {title}:",
    no_comments="The task {title} has no comments.",
    remembered="I will remember: {text}.",
    recalled="This is what I remember:",
    recalled_nothing="I remember nothing{about}.",
    about=" about {name}",
    forgot="I have forgotten: {text}.",
    forget_which="Several could be meant. Repeat the command with one of these:",
    history="This is what we talked about:",
    no_history="I find no earlier conversation{about}.",
    begun="I have started this as a job: it takes a while, and the result comes by itself.",
    summarized="I wrote the summary of the project {title}:",
    planned="I added these suggestions to the project {title}, for you to accept or reject:",
    left_out="I left out of the plan:",
    reviewed="This is the review of your week:",
    reported="The tool reports: {sentence}",
)
