"""What the assistant writes of many rows at once in English."""

from agents.offline.english.phrases import ENGLISH_PHRASES
from agents.offline.long_phrases import LongPhrases

ENGLISH_LONG = LongPhrases(
    plain=ENGLISH_PHRASES,
    as_of="This is how it stood on {day}:",
    untold="I could not read the {rows}.",
    overdue="Overdue: {rows}",
    open="Still to do: {rows}",
    done="Done: {rows}",
    ahead="Ahead: {rows}",
    notes="Written down: {rows}",
    done_lately="Done in the last seven days: {rows}",
    due_soon="Due in the next seven days: {rows}",
    passed="Passed in the last seven days: {rows}",
    ahead_soon="Ahead in the next seven days: {rows}",
    quiet_week="Nothing was done, nothing is overdue, and nothing is due in the next seven days.",
    list_steps="Write down the steps to: {goal}",
    settle_late="Finish or postpone {title}",
    set_date="Set a due date for {title}",
    look_back="Look back at the plan for: {goal}",
    halfway="Halfway to: {goal}",
    reached="Reached: {goal}",
    because_late="It was due {day}.",
)
