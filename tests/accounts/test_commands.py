import errno
import io
import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import Settings

from accounts import erasure
from accounts.auth.passwords import reset_password
from accounts.erasure import forget
from accounts.erasure_traces import ErasureTrace, traces_of
from accounts.errors import LinkInvalid
from accounts.keys import batch_renewal
from accounts.keys.rotation import rotate_user_key
from accounts.keys.vault import open_vault
from accounts.models import AuditEvent, User
from tests.accounts.events import event_about, made_events, reasons_about, versions_of

Said = tuple[str, str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Run a command; return its standard output and standard error."""

    def call(*arguments: str) -> Said:
        call_command(*arguments)
        return capsys.readouterr()

    return call


@pytest.fixture
def refused(run: Callable[..., Said], capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[str, list[str]]]:
    """Run a command that fails; return its error message and the lines on standard error before it."""

    def call(*arguments: str) -> tuple[str, list[str]]:
        with pytest.raises(CommandError) as error:
            run(*arguments)
        return str(error.value), capsys.readouterr().err.splitlines()

    return call


# rotate_keys


def test_rotate_keys_gives_one_user_a_new_key(alice: User, bob: User, run: Callable[..., Said]) -> None:
    reasons = made_events(alice, 3)
    said, progress = run("rotate_keys", "--user", " ALICE@example.com")
    assert said == "Encrypted 3 rows again, for 1 user.\n"
    assert progress == "Users counted: 1 of 1\nRows: 3 of 3\n"
    assert (versions_of(reasons), reasons_about(alice)) == ({"v2"}, reasons)
    assert [open_vault(user.id).versions for user in (alice, bob)] == [(2,), (1,)]


def test_rotate_keys_gives_every_user_a_new_key_except_closed_accounts(
    alice: User, bob: User, sam: User, run: Callable[..., Said]
) -> None:
    made_events(alice, 2)
    made_events(bob, 1)
    erasure._close(sam.id)
    said, progress = run("rotate_keys", "--all")
    assert said == "Encrypted 3 rows again, for 2 users.\n"
    assert progress == "Users counted: 2 of 2\nRows: 3 of 3\n"
    assert [open_vault(user.id).versions for user in (alice, bob)] == [(2,), (2,)]


def test_rotate_keys_dry_run_changes_nothing(alice: User, run: Callable[..., Said]) -> None:
    made_events(alice, 2)
    said, _ = run("rotate_keys", "--all", "--dry-run")
    assert "Would encrypt again: 2 rows of accounts_auditevent\n" in said
    assert said.endswith("Would give 1 user a new key. Nothing was changed.\n")
    assert run("rotate_keys", "--master", "--dry-run")[0] == (
        "Would wrap the keys of 0 users again. Nothing was changed.\n"
    )
    assert open_vault(alice.id).versions == (1,)


def test_rotate_keys_names_undecryptable_rows_and_fails(
    alice: User, bob: User, refused: Callable[..., tuple[str, list[str]]]
) -> None:
    bad = event_about(alice, "bad")
    AuditEvent.objects.filter(id=bad.id).update(reason_encrypted="v1:damaged")
    sentence, lines = refused("rotate_keys", "--all")
    assert sentence == "Everything named above was left as it was, and these users keep their older keys. Problems: 1."
    assert lines[-1] == (
        f"user {alice.id}: accounts_auditevent {bad.id}: "
        "The encrypted text is damaged, or does not belong to this place."
    )
    assert [open_vault(user.id).versions for user in (alice, bob)] == [(2, 1), (2,)]


def test_rotate_keys_reports_resumed_rotation(alice: User, run: Callable[..., Said]) -> None:
    made_events(alice, 1)
    rotate_user_key(alice.id, within_s=0)
    assert run("rotate_keys", "--user", alice.email)[0].splitlines() == [
        "Encrypted 1 row again, for 1 user.",
        "Resumed an earlier rotation for 1 user.",
    ]


def test_rotate_keys_master_wraps_keys_with_newest_master_key(
    alice: User, bob: User, run: Callable[..., Said], settings: Settings
) -> None:
    newest = Fernet.generate_key().decode()
    settings.MASTER_KEYS = f"{newest},{settings.MASTER_KEYS}"
    assert run("rotate_keys", "--master") == ("Wrapped the keys of 2 users again.\n", "Users: 2 of 2\n")
    settings.MASTER_KEYS = newest
    assert [open_vault(user.id).versions for user in (alice, bob)] == [(1,), (1,)]


def test_rotate_keys_names_users_whose_master_key_is_missing(
    alice: User, settings: Settings, refused: Callable[..., tuple[str, list[str]]]
) -> None:
    settings.MASTER_KEYS = Fernet.generate_key().decode()
    missing = f"The master key with the fingerprint {alice.master_key_id} is not configured."
    assert refused("rotate_keys", "--master") == (missing, ["Users: 0 of 1"])
    assert refused("rotate_keys", "--user", alice.email) == (f"No account can be found by its address: {missing}", [])
    assert refused("rotate_keys", "--user", str(alice.id)) == (
        "Everything named above was left as it was, and these users keep their older keys. Problems: 1.",
        ["Users counted: 1 of 1", f"user {alice.id}: {missing}"],
    )


def test_rotate_keys_without_any_master_key_fails(
    alice: User, settings: Settings, refused: Callable[..., tuple[str, list[str]]]
) -> None:
    settings.MASTER_KEYS = ""
    sentence, _ = refused("rotate_keys", "--master")
    assert sentence == "There is no master key: set ADIUVA_MASTER_KEYS to a Fernet key."


@pytest.mark.parametrize("command", [("rotate_keys", "--user"), ("forget_user", "--yes"), ("export_user",)])
def test_commands_report_unknown_address(
    db: None, command: tuple[str, ...], refused: Callable[..., tuple[str, list[str]]]
) -> None:
    assert refused(*command, "nobody@example.com")[0] == "There is no account with the address nobody@example.com."


@pytest.mark.parametrize("command", [("rotate_keys", "--user"), ("forget_user", "--yes")])
def test_commands_refuse_empty_address_and_change_nothing(
    alice: User, command: tuple[str, ...], refused: Callable[..., tuple[str, list[str]]]
) -> None:
    reasons = made_events(alice, 3)
    before = versions_of(reasons)
    assert refused(*command, "")[0] == "There is no account with the address “”."
    assert versions_of(reasons) == before


@pytest.mark.parametrize(
    "command",
    [("change_address", "alice@example.com", "new@example.com"), ("reset_second_factor", "alice@example.com")],
)
def test_commands_refuse_blank_reason(
    alice: User, command: tuple[str, ...], refused: Callable[..., tuple[str, list[str]]]
) -> None:
    said = "Error: argument --reason: it is empty: say why, for the record."
    assert refused(*command, "--reason", " ")[0] == said
    assert User.objects.get_by_natural_key("alice@example.com") == alice


@pytest.mark.parametrize("processes", ["0", "-3"])
def test_rotate_keys_refuses_fewer_than_one_process(
    db: None, processes: str, refused: Callable[..., tuple[str, list[str]]]
) -> None:
    assert refused("rotate_keys", "--all", "--processes", processes)[0] == "--processes must be 1 or more."


def test_interrupted_rotate_keys_resumes_on_next_run(
    alice: User,
    run: Callable[..., Said],
    refused: Callable[..., tuple[str, list[str]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reasons = made_events(alice, 2)

    def stop(*_arguments: object, **_named: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(batch_renewal, "_each", stop)
        assert refused("rotate_keys", "--all")[0] == (
            "Stopped. Nothing is lost: run the command again, and it goes on."
        )
    assert reasons_about(alice) == reasons
    assert run("rotate_keys", "--all")[0].startswith("Encrypted 2 rows again")


# forget_user


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_forget_user_erases_only_named_account(alice: User, bob: User, run: Callable[..., Said]) -> None:
    assert run("forget_user", "Alice@example.com", "--yes")[0] == (
        f"Erased 1 account.\nWhat files still hold of it, until they are written over: verify_erasure {alice.id}\n"
    )
    assert list(User.objects.all()) == [bob]


def test_forget_user_unfinished_deletes_old_erasure_traces(alice: User, run: Callable[..., Said]) -> None:
    forget(alice.id)
    run("forget_user", "--unfinished")
    assert traces_of(alice.id)
    ErasureTrace.objects.update(erased_at="2020-01-01T00:00:00Z")
    run("forget_user", "--unfinished")
    assert not traces_of(alice.id)


def test_forget_user_dry_run_changes_nothing(alice: User, run: Callable[..., Said]) -> None:
    said, _ = run("forget_user", alice.email, "--dry-run")
    assert said.endswith("Would erase 1 account. Nothing was changed.\n")
    assert open_vault(alice.id).versions == (1,)


def test_forget_user_asks_for_the_address_again(
    alice: User,
    run: Callable[..., Said],
    refused: Callable[..., tuple[str, list[str]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("yes\n"))
    assert refused("forget_user", alice.email)[0] == "That is another address. Nothing was changed."
    assert User.objects.get().is_active
    monkeypatch.setattr(sys, "stdin", Terminal(" ALICE@example.com\n"))
    run("forget_user", alice.email)
    assert not User.objects.exists()


def test_forget_user_without_terminal_requires_yes(
    alice: User, refused: Callable[..., tuple[str, list[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("alice@example.com\n"))
    assert "use --yes" in refused("forget_user", alice.email)[0]
    assert User.objects.get().is_active


def test_forget_user_unfinished_completes_interrupted_erasures(
    alice: User, bob: User, sam: User, run: Callable[..., Said]
) -> None:
    for user in (alice, bob):
        erasure._close(user.id)
    assert run("forget_user", "--unfinished", "--dry-run")[0].endswith("Would erase 2 accounts. Nothing was changed.\n")
    assert run("forget_user", "--unfinished")[0].startswith("Erased 2 accounts.\n")
    assert list(User.objects.all()) == [sam]


# export_user


def test_export_user_writes_json(alice: User, run: Callable[..., Said]) -> None:
    event_about(alice, "she asked for it")
    said, _ = run("export_user", alice.email)
    assert json.loads(said)["accounts_auditevent"][0]["reason"] == "she asked for it"


def test_export_user_writes_file_that_only_its_owner_can_read(
    alice: User, run: Callable[..., Said], tmp_path: Path
) -> None:
    file = tmp_path / "alice.json"
    assert run("export_user", alice.email, "--output", str(file))[0] == ""
    assert json.loads(file.read_text())["account"]["email"] == alice.email
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_export_user_does_not_overwrite_existing_file(
    alice: User, refused: Callable[..., tuple[str, list[str]]], tmp_path: Path
) -> None:
    file = tmp_path / "kept"
    file.write_text("kept")
    assert refused("export_user", alice.email, "--output", str(file))[0] == f"{file} cannot be made: File exists."
    assert file.read_text() == "kept"


def test_export_user_leaves_no_file_when_master_key_is_missing(
    alice: User, refused: Callable[..., tuple[str, list[str]]], tmp_path: Path, settings: Settings
) -> None:
    settings.MASTER_KEYS = Fernet.generate_key().decode()
    file = tmp_path / "alice.json"
    assert "is not configured" in refused("export_user", alice.email, "--output", str(file))[0]
    assert not file.exists()


def test_export_user_reports_full_disk(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def write(self, _text: str) -> NoReturn:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(CommandError, match=r"^The export cannot be written: No space left on device\.$"):
        call_command("export_user", alice.email)


# reset_password


def test_reset_password_prints_single_use_link_and_records_event(alice: User, run: Callable[..., Said]) -> None:
    said, advice = run("reset_password", " ALICE@example.com")
    assert said.startswith("http://127.0.0.1:8000/account/password/")
    assert advice == "The link works once, within 60 minutes. It ends all sessions of the account.\n"
    token = said.strip().rpartition("/")[2]
    reset_password(token, "another fine passphrase")
    with pytest.raises(LinkInvalid):
        reset_password(token, "yet another passphrase")
    assert AuditEvent.objects.filter(action="issue-reset-link", subject_id=alice.id, actor=None).count() == 1
    assert token not in str(list(AuditEvent.objects.values()))


def test_reset_password_refuses_unknown_and_inactive_accounts(
    alice: User, refused: Callable[..., tuple[str, list[str]]]
) -> None:
    User.objects.update(is_active=False)
    assert refused("reset_password", "alice@example.com")[0] == "This account is deactivated: activate it first."
    assert refused("reset_password", "bob@example.com")[0].startswith("There is no account")
    assert not AuditEvent.objects.exists()


def test_reset_password_makes_no_link_when_address_cannot_be_decrypted(
    alice: User, refused: Callable[..., tuple[str, list[str]]]
) -> None:
    User.objects.update(email_encrypted="damaged")
    assert refused("reset_password", "alice@example.com")[0].startswith("No link can be made. The encrypted text")
    assert not AuditEvent.objects.exists()


def test_reset_password_states_link_lifetime(alice: User, run: Callable[..., Said], settings: Settings) -> None:
    settings.PASSWORD_RESET_TIMEOUT = 60
    assert "within 1 minute." in run("reset_password", "alice@example.com")[1]
