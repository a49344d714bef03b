"""The project's own cases: they are well-formed, the verdicts find each fault, and the search alone passes as many as
before.
"""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.memory_quality import cases
from benchmarks.memory_quality.cases import UNASKED, Case, UnreadableCase, figures_of, judged, read_cases, search_alone
from benchmarks.memory_quality.conversations import content_words, is_recalled
from benchmarks.memory_quality.fitting import MESSAGES
from memory.search.question import Question

CASES, OTHERS, HELD_OUT = map(read_cases, (cases.CASES, cases.UNSEEN, cases.HELD_OUT))
CASE = "[[case]]\nname = 'a'\nlife = 'ruth'\nask = 'b'\nasked = 2026-01-01T00:00:00\n"
GYM = next(case for case in CASES if case.id == "changes/gym")
CURRENT, OLDER = "2026-04-10: swimming is now mondays and fridays", "2026-01-15: I swim tuesdays and saturdays"
APART = ("chatter", "chains", "sentences", "more", "paraphrases", "messages", "typed", "followups", "general")
"""Cases of one kind, by people who knew neither code nor other cases."""
UNRELATED = next(case for case in CASES if case.nothing)


def _of(cases: list[Case], category: str) -> list[Case]:
    return [case for case in cases if case.category == category]


def _without(cases: list[Case], *categories: str) -> list[Case]:
    return [case for case in cases if case.category not in categories]


@pytest.mark.parametrize(
    ("cases", "evidence", "unrelated_empty", "related_empty", "unmarked", "superseded", "wrongly_marked"),
    [
        (CASES, 0.965, 0.97, 0.015, 2, 10, 14),
        (_without(OTHERS, UNASKED, *APART), 0.965, 1.0, 0.004, 15, 46, 87),
        (_of(OTHERS, "chatter"), 0.85, 1.0, 0.045, 8, 33, 22),
        (_of(OTHERS, "chains"), 0.88, 1.0, 0.0, 12, 34, 12),
        (_of(OTHERS, "sentences"), 0.97, 0.95, 0.021, 0, 0, 3),
        (_of(OTHERS, "more"), 0.96, 0.86, 0.034, 0, 0, 3),
        (_of(OTHERS, "paraphrases"), 0.6, 1.0, 0.15, 0, 0, 4),
        (_of(OTHERS, "messages"), 0.93, 0.88, 0.067, 0, 0, 1),
        (_of(OTHERS, "typed"), 0.97, 1.0, 0.025, 0, 0, 3),
        (_of(OTHERS, "followups"), 0.97, 1.0, 0.025, 0, 0, 4),
        (_of(OTHERS, UNASKED), 0.78, 1.0, 0.126, 0, 0, 3),
        (_without(HELD_OUT, UNASKED, *APART), 0.96, 1.0, 0.0, 5, 24, 17),
        (_of(HELD_OUT, "messages"), 0.96, 0.9, 0.034, 0, 0, 2),
        (_of(HELD_OUT, "typed"), 0.93, 0.93, 0.046, 0, 0, 3),
        (_of(HELD_OUT, "followups"), 0.87, 0.85, 0.05, 0, 0, 5),
        (_of(HELD_OUT, "general"), 0.79, 0.86, 0.08, 0, 0, 2),
        (_of(HELD_OUT, UNASKED), 0.78, 0.95, 0.072, 0, 0, 2),
    ],
    ids=[
        *("cases", "unseen", *(f"unseen, {each}" for each in (*APART[:-1], UNASKED))),
        *("held out", *(f"held out, {each}" for each in (*APART[-4:], UNASKED))),
    ],
)
def test_search_alone_recalls_no_less_than_was_measured(
    cases: list[Case],
    evidence: float,
    unrelated_empty: float,
    related_empty: float,
    unmarked: int,
    superseded: int,
    wrongly_marked: int,
) -> None:
    figures = figures_of([judged(case, search_alone(case)) for case in cases])

    assert figures.evidence >= evidence
    assert figures.unrelated_empty >= unrelated_empty
    assert figures.related_empty <= related_empty
    assert figures.unmarked <= unmarked
    assert figures.superseded <= superseded
    assert figures.wrongly_marked <= wrongly_marked


def test_classifier_is_the_one_of_the_messages() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(MESSAGES.glob("*.txt"))]
    lines = [line.split("\t", 1) for text in texts for line in text.splitlines()][::5]
    now = datetime(2026, 1, 1, tzinfo=UTC)
    correct = [(Question(text=message, now=now).wording > 0) == (kind == "own") for kind, message in lines]

    assert sum(correct) > 0.95 * len(correct) > 2_000


def test_the_texts_of_every_case_occur_in_its_exchanges() -> None:
    for case in (*CASES, *OTHERS, *HELD_OUT):
        said = [content_words(side, case.language) for turn in case.turns for side in (turn.message, turn.response)]
        texts = [*case.evidence, *case.superseded]
        assert [text for text in texts if not is_recalled(text, said, case.language)] == [], case.id
        assert bool(case.evidence) != case.nothing, case.id
        assert case.past == bool(set(case.superseded) & set(case.evidence)), case.id


def test_cases_are_many_of_each_category_in_both_languages_among_many_exchanges() -> None:
    categories, languages = Counter(case.category for case in CASES), Counter(case.language for case in CASES)

    assert len(CASES) >= 150
    assert (len(categories), min(categories.values())) == (9, 10)
    assert min(languages.values()) >= len(CASES) // 3
    assert min(len(case.turns) for case in CASES) >= 20


@pytest.mark.parametrize(
    ("items", "missing", "unmarked"),
    [
        ([CURRENT], False, False),
        ([], True, False),
        ([CURRENT, OLDER + " before work"], False, True),
        ([CURRENT, OLDER + " before work (no longer true since 2026-04-10)"], False, False),
        ([CURRENT, "until 2026-04-10: " + OLDER + " before work"], False, False),
        ([CURRENT + ", lane 3 is quiet then; I swim tuesdays and saturdays before work"], False, False),
    ],
    ids=["current", "nothing", "older", "marked", "dated", "both in one"],
)
def test_superseded_texts_need_a_mark(items: list[str], missing: bool, unmarked: bool) -> None:
    verdict = judged(replace(GYM, evidence=["swimming is now mondays and fridays"]), items)

    assert (bool(verdict.missing), bool(verdict.unmarked)) == (missing, unmarked)
    assert verdict.passed is not (missing or unmarked)


def test_nothing_may_be_recalled_for_an_unrelated_question() -> None:
    assert (judged(UNRELATED, []).passed, judged(UNRELATED, [CURRENT]).passed) == (True, False)
    figures = figures_of([judged(UNRELATED, []), judged(UNRELATED, [CURRENT]), judged(GYM, [])])
    assert (figures.unrelated_empty, figures.related_empty, figures.evidence) == (0.5, 1.0, 0.0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[case]", "cannot be read"),
        ("title = 'x'", "contains something besides cases"),
        ("[[case]]\nname = 'a'", "case a is invalid at life: Field required"),
        ("[[case]]\nlife = 'b'", "case number 1 is invalid at name"),
        (CASE.replace("ruth", "x"), "an unknown life: x"),
        (CASE + "[[case.session]]\nat = 2026-01-02T00:00:00\nsaid = [['c', 'd']]", "asked before the end"),
        (CASE + CASE, "Two cases are called facts/a"),
    ],
)
def test_an_invalid_file_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "facts.toml").write_text(text)

    with pytest.raises(UnreadableCase, match=problem):
        read_cases(tmp_path)


def test_an_unknown_case_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"^There is no case or category --unsen, typo in cases\.$"):
        cases.main(["--unsen", "facts", "typo"])
