"""What the terminal was told: arguments, environment, and what follows from them."""

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from device.addresses import ServerAddress, server_address
from device.errors import UsageError
from device.verdicts import Approval

DEMO_EMAIL: Final = "demo@adiuva.local"
_DEMO_PASSWORD: Final = "adiuva-demo-2026"  # noqa: S105 - every development server's, and no other's
POPUP_TYPES: Final = (
    *("task", "tasks", "project", "projects", "checkpoint", "checkpoints"),
    *("timeline", "note", "notes"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """How the terminal is to run. ``message`` is None for a conversation, ``popup`` a scope's type or None.

    ``wait_s`` is how long to wait for jobs if the user will not come back to them.
    """

    server: ServerAddress
    email: str
    password: str = field(repr=False)
    data: Path
    popup: str | None
    approval: Approval
    wait_s: float
    message: str | None


def read_options(arguments: Sequence[str] | None, environment: Mapping[str, str]) -> Options:
    """Raises ``UsageError`` for what makes no sense, and ``SystemExit`` as argparse does."""
    given = _parser().parse_args(arguments)
    server = server_address(given.server)
    email, password = _account(given.email, given.password, environment, server)
    message = " ".join(given.message) if given.message else None
    if message is not None:
        check_message(message)
    elif given.popup is not None:
        raise UsageError("--popup needs a message; in a conversation, write /popup TYPE MESSAGE.")
    if not (given.wait >= 0 and math.isfinite(given.wait)):
        raise UsageError("--wait is a number of seconds, 0 or more.")
    folder = Path(environment.get("ADIUVA_DATA_DIR") or "var").expanduser()
    return Options(
        server=server,
        email=email,
        password=password,
        data=Path(given.data).expanduser() if given.data else folder / "device.sqlite3",
        popup=given.popup,
        approval=Approval(given.approve),
        wait_s=given.wait,
        message=message,
    )


def check_message(message: str) -> None:
    """Raises ``UsageError`` for a message that cannot be sent."""
    if not message.strip():
        raise UsageError("The message is empty.")
    try:
        message.encode()
    except UnicodeEncodeError:
        raise UsageError("The message is not valid text: it holds bytes that are no characters.") from None


def _account(
    email: str | None, password: str | None, environment: Mapping[str, str], server: ServerAddress
) -> tuple[str, str]:
    email = email or environment.get("ADIUVA_EMAIL") or (DEMO_EMAIL if server.is_local else "")
    password = password or environment.get("ADIUVA_PASSWORD", "")
    if not password and email == DEMO_EMAIL and server.is_local:
        password = _DEMO_PASSWORD
    if not email or not password:
        missing = "a password (--password or ADIUVA_PASSWORD)" if email else "an account (--email or ADIUVA_EMAIL)"
        raise UsageError(f"{server.base} needs {missing}; the demo account is for a server on this machine.")
    return email, password


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="device.terminal",
        description="Talks to Adiuva. Your tasks, projects and notes stay in this device's data file.",
        epilog="Exit code: 0 answered, 1 the answer failed, 2 nothing could be asked.",
    )
    parser.add_argument(
        "message",
        nargs="*",
        metavar="MESSAGE",
        help="what to ask, or a command such as /jobs; without it, a conversation",
    )
    parser.add_argument("--server", default="http://127.0.0.1:8000", metavar="URL", help="(%(default)s)")
    parser.add_argument("--email", help=f"your account (ADIUVA_EMAIL; {DEMO_EMAIL} on this machine)")
    parser.add_argument("--password", help="better given as ADIUVA_PASSWORD, which other users cannot see")
    parser.add_argument("--data", metavar="PATH", help="the data file (device.sqlite3 in ADIUVA_DATA_DIR or var)")
    parser.add_argument(
        "--popup", choices=POPUP_TYPES, metavar="TYPE", help=f"a short answer: {', '.join(POPUP_TYPES)}"
    )
    parser.add_argument(
        "--approve",
        choices=[mode.value for mode in Approval],
        default=Approval.ASK.value,
        help="what to say when the assistant must ask, as before it deletes something (%(default)s)",
    )
    parser.add_argument(
        "--wait",
        type=float,
        default=120.0,
        metavar="SECONDS",
        help="how long to wait for jobs that still run after an answer (%(default)g)",
    )
    return parser
