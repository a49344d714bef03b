import pytest

from agents.permissions.approvals.refusals import Refusal, refusal_in


@pytest.mark.parametrize("refusal", Refusal)
def test_a_refusal_is_known_by_its_beginning_and_is_no_other(refusal: Refusal) -> None:
    assert refusal_in(f"{refusal} Tell the user.") is refusal
    assert [other for other in Refusal if refusal.startswith(other)] == [refusal]


@pytest.mark.parametrize("text", ["", "Deleted the task [id t1].", f"He said: {Refusal.REFUSED}"])
def test_what_is_no_refusal_is_not_taken_for_one(text: str) -> None:
    assert refusal_in(text) is None
