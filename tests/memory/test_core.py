import logging

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from pytest_django import DjangoAssertNumQueries

from accounts.keys.rotation import rotate_user_key
from accounts.models import User
from memory.errors import InvalidMemory
from memory.models import MAX_CORE_ROWS, MAX_KEY_CHARS, MAX_VALUE_CHARS, MemoryCore
from memory.tiers import delete_core, list_core, set_core
from tests.accounts.conftest import at_once
from tests.effort import tries
from tests.memory.tampering import damage, half_rotate, move

pytestmark = pytest.mark.django_db


def pairs(user: User) -> list[tuple[str, str]]:
    return [(entry.key, entry.value) for entry in list_core(user.id)]


def test_a_value_is_kept_under_its_key_for_its_owner_alone(alice: User, bob: User) -> None:
    set_core(alice.id, "Tea", " Assam ")
    set_core(bob.id, "Tea", "none")

    assert pairs(alice) == [("Tea", "Assam")]
    assert pairs(bob) == [("Tea", "none")]


@pytest.mark.parametrize("other", ["tea", " TEA ", "Ｔｅａ"])
def test_a_key_is_the_same_however_it_is_written(alice: User, other: str) -> None:
    first = set_core(alice.id, "Tea", "Assam")
    second = set_core(alice.id, other, "Darjeeling")

    assert second.id == first.id
    assert [entry.value for entry in list_core(alice.id)] == ["Darjeeling"]
    assert delete_core(alice.id, "tea")
    assert pairs(alice) == []


def test_deleting_says_whether_there_was_anything(alice: User, bob: User) -> None:
    row = set_core(alice.id, "tea", "Assam")

    assert not delete_core(alice.id, "coffee")
    assert not delete_core(bob.id, "tea")
    assert not MemoryCore.objects.for_user(bob.id).discard(row.id)
    assert MemoryCore.objects.for_user(alice.id).discard(row.id)
    assert not delete_core(alice.id, "tea")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("", "x"),
        ("x", " \n"),
        ("k" * (MAX_KEY_CHARS + 1), "x"),
        ("x", "v" * (MAX_VALUE_CHARS + 1)),
    ],
)
def test_what_is_blank_or_too_long_is_not_kept(alice: User, key: str, value: str) -> None:
    with pytest.raises(InvalidMemory):
        set_core(alice.id, key, value)
    assert pairs(alice) == []


def test_the_longest_is_kept(alice: User) -> None:
    set_core(alice.id, "k" * MAX_KEY_CHARS, "v" * MAX_VALUE_CHARS)
    assert pairs(alice) == [("k" * MAX_KEY_CHARS, "v" * MAX_VALUE_CHARS)]


def test_one_key_too_many_is_refused_and_an_old_one_still_changes(alice: User) -> None:
    rows = [MemoryCore(user=alice, key_index=f"{number}", key_encrypted="x") for number in range(MAX_CORE_ROWS - 1)]
    MemoryCore.objects.bulk_create(rows)
    set_core(alice.id, "the last", "fits")

    with pytest.raises(InvalidMemory, match=f"{MAX_CORE_ROWS} keys"):
        set_core(alice.id, "one more", "does not")

    assert set_core(alice.id, "the last", "changes").value == "changes"


class AnyText(TestCase):
    @given(key=st.text(max_size=MAX_KEY_CHARS), value=st.text(max_size=300))
    @settings(max_examples=tries(20, long=400))
    def test_any_text_comes_back_as_it_was(self, key: str, value: str) -> None:
        user = User.objects.create_user("alice@example.com")
        if not key.strip() or not value.strip():
            with pytest.raises(InvalidMemory):
                set_core(user.id, key, value)
            return
        set_core(user.id, key, value)
        assert pairs(user) == [(key.strip(), value.strip())]

    def test_null_characters_and_half_surrogate_pairs_are_texts(self) -> None:
        user = User.objects.create_user("alice@example.com")
        set_core(user.id, "a\0b \ud83d", "\udc00 c\0")
        assert pairs(user) == [("a\0b \ud83d", "\udc00 c\0")]


def test_nothing_of_a_preference_is_readable_in_the_database(alice: User) -> None:
    set_core(alice.id, "favourite tea", "Assam")
    [row] = MemoryCore.objects.values_list()
    assert not any(word in str(row) for word in ("favourite", "tea", "Assam"))


def test_users_have_different_indexes_of_the_same_key(alice: User, bob: User) -> None:
    set_core(alice.id, "tea", "Assam")
    set_core(bob.id, "tea", "Assam")
    assert MemoryCore.objects.values("key_index").distinct().count() == 2


def test_a_row_that_cannot_be_opened_is_marked_and_stays(alice: User) -> None:
    set_core(alice.id, "tea", "Assam")
    row = set_core(alice.id, "coffee", "black")
    damaged = damage(MemoryCore.objects.get(id=row.id), "value_encrypted")

    entries = list_core(alice.id)

    assert [(entry.id == row.id, entry.key, entry.unreadable) for entry in entries] == [
        (False, "tea", False),
        (True, "", True),
    ]
    assert MemoryCore.objects.get(id=row.id).value_encrypted == damaged


def test_a_value_that_was_moved_to_another_row_cannot_be_opened(alice: User) -> None:
    tea, coffee = set_core(alice.id, "tea", "Assam"), set_core(alice.id, "coffee", "black")
    move(MemoryCore.objects.get(id=tea.id), MemoryCore.objects.get(id=coffee.id), "value_encrypted")
    assert [(entry.key, entry.unreadable) for entry in list_core(alice.id)] == [("tea", False), ("", True)]


def test_listing_takes_two_queries(alice: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(3):
        set_core(alice.id, f"key {number}", "value")
    with django_assert_num_queries(2):
        assert len(list_core(alice.id)) == 3


@pytest.mark.django_db(transaction=True)
def test_a_key_is_found_whichever_of_the_users_keys_made_its_index(alice: User) -> None:
    first = set_core(alice.id, "tea", "Assam")
    half_rotate(alice)

    second = set_core(alice.id, "tea", "Darjeeling")
    assert second.id == first.id

    set_core(alice.id, "coffee", "black")
    rotate_user_key(alice.id)
    assert set_core(alice.id, "TEA", "Oolong").id == first.id
    assert pairs(alice) == [("coffee", "black"), ("TEA", "Oolong")]


@pytest.mark.django_db(transaction=True)
def test_two_who_set_the_same_key_at_once_make_one_row(alice: User) -> None:
    for number in range(5):
        at_once(
            lambda key=f"key {number}": set_core(alice.id, key, "one"),  # type: ignore[misc] # bound at once
            lambda key=f"key {number}": set_core(alice.id, key, "two"),  # type: ignore[misc]
        )
    assert len(pairs(alice)) == 5


def test_the_database_refuses_a_second_row_of_a_key(alice: User) -> None:
    set_core(alice.id, "tea", "Assam")
    row = MemoryCore.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        MemoryCore.objects.create(user=alice, key_index=row.key_index, key_encrypted="x", value_encrypted="x")


def test_listing_logs_nothing_of_what_is_remembered(alice: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    set_core(alice.id, "tea", "Assam")
    damage(MemoryCore.objects.get(), "value_encrypted")
    list_core(alice.id)
    assert "Assam" not in caplog.text
