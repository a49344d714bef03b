"""Every error of this package.

AdiuvaError
├── BackupError                     the database cannot be backed up or restored like this; nothing was changed
├── EmbeddedPostgresError           the embedded database cannot be used; the sentence says what to do
└── PortTaken                       the server cannot listen where it should
"""


class AdiuvaError(Exception):
    """The server cannot run like this."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class BackupError(AdiuvaError):
    """The backup cannot be written or restored."""


class EmbeddedPostgresError(AdiuvaError):
    """The embedded database cannot be started."""


class PortTaken(AdiuvaError):
    """The port is in use."""
