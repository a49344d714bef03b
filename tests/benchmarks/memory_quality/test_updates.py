"""The updates are well-formed, and the search marks or leaves out superseded statements of the held-out ones."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.memory_quality.regression import Classifier
from benchmarks.memory_quality.updates import HELD_OUT, UPDATES, Outcome, Update, outcomes, updates_in
from memory.search.wording import REPLACES, features_of

FILES = [*sorted(UPDATES.glob("*.tsv")), *sorted(HELD_OUT.glob("*.tsv"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_updates_are_many_of_both_kinds_each_said_once(path: Path) -> None:
    updates = updates_in(path)
    changed = sum(update.is_changed for update in updates)

    assert len(updates) >= 120
    assert 0.3 * len(updates) < changed < 0.7 * len(updates)
    assert len({(update.earlier, update.later) for update in updates}) == len(updates)


@pytest.mark.parametrize("line", ["changed\ta\tb", "moved\ta\tb\tc", "kept\ta\t\tc", "kept\ta\tb\tc\td"])
def test_an_invalid_line_of_an_update_is_reported(line: str, tmp_path: Path) -> None:
    path = tmp_path / "english.tsv"
    path.write_text(f"kept\ta\tb\tc\n{line}\n", encoding="utf-8")

    with pytest.raises(ValueError, match=r"english\.tsv, line 2 is no update"):
        updates_in(path)


def test_superseded_statements_are_marked_or_left_out_and_others_seldom() -> None:
    found = Counter[tuple[bool, Outcome]]()
    for path in sorted(HELD_OUT.glob("*.tsv")):
        updates = updates_in(path)
        found.update(zip((update.is_changed for update in updates), outcomes(updates), strict=True))

    recalled = found.total() - sum(found[changed, Outcome.NOT_FOUND] for changed in (True, False))
    assert recalled >= 1_720
    # Of 854 and of 871.
    assert found[True, Outcome.UNMARKED] <= 230
    assert found[True, Outcome.LEFT_OUT] >= 283
    assert found[False, Outcome.LEFT_OUT] <= 186
    assert found[False, Outcome.PERHAPS] <= 371


def test_classifier_is_the_one_of_the_updates() -> None:
    updates = [update for path in sorted(UPDATES.glob("*.tsv")) for update in updates_in(path)][::5]
    right = [(REPLACES.log_odds(update.wording_features) > 0) == update.is_changed for update in updates]

    assert sum(right) > 0.85 * len(right) > 1_000


def test_a_classifier_learns_the_words_of_each_class() -> None:
    said = [f"{word} {place}" for word in ("sold", "kept") for place in ("here", "there", "home", "away")]
    classifier = Classifier([features_of(each) for each in said], [each.startswith("sold") for each in said])
    sold, kept = classifier.log_odds([features_of("sold again"), features_of("kept again")])

    assert sold > 0 > kept


def test_an_update_is_asked_in_its_language() -> None:
    update = Update("italian", "it", True, "Rosa tiene la cassa", "la cassa la tiene Ugo", "chi tiene la cassa?")
    assert update.asked().language == "it"
