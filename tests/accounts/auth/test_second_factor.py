from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone as clock
from pytest_django import Settings

from accounts.auth.passkeys import register_passkey, registration_options
from accounts.auth.second_factor import (
    MAX_APPS,
    app_being_added,
    begin_app,
    check_code,
    confirm_app,
    factors_of,
    remove_factor,
    renew_recovery_codes,
    reset_second_factor,
)
from accounts.credential_models import AuthenticatorApp, Passkey, RecoveryCode
from accounts.erasure import forget
from accounts.errors import FactorsChanged, LastFactor, PasskeyUnfit, TooManyFactors, UnknownFactor, WrongCode
from accounts.export import export_account
from accounts.keys.rotation import rotate_user_key
from accounts.models import AuditEvent, User
from tests.accounts.authenticator import Authenticator
from tests.accounts.codes import code_of, passkey_of, with_app, wrong_code


@pytest.fixture
def required(settings: Settings) -> None:
    settings.STAFF_SECOND_FACTOR = "REQUIRED"


def test_an_app_counts_once_its_code_was_given(sam: User) -> None:
    app = begin_app(sam)
    with pytest.raises(WrongCode):
        confirm_app(sam, app.id, wrong_code(app.secret), name="", first=True)
    assert (factors_of(sam).apps, User.objects.get().second_factor_since) == ([], None)
    assert len(confirm_app(sam, app.id, code_of(app.secret), name="Phone", first=True)) == 10
    found = factors_of(sam)
    assert ([app.name for app in found.apps], found.recovery_codes) == (["Phone"], 10)
    assert User.objects.get().second_factor_since is not None
    assert list(AuditEvent.objects.values_list("actor", "action")) == [(sam.id, "add-authenticator-app")]


def test_a_code_works_once(sam: User) -> None:
    secret, _ = with_app(sam)
    following = code_of(secret, periods_ahead=1)
    check_code(sam, f"{following[:3]} {following[3:]}")
    for used in (following, code_of(secret)):
        with pytest.raises(WrongCode):
            check_code(sam, used)


@pytest.mark.parametrize("code", ["", "12345", "1234567", "١٢٣٤٥٦", "abcdef", "-12345", "\ud83c", "0" * 40])
def test_other_texts_are_no_codes(sam: User, code: str) -> None:
    with_app(sam)
    with pytest.raises(WrongCode):
        check_code(sam, code)


def test_one_users_code_is_not_anothers(sam: User, bob: User) -> None:
    secret, codes = with_app(sam)
    with_app(bob)
    for code in (code_of(secret, periods_ahead=1), codes[0]):
        with pytest.raises(WrongCode):
            check_code(bob, code)


def test_a_recovery_code_works_once_however_it_is_written(sam: User) -> None:
    _, codes = with_app(sam)
    check_code(sam, f" {codes[0].upper().replace('-', ' ')} ")
    with pytest.raises(WrongCode):
        check_code(sam, codes[0])
    assert factors_of(sam).recovery_codes == 9


def test_new_recovery_codes_end_the_older_ones(sam: User) -> None:
    _, codes = with_app(sam)
    new = renew_recovery_codes(sam)
    with pytest.raises(WrongCode):
        check_code(sam, codes[0])
    check_code(sam, new[0])


def test_the_database_holds_neither_secrets_nor_codes(sam: User) -> None:
    secret, codes = with_app(sam)
    stored: list[object] = []
    with connection.cursor() as cursor:
        for model in (AuthenticatorApp, RecoveryCode, User, AuditEvent):
            cursor.execute(f"SELECT * FROM {model._meta.db_table}")  # noqa: S608 - a name of ours
            stored += cursor.fetchall()
    for hidden in (secret, *codes, *(code.replace("-", "") for code in codes)):
        assert hidden not in str(stored)


def test_a_rotated_key_opens_the_secret(sam: User) -> None:
    secret, _ = with_app(sam)
    assert rotate_user_key(sam.id).finished
    check_code(sam, code_of(secret, periods_ahead=1))


def test_an_export_names_apps_but_no_secret(sam: User) -> None:
    secret, _ = with_app(sam)
    exported = "".join(export_account(sam.id))
    assert ("Phone" in exported, secret in exported) == (True, False)


@pytest.mark.django_db(transaction=True)
def test_erasing_leaves_no_factor(sam: User) -> None:
    with_app(sam)
    forget(sam.id)
    assert (AuthenticatorApp.objects.count(), RecoveryCode.objects.count()) == (0, 0)


def test_a_secret_is_shown_for_ten_minutes_and_to_its_user(sam: User, bob: User) -> None:
    app = begin_app(sam)
    assert app_being_added(sam, app.id) == app
    with pytest.raises(UnknownFactor):
        app_being_added(bob, app.id)
    AuthenticatorApp.objects.update(created_at=clock.now() - timedelta(minutes=11))
    with pytest.raises(UnknownFactor):
        confirm_app(sam, app.id, code_of(app.secret), name="", first=True)
    begin_app(sam)
    assert AuthenticatorApp.objects.count() == 1


def test_beginning_locks_the_user_before_it_deletes_apps(sam: User) -> None:
    """Adding a first factor deletes them, too: in another order each could wait for the other."""
    with CaptureQueriesContext(connection) as queries:
        begin_app(sam)
    statements = [query["sql"] for query in queries if "accounts_" in query["sql"]]
    assert statements[0].endswith("FOR NO KEY UPDATE")


def test_a_password_adds_only_the_first_factor(sam: User) -> None:
    mine, anothers = begin_app(sam), begin_app(sam)
    confirm_app(sam, mine.id, code_of(mine.secret), name="", first=True)
    with pytest.raises(FactorsChanged):
        confirm_app(sam, anothers.id, code_of(anothers.secret), name="", first=True)


def test_a_password_adds_none_beside_a_passkey(sam: User) -> None:
    passkey_of(sam)
    app = begin_app(sam)
    with pytest.raises(FactorsChanged):
        confirm_app(sam, app.id, code_of(app.secret), name="", first=True)


def test_what_a_password_asked_for_adds_no_passkey_after_the_first_factor(sam: User) -> None:
    options = registration_options(sam)
    with_app(sam)
    with pytest.raises(PasskeyUnfit):
        register_passkey(sam, Authenticator().create(options), name="A thief's")


def test_there_is_an_end_to_apps(sam: User) -> None:
    with_app(sam)
    for _ in range(MAX_APPS - 1):
        app = begin_app(sam)
        assert confirm_app(sam, app.id, code_of(app.secret), name="", first=False) == []
    with pytest.raises(TooManyFactors):
        begin_app(sam)


@pytest.mark.usefixtures("required")
def test_staff_who_must_have_one_keep_the_last(sam: User) -> None:
    with_app(sam)
    [app] = factors_of(sam).apps
    with pytest.raises(LastFactor):
        remove_factor(sam, app.id)
    passkey = passkey_of(sam)
    remove_factor(sam, app.id)
    with pytest.raises(LastFactor):
        remove_factor(sam, passkey.id)


def test_without_a_factor_there_are_no_recovery_codes(sam: User) -> None:
    with_app(sam)
    [app] = factors_of(sam).apps
    remove_factor(sam, app.id)
    sam.refresh_from_db()
    assert (factors_of(sam).recovery_codes, sam.second_factor_since) == (0, None)


def test_no_one_removes_anothers_factor(sam: User, bob: User) -> None:
    with_app(sam)
    [app] = factors_of(sam).apps
    with pytest.raises(UnknownFactor):
        remove_factor(bob, app.id)


def test_a_reset_removes_all_and_ends_all_sessions(sam: User) -> None:
    with_app(sam)
    passkey_of(sam)
    reset_second_factor(sam)
    sam.refresh_from_db()
    assert (sam.second_factor_since, sam.token_generation) == (None, 1)
    for model in (AuthenticatorApp, RecoveryCode, Passkey):
        assert not model.objects.exists()
