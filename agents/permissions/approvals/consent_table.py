"""The table of consent: whether a call runs without asking, by the provenance of the texts before it. Pure.

The user's policies about single tools take precedence (``consent.py``).
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from agents.provenance import Provenance


class CallKind(StrEnum):
    """The kinds of calls that consent distinguishes."""

    READ = "read"
    NAMED_CHANGE = "named_change"
    """A reversible change of a row that the user's message or page names."""
    OTHER_CHANGE = "other_change"
    """Any other reversible change."""
    IRREVERSIBLE = "irreversible"
    """A deletion, or a change that removes most of a long text on a device that cannot undo it."""
    LASTING = "lasting"
    """The call's text outlives the conversation, such as a memory."""
    LEAVING = "leaving"
    """The call's text leaves the conversation, for another model."""


class Verdict(StrEnum):
    """Whether a call runs without asking."""

    RUN = "run"
    TELL = "tell"
    """It runs, and the answer reports it."""
    ASK = "ask"
    IF_NAMED = "if_named"
    """It runs if it reads only rows that the user or a text so far has named; otherwise it asks."""
    IF_SAID = "if_said"
    """It runs if the user's own words contain all text that outlives or leaves the conversation; otherwise it asks."""


class _Verdicts(NamedTuple):
    """The verdicts after texts of each provenance, and for a program, to whose scopes the user has consented."""

    said: Verdict
    read: Verdict
    foreign: Verdict
    program: Verdict


TABLE: Final = MappingProxyType(
    {
        # only after the user's own words | after rows | after text from outside | a program
        CallKind.READ: _Verdicts(Verdict.RUN, Verdict.RUN, Verdict.IF_NAMED, Verdict.RUN),
        CallKind.NAMED_CHANGE: _Verdicts(Verdict.RUN, Verdict.RUN, Verdict.ASK, Verdict.RUN),
        CallKind.OTHER_CHANGE: _Verdicts(Verdict.RUN, Verdict.TELL, Verdict.ASK, Verdict.RUN),
        CallKind.IRREVERSIBLE: _Verdicts(Verdict.ASK, Verdict.ASK, Verdict.ASK, Verdict.ASK),
        CallKind.LASTING: _Verdicts(Verdict.IF_SAID, Verdict.IF_SAID, Verdict.ASK, Verdict.ASK),
        CallKind.LEAVING: _Verdicts(Verdict.IF_SAID, Verdict.IF_SAID, Verdict.ASK, Verdict.RUN),
    }
)


def verdict_on(kind: CallKind, provenance: Provenance, *, by_program: bool = False) -> Verdict:
    """The verdict on a call of ``kind`` after text of ``provenance``."""
    verdicts = TABLE[kind]
    return verdicts.program if by_program else (verdicts.said, verdicts.read, verdicts.foreign)[provenance]
