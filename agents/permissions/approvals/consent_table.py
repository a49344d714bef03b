"""The table of consent: what a call may do without asking, by the provenance of the texts that led to it. Pure.

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
    """A reversible change of what the user's message or page names."""
    OTHER_CHANGE = "other_change"
    """A reversible change of something else."""
    IRREVERSIBLE = "irreversible"
    """A deletion, or a change that removes most of a long text on a device that cannot undo it."""
    LASTING = "lasting"
    """Its text outlives the conversation, such as what is remembered."""
    LEAVING = "leaving"
    """Its text leaves the conversation, for another model."""


class Verdict(StrEnum):
    """Whether a call may run."""

    RUN = "run"
    TELL = "tell"
    """It runs, and the answer reports it."""
    ASK = "ask"
    IF_NAMED = "if_named"
    """It runs if it reads only what the user or a text so far has named; otherwise it asks."""
    IF_SAID = "if_said"
    """It runs if the user's own words contain all that would outlive or leave the conversation; otherwise it asks."""


class _Verdicts(NamedTuple):
    """The verdicts after texts of each provenance, and for a program, whose consent is the scopes of its token."""

    said: Verdict
    read: Verdict
    foreign: Verdict
    program: Verdict


TABLE: Final = MappingProxyType(
    {
        # only what the user said: | after rows: | after text from outside: | a program:
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
