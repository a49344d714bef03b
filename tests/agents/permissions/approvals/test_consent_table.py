"""The table of consent, and the policies that come before it."""

from itertools import product
from typing import Final

import pytest

from agents.errors import ToolFailed
from agents.permissions.approvals.consent import must_ask
from agents.permissions.approvals.consent_table import TABLE, CallKind, Verdict, verdict_on
from agents.permissions.approvals.judging import Judged
from agents.permissions.approvals.passages import Passage, ReadSoFar
from agents.permissions.approvals.policies import DEFAULTS, Policies
from agents.permissions.models import Decision
from agents.provenance import Provenance
from agents.tools.notes import DeleteNote, UpdateNote
from agents.tools.spec import Risk

WRITE: Final = UpdateNote(note_id="n1", title="Ideas")
DELETE: Final = DeleteNote(note_id="n1")
EXPECTED: Final = {
    "read": ["run", "run", "if_named", "run"],
    "named_change": ["run", "run", "ask", "run"],
    "other_change": ["run", "tell", "ask", "run"],
    "irreversible": ["ask", "ask", "ask", "ask"],
    "lasting": ["if_said", "if_said", "ask", "ask"],
    "leaving": ["if_said", "if_said", "ask", "run"],
}


def test_table_has_documented_verdicts() -> None:
    found = {
        kind.value: [
            *(verdict_on(kind, each) for each in Provenance),
            verdict_on(kind, Provenance.SAID, by_program=True),
        ]
        for kind in CallKind
    }

    assert found == EXPECTED
    assert set(TABLE) == set(CallKind)


@pytest.mark.parametrize(("kind", "provenance"), [*product(CallKind, Provenance)])
def test_less_trusted_provenance_never_allows_more(kind: CallKind, provenance: Provenance) -> None:
    strictness = [Verdict.RUN, Verdict.TELL, Verdict.IF_NAMED, Verdict.IF_SAID, Verdict.ASK]
    nearer = [verdict_on(kind, each) for each in Provenance if each <= provenance]

    assert [strictness.index(each) for each in nearer] == sorted(strictness.index(each) for each in nearer)


def judged(verdict: Verdict, kind: CallKind, provenance: Provenance = Provenance.READ) -> Judged:
    return Judged(kind=kind, verdict=verdict, read=ReadSoFar(passages=[Passage(provenance=provenance)]))


@pytest.mark.parametrize("provenance", Provenance)
@pytest.mark.parametrize("verdict", [Verdict.RUN, Verdict.TELL, Verdict.ASK])
def test_table_decides_without_user_policy(verdict: Verdict, provenance: Provenance) -> None:
    asks = must_ask(WRITE, judged(verdict, CallKind.OTHER_CHANGE, provenance), Policies())

    assert asks is (verdict is Verdict.ASK)


@pytest.mark.parametrize("provenance", Provenance)
@pytest.mark.parametrize("verdict", [Verdict.RUN, Verdict.TELL, Verdict.ASK])
@pytest.mark.parametrize("decision", [Decision.AUTO, Decision.ASK])
def test_tool_policy_overrides_table_in_both_directions(
    decision: Decision, verdict: Verdict, provenance: Provenance
) -> None:
    policies = Policies(tools={"update_note": decision})

    asks = must_ask(WRITE, judged(verdict, CallKind.OTHER_CHANGE, provenance), policies)

    assert asks is (decision is Decision.ASK)


def test_remembered_answer_does_not_apply_after_foreign_text_or_to_irreversible_call() -> None:
    policies = Policies(tools={"update_note": Decision.AUTO}, remembered=frozenset({"update_note"}))

    assert not must_ask(WRITE, judged(Verdict.ASK, CallKind.LASTING), policies)
    assert must_ask(WRITE, judged(Verdict.ASK, CallKind.OTHER_CHANGE, Provenance.FOREIGN), policies)
    assert must_ask(WRITE, judged(Verdict.ASK, CallKind.IRREVERSIBLE), policies)


def test_automatic_destructive_policy_does_not_apply_after_foreign_text() -> None:
    policies = Policies(risks={**DEFAULTS, Risk.DESTRUCTIVE: Decision.AUTO})

    assert not must_ask(DELETE, judged(Verdict.ASK, CallKind.IRREVERSIBLE), policies)
    assert must_ask(DELETE, judged(Verdict.ASK, CallKind.IRREVERSIBLE, Provenance.FOREIGN), policies)


def test_destructive_denial_applies_to_irreversible_write() -> None:
    policies = Policies(risks={**DEFAULTS, Risk.DESTRUCTIVE: Decision.DENY})

    assert not must_ask(WRITE, judged(Verdict.RUN, CallKind.NAMED_CHANGE), policies)
    with pytest.raises(ToolFailed, match="settings do not allow"):
        must_ask(WRITE, judged(Verdict.ASK, CallKind.IRREVERSIBLE), policies)
