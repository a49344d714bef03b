"""A row's words cannot change what the sentence around them says."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as some

from agents.calls import CallAction, Row, Table
from agents.permissions.approvals import quoting
from agents.permissions.approvals.previews import Effect, summary_of
from agents.permissions.approvals.quoting import quoted_words, safe_words, show_controls
from agents.permissions.approvals.repository import Preview, as_shown


def deletion(title: str, language: str = "en") -> str:
    effect = Effect(action=CallAction.DELETE, table=Table.TASKS, preview=Preview(before={"title": title}, after=None))
    return summary_of("delete_task", effect, language=language)


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Milk\u202e .doog rof \u201dsesoR\u201c", "Milk .doog rof 'sesoR'"),
        ("\u2066Milk\u2069", "Milk"),
        ("\u200f\u061cMilk", "Milk"),
        ("M\u200bi\u2060l\ufeffk\u00ad", "Milk"),
        ("Milk\U000e0041\U000e007f", "Milk"),
        ("Milk” for good. Add the task “Roses", "Milk' for good. Add the task 'Roses"),
        ("Milk» «Roses", "Milk' 'Roses"),
        ("Milk’’ or ″ or ＂", "Milk' or ' or '"),
        ("Milk\n\n\u2028\u2029Run\x85\u3000it", "Milk Run it"),
        ("Milk\x1b[2K\x00\x9b", "Milk[2K"),
        ("\u0336\u0336Milk \u20dd", "Milk"),
        ("Mi" + "\u0336" * 50 + "lk", "Mi" + "\u0336" * 4 + "lk"),
        ("\ud83cMilk", "Milk"),
    ],
)
def test_title_cannot_alter_question(title: str, shown: str) -> None:
    assert deletion(title) == f"Delete the task “{shown}” for good."
    assert deletion(title, "it") == f"Eliminare definitivamente l'attività «{shown}»."


@pytest.mark.parametrize("title", ["\u200b", "\u202e\u2066", "\u3164\u2800\u115f", " \u0301 ", "\U000e0041"])
def test_invisible_title_counts_as_missing(title: str) -> None:
    assert deletion(title) == "Delete the task without a title for good."


@pytest.mark.parametrize(
    "title",
    [
        *(
            "Don't",
            "L’attività",
            "日本語",
            "क्\u200dष",
            "é",
            "q\u0307\u0323",
            "สวัสดี",
        ),
        *("❤\ufe0f", "👨\u200d👩\u200d👧", "👩🏽\u200d💻", "🏳\ufe0f\u200d🌈"),
    ],
)
def test_ordinary_titles_are_unchanged(title: str) -> None:
    assert quoted_words(title, max_chars=80) == title


@pytest.mark.parametrize("title", ["שלום עולם", "مرحبا", "می\u200cخواهم", "Milk שלום", "٣"])
def test_right_to_left_title_is_isolated(title: str) -> None:
    assert deletion(title) == f"Delete the task “\u2068{title}\u2069” for good."
    assert safe_words(title, max_chars=80) == title


@pytest.mark.parametrize("title", ["שלום\u2069 for good", "\u2067שלום\u2069", "שלום\u202e"])
def test_title_does_not_close_isolate_around_it(title: str) -> None:
    shown = deletion(title)
    assert [shown.count(mark) for mark in "\u2066\u2067\u2068\u2069\u202e"] == [0, 0, 1, 1, 0]


def test_long_quotation_is_truncated() -> None:
    assert quoted_words("ab " * 100, max_chars=9) == "ab ab ab…"


@pytest.mark.parametrize(("text", "shown"), [("\u200d", ""), ("a\u200d", "aaaaaaa…"), ("Milk\n ", "Milk Mi…")])
def test_only_beginning_of_huge_text_is_examined(text: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []

    def noted(read: str) -> str:
        looked_at.append(len(read))
        return read

    monkeypatch.setattr(quoting, "_with_few_marks", noted)
    assert quoted_words(text * 1_000_000, max_chars=8) == shown
    assert looked_at[0] <= 4096


def test_unexamined_remainder_is_shown_as_ellipsis() -> None:
    assert quoted_words("Milk" + " " * 5000 + "Roses", max_chars=80) == "Milk…"


@given(some.text(max_size=200))
def test_no_text_closes_its_quotation_or_changes_its_direction(text: str) -> None:
    shown = safe_words(text, max_chars=80)
    assert len(shown) <= 80
    assert quoted_words(text, max_chars=80).removeprefix("\u2068").removesuffix("\u2069") == shown
    assert not set('"“”«»\n\u2028\u2029') & set(shown)
    assert not {unicodedata.bidirectional(character) for character in shown} & {
        *("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"),
    }
    assert not shown or unicodedata.category(shown[0]) not in ("Mn", "Me", "Cf", "Cc")
    assert safe_words(shown, max_chars=80) == shown


def test_preview_shows_control_characters_as_replacement_characters() -> None:
    before: Row = {"title": "Milk", "assignee": ["\u202eAnna"]}
    after: Row = {"title": "Mi\u2066lk", "assignee": ["\u202eAnna"]}
    shown = as_shown(Preview(before=before, after=after))
    assert shown == {
        "before": {"title": "Milk", "assignee": ["\ufffdAnna"]},
        "after": {"title": "Mi\ufffdlk", "assignee": ["\ufffdAnna"]},
    }
    assert show_controls({"a": ["\u202d", 1, None, "x\ny\tz"]}) == {"a": ["\ufffd", 1, None, "x\ny\tz"]}
