"""Every error of the accounts.

AccountError
├── KeyConfigurationError           the master keys cannot be used; names one by its position, never by its content
├── EncryptionError                 a key or a ciphertext cannot be decrypted
│   ├── MissingMasterKey            a user's key was wrapped by a master key that is not configured
│   ├── CorruptedKey                a wrapped key is damaged, or belongs to another user
│   ├── WrongKeyVersion             a ciphertext was made with another version of the user's key
│   └── CorruptedText               a ciphertext is damaged, or was moved to another place
├── CredentialsError                the credentials prove no one's identity
│   ├── LoginFailed                 no active account has this address and password
│   ├── PasskeyRefused              the answer to a sign-in with a passkey is not accepted
│   ├── InvalidCredentials          the token is forged, revoked, of the wrong kind, or of an inactive account
│   └── ExpiredCredentials          the token was valid and has expired
├── RotationUnderWay                another process is rotating this user's key
├── WrongPassword                   a signed-in user entered a wrong password
├── TooManyAttempts                 too many guesses of a password or a code; ``wait_s`` is how long to wait
├── AccountGone                     there is no account with this id, or it is being erased
├── AddressTaken                    an account with this address exists already
├── DeviceRemoved                   the user has removed the device with this id
├── TooManyDevices                  the user has the maximum number of devices, and needs all of them
├── DeviceUnfit                     a device's description of itself cannot be stored
├── PasskeysUnavailable             this server's address allows no passkeys
├── PasskeyUnfit                    a new passkey cannot be added
├── WrongPasskey                    a signed-in user confirmed something with a passkey that is not accepted
├── PasskeyNeeded                   a signed-in user must confirm this with a second factor, too
├── TooManyPasskeys                 the user has the maximum number of passkeys
├── UnknownPasskey                  the user has no passkey with this id
├── LastSignIn                      without this passkey the user could not sign in any more
├── AddressUnverified               the user must prove that the address is theirs before signing in
├── LinkInvalid                     a link has expired, was used, or was never issued
├── MailUnavailable                 this server sends no e-mail
├── UnknownSession                  the user has no session with this id
├── TooManyTokens                   the user has the maximum number of personal tokens
├── UnknownToken                    the user has no personal token with this id
├── NothingToDo                     what staff wanted to do is done already, or no longer possible
├── IdempotencyKeyInUse             the first request with this idempotency key is still running, or was cut off
├── IdempotencyKeyReused            this idempotency key belongs to another request
└── FactorError                     the user's second factors do not allow this
    ├── WrongCode                   the code is neither of an app nor a recovery code, or was used before
    ├── UnknownFactor               the user has no factor with this id, or it can no longer be confirmed
    ├── TooManyFactors              the user has the maximum number of apps
    ├── LastFactor                  staff must keep one factor
    ├── NoFactor                    without a second factor there are no recovery codes
    └── FactorsChanged              a first factor was added elsewhere meanwhile
"""

from typing import Final


class AccountError(Exception):
    """The account does not allow this."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class KeyConfigurationError(AccountError):
    """The master keys cannot be used."""


class EncryptionError(AccountError):
    """A key or an encrypted text cannot be decrypted."""


class MissingMasterKey(EncryptionError):
    """The key of this user was wrapped by a master key that is not configured."""

    def __init__(self, fingerprint: str) -> None:
        super().__init__(f"The master key with the fingerprint {fingerprint} is not configured.")
        self.fingerprint = fingerprint


class CorruptedKey(EncryptionError):
    """The wrapped key is damaged, or belongs to another user."""


class WrongKeyVersion(EncryptionError):
    """The text was encrypted with another version of the user's key."""

    def __init__(self, version: int) -> None:
        super().__init__(f"The text was encrypted with version {version} of the user's key.")
        self.version = version


class CorruptedText(EncryptionError):
    """The encrypted text is damaged, or does not belong to this place."""


KEY_ERRORS: Final = (MissingMasterKey, CorruptedKey, KeyConfigurationError)
"""A key cannot be decrypted, so nothing that it encrypts can be either."""


class RotationUnderWay(AccountError):
    """This user's key is being rotated already, by another process."""


class CredentialsError(AccountError):
    """The credentials are not valid."""


class LoginFailed(CredentialsError):
    """The address or the password is wrong."""


class PasskeyRefused(CredentialsError):
    """The passkey is not accepted, or it took too long: try again."""


class InvalidCredentials(CredentialsError):
    """The token is not valid."""


class ExpiredCredentials(CredentialsError):
    """The token has expired."""


class WrongPassword(AccountError):
    """The password is wrong."""


class TooManyAttempts(AccountError):
    """There were too many attempts: try again later."""

    def __init__(self, wait_s: float) -> None:
        super().__init__()
        self.wait_s = wait_s


class AccountGone(AccountError):
    """There is no such account."""


class AddressTaken(AccountError):
    """An account with this address exists already."""


class DeviceRemoved(AccountError):
    """This device was removed from the account."""


class TooManyDevices(AccountError):
    """This account has as many devices as it may have, and all are in use. Remove one, or connect again later."""


class DeviceUnfit(AccountError):
    """A device's id, platform and version may not contain null characters."""


class PasskeysUnavailable(AccountError):
    """This server has no host name, and without one there are no passkeys."""


class PasskeyUnfit(AccountError):
    """This passkey cannot be added: its answer is not valid, took too long, or is known already."""


class WrongPasskey(AccountError):
    """The passkey is not accepted, or it took too long: try again."""


class PasskeyNeeded(AccountError):
    """Confirm this with one of your passkeys, or with your password and a code of your app."""


class TooManyPasskeys(AccountError):
    """There are as many passkeys as there may be: remove one that is not used any more."""


class UnknownPasskey(AccountError):
    """There is no such passkey."""


class LastSignIn(AccountError):
    """This passkey is the only way to sign in: set a password or add another passkey first."""


class AddressUnverified(AccountError):
    """Open the link that was sent to this address, then sign in."""


class LinkInvalid(AccountError):
    """This link has expired or was used already: ask for another one."""


class MailUnavailable(AccountError):
    """This server sends no e-mail: ask its operator for a link."""


class UnknownSession(AccountError):
    """There is no such session."""


class TooManyTokens(AccountError):
    """There are as many personal tokens as there may be: revoke one that is not used any more."""


class UnknownToken(AccountError):
    """There is no such token."""


class NothingToDo(AccountError):
    """There is nothing to do here any more."""


class IdempotencyKeyInUse(AccountError):
    """The first request with this key is still running, or was cut off: what it did is not known."""


class IdempotencyKeyReused(AccountError):
    """This key belongs to another request. Use a new one for each request."""


class FactorError(AccountError):
    """Your second factors do not allow this."""


class WrongCode(FactorError):
    """This code is wrong, or was used already."""


class UnknownFactor(FactorError):
    """This is not one of your factors, or it took too long: start again."""


class TooManyFactors(FactorError):
    """You have as many apps as there may be: remove one that you do not use any more."""


class LastFactor(FactorError):
    """This is your only second factor: add another one first."""


class NoFactor(FactorError):
    """Add a second factor first."""


class FactorsChanged(FactorError):
    """Your account has a second factor already: sign in again and use it."""
