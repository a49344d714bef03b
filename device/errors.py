"""Every error of the device.

DeviceError
├── StoreUnusable         the data file cannot be used
├── CallRefused           a call into the tables asks for something that is not possible
├── UsageError            the user asked the terminal for something that is not possible
├── ConnectionFailed      there is no server, or none that speaks the protocol
├── Unauthorized          the server does not accept the password or token
├── ServerGone            the connection broke off; ``code`` is the close code, if one came
├── AnswerLost            the server no longer has the answer that it had begun
└── RequestRejected       the server did not begin the request; ``code`` is one of the protocol's error codes
"""

from collections.abc import Mapping


class DeviceError(Exception):
    """The device could not do this."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class StoreUnusable(DeviceError):
    """The data file cannot be used."""


class CallRefused(DeviceError):
    """This call is not possible."""


class UsageError(DeviceError):
    """The terminal cannot be used like this."""


class ConnectionFailed(DeviceError):
    """The server cannot be reached."""

    def __init__(self, message: str | None = None, *, retry_after_s: float = 0.0) -> None:
        """``retry_after_s``: how long the server asks to wait before the next attempt."""
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Unauthorized(DeviceError):
    """The server did not accept the credentials."""


class ServerGone(DeviceError):
    """The connection to the server broke off."""

    def __init__(self, message: str | None = None, *, code: int | None = None, is_final: bool = False) -> None:
        """``is_final`` when connecting again would not help, or is not allowed."""
        super().__init__(message)
        self.code = code
        self.is_final = is_final


class AnswerLost(DeviceError):
    """The answer was cut off: the server no longer has it, as after a restart. What it changed stays. Ask again."""


class RequestRejected(DeviceError):
    """The server did not take the request. ``details`` are what it says of single things, by name."""

    def __init__(
        self,
        message: str | None = None,
        *,
        code: str,
        retryable: bool = False,
        details: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.details = details or {}
