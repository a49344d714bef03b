"""Arguments, environment and prompts for what is missing."""

from pathlib import Path

import pytest

from device.addresses import server_address
from device.errors import UsageError
from device.options import Options, check_message, read_options
from device.verdicts import Approval


def test_options_by_themselves_are_the_demo_account_here() -> None:
    assert read_options([], {}) == Options(
        server=server_address("http://127.0.0.1:8000"),
        email="demo@adiuva.local",
        password="adiuva-demo-2026",
        data=Path("var/device.sqlite3"),
        popup=None,
        approval=Approval.ASK,
        wait_s=120.0,
        message=None,
    )


def test_options_take_what_is_given() -> None:
    arguments = ["--server", "https://adiuva.example.com/", "--email", "a@b.c", "--password", "p", "--data", "x.db"]
    assert read_options(
        [*arguments, "--popup", "note", "--approve", "never", "--wait", "7.5", "What", "is this?"],
        {"ADIUVA_EMAIL": "no"},
    ) == Options(
        server=server_address("https://adiuva.example.com"),
        email="a@b.c",
        password="p",
        data=Path("x.db"),
        popup="note",
        approval=Approval.NEVER,
        wait_s=7.5,
        message="What is this?",
    )


def test_options_come_from_the_environment() -> None:
    options = read_options(["hi"], {"ADIUVA_EMAIL": "a@b.c", "ADIUVA_PASSWORD": "p", "ADIUVA_DATA_DIR": "~/here"})
    assert (options.email, options.password) == ("a@b.c", "p")
    assert options.data == Path.home() / "here" / "device.sqlite3"


def test_options_do_not_show_the_password() -> None:
    assert "adiuva-demo-2026" not in repr(read_options([], {}))


_DEMO = "the demo account is for a server on this machine."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--server", "https://a.example"],
            f"https://a.example needs an account (--email or ADIUVA_EMAIL); {_DEMO}",
        ),
        (
            ["--server", "https://a.example", "--email", "demo@adiuva.local"],
            f"https://a.example needs a password (--password or ADIUVA_PASSWORD); {_DEMO}",
        ),
        (
            ["--email", "alice@example.com"],
            f"http://127.0.0.1:8000 needs a password (--password or ADIUVA_PASSWORD); {_DEMO}",
        ),
        (["--server", "nowhere"], "'nowhere' is not the address of a server, such as http://127.0.0.1:8000."),
        (["--popup", "task"], "--popup needs a message; in a conversation, write /popup TYPE MESSAGE."),
        (["--wait=-1"], "--wait is a number of seconds, 0 or more."),
        (["--wait", "inf"], "--wait is a number of seconds, 0 or more."),
        (["--wait", "nan"], "--wait is a number of seconds, 0 or more."),
        ([" "], "The message is empty."),
        (["caf\udce9"], "The message is not valid text: it holds bytes that are no characters."),
    ],
)
def test_options_that_make_no_sense_are_refused(arguments: list[str], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_options(arguments, {})
    assert str(refused.value) == sentence


def test_message_of_any_language_is_fine() -> None:
    check_message("Perché? 日本 🙂")
