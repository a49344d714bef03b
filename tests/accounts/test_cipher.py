import subprocess
import sys
from uuid import UUID, uuid4

import pytest
from cryptography.fernet import Fernet
from hypothesis import assume, given
from hypothesis import strategies as st

from accounts.cipher import (
    MasterKeys,
    Place,
    UserKey,
    WrappedKey,
    decrypt,
    encrypt,
    fingerprint,
    key_version,
    new_user_key,
    renew,
)
from accounts.errors import CorruptedKey, CorruptedText, KeyConfigurationError, MissingMasterKey, WrongKeyVersion

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()
KEY = new_user_key()

any_text = st.text(st.characters())  # half surrogate pairs and NUL included
places = st.builds(Place, table=any_text, column=any_text, row_id=st.uuids())


def test_cipher_imports_neither_django_nor_asyncio() -> None:
    loaded = (
        "import sys, accounts.cipher; print([m for m in ('django', 'asyncio', 'rest_framework') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout == "[]\n"


def test_master_keys_are_parsed_newest_first() -> None:
    keys = MasterKeys.parse(f" {NEW} ,{OLD}\n")
    assert [key.secret.decode() for key in keys.keys] == [NEW, OLD]
    assert keys.newest.secret.decode() == NEW


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is no master key: set ADIUVA_MASTER_KEYS to a Fernet key."),
        (" \n", "There is no master key: set ADIUVA_MASTER_KEYS to a Fernet key."),
        ("hunter2", "Master key 1 of 1 in ADIUVA_MASTER_KEYS is not a Fernet key (32 bytes in URL-safe base64)."),
        (f"{NEW},", "Master key 2 of 2 in ADIUVA_MASTER_KEYS is not a Fernet key (32 bytes in URL-safe base64)."),
        (
            f"{NEW},{OLD[:-1]}",
            "Master key 2 of 2 in ADIUVA_MASTER_KEYS is not a Fernet key (32 bytes in URL-safe base64).",
        ),
        (f"!{NEW}", "Master key 1 of 1 in ADIUVA_MASTER_KEYS is not a Fernet key (32 bytes in URL-safe base64)."),
        ("€" * 44, "Master key 1 of 1 in ADIUVA_MASTER_KEYS is not a Fernet key (32 bytes in URL-safe base64)."),
        (f"{NEW},{OLD},{NEW}", "Master key 3 of 3 in ADIUVA_MASTER_KEYS repeats master key 1."),
    ],
    # Keys are random, and every test process must use the same ids.
    ids=["empty", "blank", "not a key", "trailing comma", "truncated", "wrong alphabet", "not ASCII", "repeated"],
)
def test_invalid_master_keys_are_named_by_position_without_their_content(text: str, sentence: str) -> None:
    with pytest.raises(KeyConfigurationError) as refused:
        MasterKeys.parse(text)
    assert str(refused.value) == sentence


def test_fingerprint_is_stable_and_differs_between_keys() -> None:
    assert fingerprint(b"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=") == "86cb93bead24c00b"
    assert fingerprint(OLD.encode()) != fingerprint(NEW.encode())


def test_repr_shows_no_key() -> None:
    keys = MasterKeys.parse(NEW)
    wrapped = keys.wrap(KEY, user_id=uuid4())
    assert repr(KEY) == "UserKey(version=1)"
    assert repr(keys) == f"MasterKeys(keys=(MasterKey(id='{keys.newest.id}'),))"
    assert repr(wrapped) == f"WrappedKey(master_key_id='{keys.newest.id}')"


@given(user_id=st.uuids(), version=st.integers(1, 10**6))
def test_wrapping_and_unwrapping_returns_same_key(user_id: UUID, version: int) -> None:
    key = new_user_key(version=version)
    keys = MasterKeys.parse(NEW)
    assert keys.unwrap(keys.wrap(key, user_id=user_id), user_id=user_id, version=version) == key


def test_key_wrapped_with_older_master_key_can_be_unwrapped() -> None:
    alice = uuid4()
    wrapped = MasterKeys.parse(OLD).wrap(KEY, user_id=alice)
    assert MasterKeys.parse(f"{NEW},{OLD}").unwrap(wrapped, user_id=alice, version=1) == KEY


def test_unwrapping_without_master_key_reports_its_fingerprint() -> None:
    alice = uuid4()
    wrapped = MasterKeys.parse(OLD).wrap(KEY, user_id=alice)
    with pytest.raises(MissingMasterKey) as missing:
        MasterKeys.parse(NEW).unwrap(wrapped, user_id=alice, version=1)
    assert missing.value.fingerprint == fingerprint(OLD.encode())
    assert str(missing.value) == f"The master key with the fingerprint {wrapped.master_key_id} is not configured."


@given(alice=st.uuids(), bob=st.uuids(), version=st.integers(1, 99), other=st.integers(1, 99))
def test_key_wrapped_for_another_user_or_version_is_refused(alice: UUID, bob: UUID, version: int, other: int) -> None:
    assume((alice, version) != (bob, other))
    keys = MasterKeys.parse(NEW)
    wrapped = keys.wrap(new_user_key(version=version), user_id=alice)
    with pytest.raises(CorruptedKey):
        keys.unwrap(wrapped, user_id=bob, version=other)


@given(data=st.data())
def test_tampered_wrapped_key_is_refused(data: st.DataObject) -> None:
    alice = uuid4()
    keys = MasterKeys.parse(NEW)
    wrapped = keys.wrap(KEY, user_id=alice)
    tampered = WrappedKey(token=_tampered(data, wrapped.token), master_key_id=wrapped.master_key_id)
    with pytest.raises(CorruptedKey) as refused:
        keys.unwrap(tampered, user_id=alice, version=1)
    assert str(refused.value) == "The wrapped key is damaged, or belongs to another user."


def test_encrypted_text_is_not_accepted_as_wrapped_key() -> None:
    """Even if the text is a key and is encrypted with the master key itself."""
    alice = uuid4()
    keys = MasterKeys.parse(NEW)
    as_user_key = UserKey(version=1, secret=NEW.encode())
    token = encrypt(as_user_key, Place(table="user key", column=str(alice), row_id=alice), KEY.secret.decode())
    with pytest.raises(CorruptedKey):
        keys.unwrap(WrappedKey(token=token.removeprefix("v1:"), master_key_id=keys.newest.id), user_id=alice, version=1)


@given(place=places, plaintext=any_text, version=st.integers(1, 10**9 - 1))
def test_encrypting_and_decrypting_returns_same_text(place: Place, plaintext: str, version: int) -> None:
    key = UserKey(version=version, secret=KEY.secret)
    token = encrypt(key, place, plaintext)
    assert decrypt(key, place, token) == plaintext
    assert key_version(token) == version
    assert token.startswith(f"v{version}:")


@given(here=places, there=places, plaintext=any_text)
def test_text_moved_to_another_place_is_refused(here: Place, there: Place, plaintext: str) -> None:
    assume(here != there)
    token = encrypt(KEY, here, plaintext)
    with pytest.raises(CorruptedText):
        decrypt(KEY, there, token)


@pytest.mark.parametrize("moved", ["table", "column", "row_id"])
def test_text_is_bound_to_table_column_and_row(moved: str) -> None:
    here = {"table": "memory_core", "column": "value", "row_id": uuid4()}
    there = {**here, moved: uuid4() if moved == "row_id" else "elsewhere"}
    token = encrypt(KEY, Place(**here), "prefers mornings")  # type: ignore[arg-type]
    with pytest.raises(CorruptedText):
        decrypt(KEY, Place(**there), token)  # type: ignore[arg-type]


@given(data=st.data(), plaintext=any_text)
def test_tampered_text_is_refused(data: st.DataObject, plaintext: str) -> None:
    place = Place(table="notes", column="content", row_id=uuid4())
    token = encrypt(KEY, place, plaintext)
    tampered = "v1:" + _tampered(data, token.removeprefix("v1:"))
    with pytest.raises(CorruptedText) as refused:
        decrypt(KEY, place, tampered)
    assert str(refused.value) == "The encrypted text is damaged, or does not belong to this place."


def test_text_encrypted_with_another_users_key_is_refused() -> None:
    place = Place(table="notes", column="content", row_id=uuid4())
    with pytest.raises(CorruptedText):
        decrypt(new_user_key(), place, encrypt(KEY, place, "mine"))


def test_text_of_another_key_version_is_refused_with_its_version() -> None:
    place = Place(table="notes", column="content", row_id=uuid4())
    with pytest.raises(WrongKeyVersion) as refused:
        decrypt(new_user_key(version=2), place, encrypt(KEY, place, "old"))
    assert refused.value.version == 1


@pytest.mark.parametrize("token", ["", "v1", "v1:", "v0:gAAA", "v01:gAAA", "V1:gAAA", "v١:gAAA", "gAAA"])
def test_text_without_valid_version_is_corrupted(token: str) -> None:
    with pytest.raises(CorruptedText):
        key_version(token)
    with pytest.raises(CorruptedText):
        decrypt(KEY, Place(table="t", column="c", row_id=uuid4()), token)


@pytest.mark.parametrize("token", ["v1:gA AA", "v1:gAAA\n", "v1:gAAA:gAAA", "v1:gAAé", "v1:+///"])
def test_text_that_is_not_base64_is_corrupted(token: str) -> None:
    with pytest.raises(CorruptedText):
        decrypt(KEY, Place(table="t", column="c", row_id=uuid4()), token)


@given(place=places, plaintext=any_text, version=st.integers(1, 99))
def test_renewed_text_decrypts_with_new_key_in_same_place(place: Place, plaintext: str, version: int) -> None:
    new = new_user_key(version=version)
    text, token = renew(KEY, new, place, encrypt(KEY, place, plaintext))
    assert text.decode("utf-8", "surrogatepass") == plaintext
    assert decrypt(new, place, token) == plaintext


@given(here=places, there=places, plaintext=any_text)
def test_text_moved_to_another_place_is_not_renewed(here: Place, there: Place, plaintext: str) -> None:
    assume(here != there)
    with pytest.raises(CorruptedText):
        renew(KEY, new_user_key(version=2), there, encrypt(KEY, here, plaintext))


def test_text_of_another_key_version_is_not_renewed() -> None:
    place = Place(table="notes", column="content", row_id=uuid4())
    with pytest.raises(WrongKeyVersion):
        renew(new_user_key(version=2), new_user_key(version=3), place, encrypt(KEY, place, "old"))


@given(number=st.integers(0, 400), data=st.data())
def test_non_canonical_base64_is_refused(number: int, data: st.DataObject) -> None:
    """A lenient decoder would read the same bytes, so a changed token would go unnoticed."""
    place = Place(table="notes", column="content", row_id=uuid4())
    token = encrypt(KEY, place, "x" * number).removeprefix("v1:")
    position = data.draw(st.integers(0, len(token)))
    other = data.draw(st.sampled_from([token[:position] + junk + token[position:] for junk in "=\n-A ~"]))
    last = token.rstrip("=")
    others = [other, *(last[:-1] + each + token[len(last) :] for each in "ABCDQgw048_-" if each != last[-1])]
    for text in others:
        with pytest.raises(CorruptedText):
            decrypt(KEY, place, f"v1:{text}")


def test_encrypting_same_text_twice_gives_different_tokens() -> None:
    place = Place(table="notes", column="content", row_id=uuid4())
    assert encrypt(KEY, place, "same") != encrypt(KEY, place, "same")


def test_stored_formats_remain_decryptable() -> None:
    """The formats are permanent: all of these must remain decryptable."""
    owner = UUID(int=1)
    wrapped = WrappedKey(
        token=(
            "gAAAAABrAXiKfOhnLvwt6HEIMH0908A8zpTNHqNCA-U_leJ79LJMUMDL-mzL-GPwe_sVpwzFho6hxQzvfw8pjKjfUIR8x5qkUI-gmLxa3hdql"
            "817cSPegRkowpFtbiAG13mS2Bt3NlpcHuCeJAKFEYaHgE55Mh_QoQEKMsbtuowGvd04hhScK7v0z5JrtzntqgAYJW806jC1pSqKlw3pDoLjGi"
            "8aHD0dGA=="
        ),
        master_key_id="86cb93bead24c00b",
    )
    token = (
        "v3:gAAAAABrAXiKF3Nb_D2J1ObcL_98otT2m8w39XmtIQ3vWJ_DYn5kDAk29WZlTzmQolLo8U6NQ5IKmWPe-dNbnWmygTFaJfFB4x0-WV5Peu2hOc"
        "SZ7KAD8EPtsEbXNUdgDXMOwlR_yGjTtH_DpguvUqfly0cKDyu9TK8JdQcRjQYXHA7nSc_s5n8X5w72P7_bJ28-fvaQs4bx"
    )
    master_keys = MasterKeys.parse("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
    key = master_keys.unwrap(wrapped, user_id=owner, version=3)
    assert key == UserKey(version=3, secret=b"ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=")
    place = Place(table="memory_memorycore", column="value_encrypted", row_id=owner)
    assert decrypt(key, place, token) == "città"


def _tampered(data: st.DataObject, token: str) -> str:
    """The token with one character replaced, removed or inserted."""
    position = data.draw(st.integers(0, len(token) - 1))
    character = data.draw(st.sampled_from("ABCXYZabcxyz0189-_=é"))
    before, after = token[:position], token[position:]
    changed = data.draw(
        st.sampled_from([before + character + after[1:], before + after[1:], before + character + after])
    )
    assume(changed != token)
    return changed
