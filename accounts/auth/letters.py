"""The texts of e-mail, in the user's language, as plain text."""

from dataclasses import dataclass
from typing import Final

from django.conf import settings

from accounts.auth.links import Purpose, link_to_page
from accounts.auth.mail import Letter
from accounts.models import User
from accounts.translations import gettext_noop, translations


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """A subject and a first sentence, in English, for gettext."""

    subject: str
    sentence: str


SIGN_IN: Final = Text(
    subject=gettext_noop("New sign-in to your account"),
    sentence=gettext_noop("Someone signed in to your account with a client that was not used before: {client}."),
)
UNNAMED_CLIENT: Final = gettext_noop("a client without a name")
DEVICE: Final = Text(
    subject=gettext_noop("New device in your account"),
    sentence=gettext_noop("A device that is new to your account has connected."),
)
PASSWORD_CHANGED: Final = Text(
    subject=gettext_noop("Your password was changed"),
    sentence=gettext_noop("The password of your account was changed. All other sessions were signed out."),
)
PASSKEY_ADDED: Final = Text(
    subject=gettext_noop("A passkey was added to your account"),
    sentence=gettext_noop("A new passkey can now sign in to your account."),
)
PASSKEY_REMOVED: Final = Text(
    subject=gettext_noop("A passkey was removed from your account"),
    sentence=gettext_noop("A passkey of your account can no longer sign in."),
)
PASSKEY_COPIED: Final = Text(
    subject=gettext_noop("A passkey of your account was refused"),
    sentence=gettext_noop("A sign-in was refused because its passkey may have been copied. Remove this passkey."),
)
TOKEN_CREATED: Final = Text(
    subject=gettext_noop("A personal token was created"),
    sentence=gettext_noop("A program can now use your account with a new personal token."),
)
REPLAYED: Final = Text(
    subject=gettext_noop("A session of your account was ended"),
    sentence=gettext_noop(
        "A token of this session was used twice, so someone may have copied it. The session was signed out."
    ),
)
SECOND_FACTOR: Final = Text(
    subject=gettext_noop("Your second factor was changed"),
    sentence=gettext_noop("A second factor of your account was added, removed or reset."),
)
EXPORTED: Final = Text(
    subject=gettext_noop("Your data was downloaded"),
    sentence=gettext_noop("Someone who is signed in to your account downloaded everything that is stored of you."),
)
ERASED: Final = Text(
    subject=gettext_noop("Your account was deleted"),
    sentence=gettext_noop("Your account and everything stored in it was deleted. This cannot be undone."),
)


def notice(user: User, text: Text, *, client: str = "") -> Letter:
    """Tells the user that something happened, and what to do if it was someone else."""
    say = translations(user.language).gettext
    advice = say(
        "If this was you, there is nothing to do. If it was not, reset your password at once, which ends all sessions: "
        "{address}"
    ).format(address=f"{settings.PUBLIC_URL}/account/forgotten")
    sentence = say(text.sentence).format(client=client or say(UNNAMED_CLIENT))
    return _letter(user.email, user.language, subject=say(text.subject), paragraphs=[sentence, advice])


def farewell(address: str, language: str) -> Letter:
    """Tells the former user that the account was deleted."""
    say = translations(language).gettext
    return _letter(address, language, subject=say(ERASED.subject), paragraphs=[say(ERASED.sentence)])


def reset_letter(user: User) -> Letter:
    """The link that sets a new password."""
    say = translations(user.language).gettext
    return _letter(
        user.email,
        user.language,
        subject=say("Reset your password"),
        paragraphs=[
            say("Open this page to choose a new password:"),
            link_to_page(user, Purpose.RESET),
            _validity(user.language),
            say("If you did not ask for it, ignore this message. Your password stays as it is."),
        ],
    )


def verification_letter(user: User) -> Letter:
    """The link that verifies the address."""
    say = translations(user.language).gettext
    return _letter(
        user.email,
        user.language,
        subject=say("Confirm your address"),
        paragraphs=[
            say("Open this page to confirm that this address is yours:"),
            link_to_page(user, Purpose.VERIFY),
            _validity(user.language),
            say("If you have no account here, ignore this message."),
        ],
    )


def _validity(language: str) -> str:
    minutes = settings.PASSWORD_RESET_TIMEOUT // 60
    return (
        translations(language)
        .ngettext(
            "The link works once, within {number} minute.", "The link works once, within {number} minutes.", minutes
        )
        .format(number=minutes)
    )


def _letter(to: str, language: str, *, subject: str, paragraphs: list[str]) -> Letter:
    greeting, regards = translations(language).gettext("Hello,"), "Adiuva"
    return Letter(to=to, subject=f"Adiuva: {subject}", body="\n\n".join([greeting, *paragraphs, regards]) + "\n")
