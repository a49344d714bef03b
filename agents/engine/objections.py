"""The objections by which a model is asked to correct its answer."""

from typing import Final

EMPTY: Final = "[Your answer was empty. Answer the user now, in a sentence or two.]"
EMPTY_UNCALLED: Final = (
    "[Your answer was empty. If one of your tools does what the user wants, call it now. Else answer in a sentence.]"
)
EMPTY_AFTER_CARDS: Final = (
    "[Your answer was empty, and nothing was changed. If the user's message says something of what they were shown, "
    "call the tool that updates it now, with its id. Else answer in a sentence.]"
)
NO_TOOL: Final = (
    "[There is no tool named {names}, and the user has seen nothing. If one of your tools does what the user wants, "
    "call it now. Else say that you cannot.]"
)
CUT_OFF: Final = (
    "[Your message was cut off before its end, so the call in it was not run. If what the user wants takes less, do it "
    "in a shorter call. Else say that you could not do it.]"
)
LAST_CALL_CUT_OFF: Final = (
    "[Your message was cut off before its end, so the last call in it was not run. Make it now, shorter if it can be, "
    "or tell the user that it was not made.]"
)
"""For a message whose earlier calls were run."""
TOO_MANY: Final = (
    "[Your message had {count} calls, and only the first {most} were run. Make the others now, at most {most} in a "
    "message, or tell the user that they were not made.]"
)
UNDONE: Final = (
    "[Nothing was changed: no tool has done it. If the user asked for it, call the tool now. If not, or if something "
    "is missing, say that you have changed nothing.]"
)
UNDONE_CALL: Final = "[Nothing was changed: no tool has done it. Call the tool that does what the user wants now.]"
UNDONE_AFTER_CARDS: Final = (
    "[Nothing was changed: no tool has done it. Call the tool that updates it now, with its id.]"
)
NOT_ALL_DONE: Final = (
    "[Only what the results above say was done, and not all that you say. If the user asked for the rest, call the "
    "tool for it now. If not, say what was done.]"
)
UNKNOWN: Final = (
    "[The user's device did not answer: the change may or may not have happened. Do not say that it was made, and do "
    "not repeat it: tell the user to check.]"
)
UNREACHED: Final = (
    "[You cannot do that: none of your tools reaches anyone or anything outside. Tell the user that you cannot.]"
)
DESCRIBED: Final = "[You have only described a call of a tool. Make the call now.]"
UNUSED: Final = (
    "[The tool has run and only read: nothing was created or changed. Its result is above. Answer the user with it "
    "now, in a sentence or two.]"
)
FAILED_CALL: Final = (
    "[Your call failed, and the user has not seen it. Its result says what is right: call the tool again with that "
    "now. If the user has to choose, ask them.]"
)
RECALLED: Final = (
    "[Your call was of no use, but this is remembered of the user: {remembered}. Answer the user with it now, in a "
    "sentence.]"
)
UNREAD: Final = "[You have not looked: no tool has read anything. Call the tool that finds it now.]"
DECLINED: Final = (
    "[The user goes on from what they asked before. If one of your tools does what they want now, call it. Else say in "
    "a sentence what you cannot do.]"
)
NOT_STORED: Final = (
    "[Nothing was stored: no tool has done it. If the user wants you to remember something, call remember now. If not, "
    "say that you have not noted it.]"
)
WANTING_CALLS: Final = frozenset({DESCRIBED, UNREAD, DECLINED, EMPTY_UNCALLED, EMPTY_AFTER_CARDS})
"""Objections that only a call meets, if the user's message wants one."""
