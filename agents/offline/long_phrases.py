"""What the assistant writes of many rows at once, as data: one ``LongPhrases`` a language."""

from dataclasses import dataclass

from agents.offline.phrases import Phrases


@dataclass(frozen=True, kw_only=True)
class LongPhrases:
    """One language. In braces stands what is filled in; ``plain`` are the phrases of shorter answers."""

    plain: Phrases
    as_of: str
    untold: str
    overdue: str
    open: str
    done: str
    ahead: str
    notes: str
    done_lately: str
    due_soon: str
    passed: str
    ahead_soon: str
    quiet_week: str
    list_steps: str
    settle_late: str
    set_date: str
    look_back: str
    halfway: str
    reached: str
    because_late: str
    """Why a late task should be settled; ``day`` is when it was due."""
