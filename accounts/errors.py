"""Every error of the accounts.

AccountError
├── KeyConfigurationError           the master keys cannot be used; names one by its position, never by its content
├── EncryptionError                 a key or a ciphertext cannot be decrypted
│   ├── MissingMasterKey            a user's key was wrapped by a master key that is not configured
│   ├── CorruptedKey                a wrapped key is damaged, or another user's
│   ├── WrongKeyVersion             a ciphertext was made with another version of the user's key
│   └── CorruptedText               a ciphertext is damaged, or was moved to another place
├── CredentialsError                the credentials prove no one's identity
│   ├── LoginFailed                 no active account has this address and password
│   ├── InvalidCredentials          the token is forged, revoked, of the wrong kind, or of an inactive account
│   └── ExpiredCredentials          the token was valid and has expired
├── RotationUnderWay                another process is rotating this user's key
├── WrongPassword                   a signed-in user entered a wrong password
├── AccountGone                     there is no account with this id, or no longer
├── AddressTaken                    an account with this address exists already
├── DeviceRemoved                   the user has removed the device with this id
├── DeviceUnfit                     a device's description of itself cannot be stored
├── TooManyTokens                   the user has the maximum number of personal tokens
└── UnknownToken                    the user has no personal token with this id
"""


class AccountError(Exception):
    """The account does not allow this."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class KeyConfigurationError(AccountError):
    """The master keys cannot be used."""


class EncryptionError(AccountError):
    """What is encrypted cannot be opened."""


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


class RotationUnderWay(AccountError):
    """This user's key is being rotated already, by another process."""


class CredentialsError(AccountError):
    """The credentials prove nothing."""


class LoginFailed(CredentialsError):
    """The address or the password is wrong."""


class InvalidCredentials(CredentialsError):
    """The token is not valid."""


class ExpiredCredentials(CredentialsError):
    """The token has expired."""


class WrongPassword(AccountError):
    """The password is wrong."""


class AccountGone(AccountError):
    """There is no such account."""


class AddressTaken(AccountError):
    """An account with this address exists already."""


class DeviceRemoved(AccountError):
    """This device was removed from the account."""


class DeviceUnfit(AccountError):
    """A device's id, platform and version may not hold null characters."""


class TooManyTokens(AccountError):
    """There are as many personal tokens as there may be: revoke one that is not used any more."""


class UnknownToken(AccountError):
    """There is no such token."""
