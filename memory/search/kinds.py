"""The kinds of passages, which their wording and their answers reveal. Pure."""

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.search.change_words import (
    confirms_request,
    corrects,
    gives_reason,
    is_deleted,
    is_of_one_day,
    is_question,
    negates,
    new_things,
    says_change,
    says_decision,
    says_doubt,
    says_it_stays,
)
from memory.search.preferences import is_preference, is_standing_instruction, may_constrain

LONG_ANSWER_CHARS: Final = 600
"""A longer answer is mostly advice, which can be given again, unlike the user's own statements."""
_MANY_WORDS: Final = 18
_CLAUSES: Final = re.compile(r"\w[,;:.!?] \w")


class Kind(IntEnum):
    """A kind of passage. A passage may be of several kinds: each is a bit."""

    LONG_ANSWER = 1
    """A part of a long answer."""
    OPENING = 2
    """The beginning of a message that has a long answer."""
    PREFERENCE = 4
    """The user says what they prefer, or how something should be done."""
    STANDING = 8
    """The user says how something should always be done."""
    ANSWER = 16
    """A part of an answer, long or short."""
    SAYS_CHANGE = 32
    """The user says that something changes."""
    CHANGE_CONFIRMED = 64
    """A part of a message whose answer says that something was changed."""
    DELETION_CONFIRMED = 128
    """The user has something deleted, and the answer says that it was."""
    SAYS_DOUBT = 256
    """The user is not sure."""
    GIVES_REASON = 512
    """The user says that something ended, failed or was decided, so that something else may no longer hold."""
    CLAUSES = 1024
    """The user says more than one thing."""
    DECIDES = 2048
    """The user says that something was moved, measured or decided again."""
    NEGATES = 4096
    """The user denies something."""
    ASKS = 8192
    """Only questions of the user's, and no request for a change that was carried out."""
    SAYS_NEW = 16384
    """The user says that something is new, and may replace something else."""
    OF_ONE_DAY = 32768
    """It is about the day or week on which the user says it."""
    CONSTRAINT = 65536
    """The user may say, and not ask, what someone likes, needs or cannot do, or how something is done. Includes
    ``PREFERENCE``.
    """
    TELLS_MUCH = 131072
    """The user says much at once, and some of it may be about something else."""
    STAYS = 262144
    """The user says that something stays as it was, or is an exception."""
    CORRECTS = 524288
    """The user may correct what they said just before."""
    FOREIGN = 1048576
    """In neither English nor Italian."""


def kinds_of(passage: str, plain: str, words: Sequence[str], answer: str, *, is_first: bool) -> int:
    """The kinds of a passage of a message, as bits.

    ``plain`` is the passage as ``comparable``, ``words`` are its words, folded, and ``answer`` is the whole answer.
    """
    changes = says_change(plain)
    prefers = is_preference(passage)
    asks = is_question(plain) and not (changes and confirms_request(answer))
    return (
        Kind.OPENING * (is_first and len(answer) > LONG_ANSWER_CHARS)
        | Kind.PREFERENCE * prefers
        | Kind.STANDING * is_standing_instruction(passage)
        | Kind.CONSTRAINT * (prefers or (not asks and may_constrain(plain, words)))
        | Kind.SAYS_CHANGE * changes
        | Kind.DELETION_CONFIRMED * is_deleted(plain, answer)
        | Kind.SAYS_DOUBT * says_doubt(plain)
        | Kind.GIVES_REASON * gives_reason(plain, words)
        | Kind.DECIDES * says_decision(words)
        | Kind.NEGATES * negates(plain)
        | Kind.ASKS * asks
        | Kind.SAYS_NEW * bool(new_things(plain))
        | Kind.OF_ONE_DAY * is_of_one_day(plain)
        | Kind.TELLS_MUCH * (len(words) > _MANY_WORDS)
        | Kind.STAYS * says_it_stays(plain)
        | Kind.CORRECTS * corrects(plain)
        | Kind.CLAUSES * (_CLAUSES.search(passage) is not None)
    )


def has_any_bit(values: NDArray[np.uint32], wanted: int) -> NDArray[np.bool_]:
    """For each of ``values``, whether it has any of the bits of ``wanted``."""
    # With an ``int``, numpy would first convert all values to 64 bits.
    found: NDArray[np.bool_] = (values & np.uint32(wanted)) != 0
    return found
