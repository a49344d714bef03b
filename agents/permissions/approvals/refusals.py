"""Why a tool was not run, as the model is told. Whoever reads the text without a model knows it by its beginning."""

from enum import StrEnum


class Refusal(StrEnum):
    """The first sentence of what the model is told. None begins like another."""

    REFUSED = "The user refused this, so nothing was changed."
    UNANSWERED = "The user did not answer in time, so nothing was changed."
    PENDING = "This needs the user's approval, which is still open, so nothing has been changed yet."
    CANNOT_ASK = "This needs the user's approval, and the user's client cannot ask for it, so nothing was changed."
    DENIED = "The user's settings do not allow this, so nothing was changed."


def refusal_in(text: str) -> Refusal | None:
    """The refusal that ``text`` begins with, if it does with one."""
    return next((refusal for refusal in Refusal if text.startswith(refusal.value)), None)
