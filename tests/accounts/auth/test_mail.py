import logging
import smtplib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.auth import mail
from accounts.auth.mail import Email, Outbox, deliver
from tests.accounts.mail_servers import PASSWORD, USER, Mailbox, certificate, mail_server

LETTER = Email(to="alice@example.com", subject="Adiuva: è arrivato", body="Cos'è?\n")


@pytest.fixture
def smtp(settings: Settings) -> Callable[..., None]:
    """Sends by the mail server on this port of loopback."""

    def use(port: int, *, starttls: bool = False, tls: bool = False, user: str = "", password: str = "") -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL = starttls, tls
        settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = user, password

    return use


@pytest.fixture
def plain(smtp: Callable[..., None]) -> Iterator[Mailbox]:
    """A mail server without TLS, which is in use."""
    with mail_server() as box:
        smtp(box.port)
        yield box


# Handing over


def test_letter_is_plain_text_that_no_machine_answers(plain: Mailbox, settings: Settings) -> None:
    settings.DEFAULT_FROM_EMAIL = "Adiuva <no-reply@example.com>"
    deliver(LETTER)
    [letter] = plain.letters
    assert (letter["To"], letter["From"]) == ("alice@example.com", "Adiuva <no-reply@example.com>")
    assert (letter["Subject"], letter.get_content_type()) == ("Adiuva: è arrivato", "text/plain")
    assert (letter.get_content().strip(), letter["Auto-Submitted"]) == ("Cos'è?", "auto-generated")


@pytest.mark.parametrize("implicit", [False, True])
def test_letter_goes_by_tls_with_a_sign_in(
    smtp: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, implicit: bool
) -> None:
    context, authority = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with mail_server(tls=context, implicit=implicit) as box:
        if implicit:
            smtp(box.port, tls=True)
        else:
            smtp(box.port, starttls=True, user=USER, password=PASSWORD)
        deliver(LETTER)
        assert box.encrypted == [True]


@pytest.mark.parametrize("implicit", [False, True])
def test_letter_does_not_go_to_a_server_that_no_one_vouches_for(
    smtp: Callable[..., None], tmp_path: Path, implicit: bool
) -> None:
    context, _ = certificate(tmp_path)
    with mail_server(tls=context, implicit=implicit) as box:
        smtp(box.port, starttls=not implicit, tls=implicit)
        with pytest.raises(OSError, match="certificate verify failed"):
            deliver(LETTER)
        assert box.letters == []


def test_letter_does_not_go_in_the_clear_where_tls_is_wanted(smtp: Callable[..., None], plain: Mailbox) -> None:
    smtp(plain.port, starttls=True)
    with pytest.raises(smtplib.SMTPNotSupportedError):
        deliver(LETTER)
    assert plain.letters == []


# In the background


class Sender:
    """Takes the place of the mail server: fails with these errors, then delivers."""

    def __init__(self, *errors: Exception) -> None:
        self._errors, self.sent, self.tried = list(errors), list[Email](), 0

    def __call__(self, letter: Email) -> None:
        self.tried += 1
        if self._errors:
            raise self._errors.pop(0)
        self.sent.append(letter)


@pytest.fixture
def sending(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Sender]:
    def use(*errors: Exception) -> Sender:
        sender = Sender(*errors)
        monkeypatch.setattr(mail, "deliver", sender)
        return sender

    return use


def ended(outbox: Outbox) -> None:
    """Wait until nothing waits and no thread is left."""
    thread = outbox._thread
    if thread is not None:
        thread.join(30)


def test_letter_is_sent_in_another_thread(plain: Mailbox) -> None:
    outbox, writer = Outbox(), list[int]()

    def write() -> Email:
        writer.append(threading.get_ident())
        return LETTER

    outbox.post(write, kind="test")
    ended(outbox)
    assert [letter["To"] for letter in plain.letters] == ["alice@example.com"]
    assert writer != [threading.get_ident()]


def test_nothing_is_sent_where_there_is_nothing_to_say(sending: Callable[..., Sender]) -> None:
    sender, outbox = sending(), Outbox()
    outbox.post(lambda: None, kind="test")
    ended(outbox)
    assert sender.tried == 0


def test_letter_is_tried_again_and_the_log_names_no_one(
    sending: Callable[..., Sender], caplog: pytest.LogCaptureFixture
) -> None:
    refused = smtplib.SMTPRecipientsRefused({"alice@example.com": (450, b"alice@example.com is busy")})
    sender = sending(ConnectionRefusedError("alice"), refused, smtplib.SMTPServerDisconnected())
    outbox = Outbox(pauses_s=(0, 0, 0))
    with caplog.at_level(logging.DEBUG):
        outbox.post(lambda: LETTER, kind="reset")
        ended(outbox)
    assert (sender.tried, sender.sent) == (4, [LETTER])
    assert [record.getMessage() for record in caplog.records] == [
        "an e-mail (reset) could not be sent: ConnectionRefusedError; attempt 1",
        "an e-mail (reset) could not be sent: SMTPRecipientsRefused; attempt 2",
        "an e-mail (reset) could not be sent: SMTPServerDisconnected; attempt 3",
    ]


def test_letter_is_given_up_after_the_last_attempt(
    sending: Callable[..., Sender], caplog: pytest.LogCaptureFixture
) -> None:
    sender, outbox = sending(*[ConnectionRefusedError()] * 5), Outbox(pauses_s=(0, 0))
    outbox.post(lambda: LETTER, kind="reset")
    ended(outbox)
    assert sender.tried == 3
    assert caplog.records[-1].levelno == logging.ERROR


@pytest.mark.parametrize(
    ("error", "tries"),
    [
        (smtplib.SMTPRecipientsRefused({"alice@example.com": (550, b"unknown")}), 1),
        (smtplib.SMTPDataError(554, b"no"), 1),
        (smtplib.SMTPDataError(451, b"later"), 2),
        (smtplib.SMTPAuthenticationError(535, b"no"), 2),
    ],
)
def test_what_a_mail_server_refuses_for_good_is_not_tried_again(
    sending: Callable[..., Sender], error: Exception, tries: int
) -> None:
    sender, outbox = sending(error), Outbox(pauses_s=(0, 0))
    outbox.post(lambda: LETTER, kind="reset")
    ended(outbox)
    assert sender.tried == tries


def test_others_do_not_wait_behind_a_letter_that_fails(sending: Callable[..., Sender]) -> None:
    sender, outbox = sending(ConnectionRefusedError()), Outbox(pauses_s=(600,))
    for _ in range(2):
        outbox.post(lambda: LETTER, kind="test")
    outbox.settle(30)
    assert (sender.tried, sender.sent) == (2, [LETTER])


def test_letters_that_have_no_room_are_dropped(
    sending: Callable[..., Sender], caplog: pytest.LogCaptureFixture
) -> None:
    sender, outbox = sending(ConnectionRefusedError(), ConnectionRefusedError()), Outbox(pauses_s=(600,), room=2)
    for _ in range(3):
        outbox.post(lambda: LETTER, kind="test")
        outbox.settle(30)
    assert (sender.tried, caplog.records[-1].getMessage()) == (2, "an e-mail (test) was dropped: 2 wait")


def test_one_address_gets_a_bounded_number_of_letters(
    sending: Callable[..., Sender], rates: Callable[..., None]
) -> None:
    rates(mail="2/d")
    sender, outbox = sending(), Outbox()
    for to in ("alice@example.com", "Alice@example.com", "ALICE@example.com", "bob@example.com"):
        outbox.post(lambda to=to: Email(to=to, subject="", body=""), kind="test")  # type: ignore[misc]
    ended(outbox)
    assert [letter.to for letter in sender.sent] == ["alice@example.com", "Alice@example.com", "bob@example.com"]


def test_letters_of_one_kind_keep_none_of_another_away(
    sending: Callable[..., Sender], rates: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    rates(mail="1/d")
    sender, outbox = sending(), Outbox()
    for kind in ("reset", "reset", "change-password"):
        outbox.post(lambda: LETTER, kind=kind)
    ended(outbox)
    assert sender.sent == [LETTER, LETTER]
    assert [record.getMessage() for record in caplog.records] == [
        "an e-mail (reset) was dropped: its address has had as many as it may"
    ]


def test_another_attempt_does_not_count_as_another_letter(
    sending: Callable[..., Sender], rates: Callable[..., None]
) -> None:
    rates(mail="1/d")
    sender, outbox = sending(ConnectionRefusedError()), Outbox(pauses_s=(0,))
    outbox.post(lambda: LETTER, kind="test")
    ended(outbox)
    assert sender.sent == [LETTER]


def test_command_waits_for_what_it_posted(
    sending: Callable[..., Sender], monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.MAIL_ENABLED = True
    sender, outbox = sending(), Outbox()
    monkeypatch.setattr(mail, "outbox", lambda: outbox)
    outbox.post(lambda: LETTER, kind="test")
    mail.send_now()
    assert sender.sent == [LETTER]


async def test_letters_are_sent_before_the_process_ends(sending: Callable[..., Sender]) -> None:
    sender, outbox = sending(), Outbox()
    outbox.begin()
    outbox.post(lambda: LETTER, kind="test")
    await outbox.aclose()
    assert sender.sent == [LETTER]


def test_server_that_does_not_answer_costs_no_more_than_the_time_out(
    smtp: Callable[..., None], settings: Settings
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        smtp(silent.getsockname()[1])
        settings.EMAIL_TIMEOUT = 0.05
        with pytest.raises(OSError, match="timed out"):
            deliver(LETTER)
