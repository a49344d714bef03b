from uuid import uuid4

import pytest
from cryptography.fernet import Fernet
from django.db import InternalError
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.cipher import Place, UserKey, new_user_key
from accounts.errors import CorruptedKey, CorruptedText, MissingMasterKey, WrongKeyVersion
from accounts.keys.rotation import rotate_user_key
from accounts.keys.vault import Vault, one_moment, open_vault
from accounts.models import User
from tests.accounts.threads import as_another_process

PLACE = Place(table="memory_core", column="value", row_id=uuid4())


def test_vault_opens_what_it_closed_for_this_user(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):
        token = open_vault(alice.id).encrypt(PLACE, "prefers mornings")
        assert open_vault(alice.id).decrypt(PLACE, token) == "prefers mornings"


def test_vault_of_another_user_opens_nothing(alice: User, bob: User) -> None:
    token = open_vault(alice.id).encrypt(PLACE, "prefers mornings")
    with pytest.raises(CorruptedText):
        open_vault(bob.id).decrypt(PLACE, token)


def test_vault_says_that_a_text_is_of_another_version(alice: User) -> None:
    vault = open_vault(alice.id)
    newer = Vault(key=UserKey(version=2, secret=vault.key.secret))
    with pytest.raises(WrongKeyVersion):
        newer.decrypt(PLACE, vault.encrypt(PLACE, "prefers mornings"))


def test_key_that_was_copied_to_another_user_is_refused(alice: User, bob: User) -> None:
    User.objects.filter(id=bob.id).update(encryption_key=alice.encryption_key)
    with pytest.raises(CorruptedKey):
        open_vault(bob.id)


def test_key_stays_readable_when_a_newer_master_key_comes(alice: User, settings: Settings) -> None:
    token = open_vault(alice.id).encrypt(PLACE, "prefers mornings")
    settings.MASTER_KEYS = f"{Fernet.generate_key().decode()},{settings.MASTER_KEYS}"
    assert open_vault(alice.id).decrypt(PLACE, token) == "prefers mornings"


def test_key_is_missed_when_its_master_key_goes(alice: User, settings: Settings) -> None:
    settings.MASTER_KEYS = Fernet.generate_key().decode()
    with pytest.raises(MissingMasterKey) as missing:
        open_vault(alice.id)
    assert missing.value.fingerprint == alice.master_key_id


def test_vault_shows_no_key(alice: User) -> None:
    assert repr(open_vault(alice.id)) == "Vault(key=UserKey(version=1), older={})"


@given(texts=st.lists(st.text(st.characters()), min_size=2, max_size=2, unique=True))
def test_digests_differ_when_texts_purposes_or_users_do(texts: list[str]) -> None:
    mine, others = (Vault(key=new_user_key()) for _ in range(2))
    first, second = texts

    assert mine.digest("p", first) == mine.digest("p", first)
    digests = [mine.digest("p", first), mine.digest("p", second), mine.digest("q", first), others.digest("p", first)]
    assert len(set(digests)) == len(digests)


@pytest.mark.django_db(transaction=True)
def test_vault_that_was_opened_before_a_rotation_opens_what_came_of_it(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    early = open_vault(alice.id)
    rotate_user_key(alice.id)
    token = open_vault(alice.id).encrypt(PLACE, "prefers mornings")
    with django_assert_num_queries(1):
        assert [early.decrypt(PLACE, token) for _ in range(2)] == ["prefers mornings"] * 2
    assert (early.versions, repr(early)) == ((1,), "Vault(key=UserKey(version=1), older={})")


def test_vault_asks_in_vain_for_a_key_that_never_was(alice: User) -> None:
    vault = open_vault(alice.id)
    token = vault.encrypt(PLACE, "prefers mornings")
    with pytest.raises(WrongKeyVersion):
        vault.decrypt(PLACE, token.replace("v1:", "v2:"))
    User.objects.all().delete()
    with pytest.raises(WrongKeyVersion):
        vault.decrypt(PLACE, token.replace("v1:", "v2:"))


@pytest.mark.django_db(transaction=True)
def test_within_one_moment_nothing_changes(alice: User) -> None:
    def change() -> None:
        User.objects.update(language="it")

    with one_moment():
        assert User.objects.get().language == "en"
        as_another_process(change)
        assert User.objects.get().language == "en"
    assert User.objects.get().language == "it"


@pytest.mark.django_db(transaction=True)
def test_within_one_moment_nothing_is_written(alice: User) -> None:
    with pytest.raises(InternalError, match="read-only"), one_moment():
        User.objects.update(language="it")
    User.objects.update(language="it")


def test_within_a_transaction_its_rules_hold(alice: User) -> None:
    with one_moment():
        User.objects.update(language="it")
    assert User.objects.get().language == "it"
