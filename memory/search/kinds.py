"""What a passage is besides its words. Pure."""

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.search.change_words import (
    answers_request,
    corrects,
    gives_reason,
    is_ended,
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
"""An answer with more is mostly advice that can be given again; what the user said is not."""
_MANY_WORDS: Final = 18
_CLAUSES: Final = re.compile(r"\w[,;:.!?] \w")


class Kind(IntEnum):
    """What a passage is besides its words: each is a bit."""

    LONG_ANSWER = 1
    """A part of a long answer."""
    OPENING = 2
    """How a message with a long answer begins."""
    PREFERENCE = 4
    """Where the user says how something is to be done, or what the user prefers."""
    STANDING = 8
    """Where the user says how something is always to be done."""
    ANSWER = 16
    """A part of an answer, long or short."""
    SAYS_CHANGE = 32
    """Where the user says that something changes."""
    CHANGE_ANSWERED = 64
    """A part of a message that was answered with what has been changed."""
    END_ANSWERED = 128
    """Where the user has something deleted, and the answer says so."""
    DOUBTED = 256
    """Where the user is not sure."""
    GIVES_REASON = 512
    """Where the user says that something ended, failed or was decided: why something else may no longer hold."""
    CLAUSES = 1024
    """Where the user says more than one thing."""
    DECIDES = 2048
    """Where the user says that something was moved, measured or decided anew."""
    NEGATES = 4096
    """Where the user says that something is not so."""
    ASKS = 8192
    """Nothing but questions of the user's, and no request for a change that was done."""
    SAYS_NEW = 16384
    """Where the user says that something is new: it may take the place of another."""
    OF_ONE_DAY = 32768
    """Where the user tells of the day or week on which they say it."""
    CONSTRAINT = 65536
    """Where the user may say, and not ask, what someone likes, needs or cannot do, or how something is done: also a
    preference.
    """
    TELLS_MUCH = 131072
    """Where the user says much at once: some of it may be of something else."""
    STAYS = 262144
    """Where the user says that something is as it was, or otherwise only for once."""
    CORRECTS = 524288
    """Where the user may correct what they said just before."""
    FOREIGN = 1048576
    """In neither English nor Italian."""


def kind_of(passage: str, plain: str, words: Sequence[str], answer: str, *, is_first: bool) -> int:
    """What a passage of a message is, as bits.

    ``plain`` is the passage as ``comparable``, ``words`` are its words, folded, and ``answer`` is what was answered.
    """
    changes = says_change(plain)
    prefers = is_preference(passage)
    asks = is_question(plain) and not (changes and answers_request(answer))
    return (
        Kind.OPENING * (is_first and len(answer) > LONG_ANSWER_CHARS)
        | Kind.PREFERENCE * prefers
        | Kind.STANDING * is_standing_instruction(passage)
        | Kind.CONSTRAINT * (prefers or (not asks and may_constrain(plain, words)))
        | Kind.SAYS_CHANGE * changes
        | Kind.END_ANSWERED * is_ended(plain, answer)
        | Kind.DOUBTED * says_doubt(plain)
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


def are_of(kinds: NDArray[np.uint32], wanted: int) -> NDArray[np.bool_]:
    """Whether each of ``kinds`` has any of the bits of ``wanted``."""
    # With a number of Python's numpy would first make all of them longer.
    found: NDArray[np.bool_] = (kinds & np.uint32(wanted)) != 0
    return found
