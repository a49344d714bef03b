"""What the processes of one server have in common: the ports behind which it lies, and those in memory."""

from dataclasses import dataclass

from channels.layers import InMemoryChannelLayer

from chat.cluster.directory import MemoryDirectory, TurnDirectory
from chat.cluster.hints import Hints, Layer
from chat.cluster.mailbox import Mailbox, MemoryMailbox
from chat.cluster.presence import MemoryPresence, Presence
from chat.cluster.pulse import MemoryPulse, Pulse


@dataclass(frozen=True, kw_only=True, slots=True)
class Commons:
    """The ports as one process uses them. ``shared`` is whether there may be other processes behind them."""

    hints: Hints
    pulse: Pulse
    presence: Presence
    directory: TurnDirectory
    mailbox: Mailbox
    shared: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class CommonMemory:
    """The ports in memory. Processes in the same memory, which only tests have, may share one."""

    layer: Layer
    pulse: MemoryPulse
    presence: MemoryPresence
    directory: MemoryDirectory
    mailbox: MemoryMailbox

    def commons(self, *, shared: bool) -> Commons:
        """The ports for one more process."""
        return Commons(
            hints=Hints(self.layer),
            pulse=self.pulse,
            presence=self.presence,
            directory=self.directory,
            mailbox=self.mailbox,
            shared=shared,
        )


def common_memory(*, lease_s: float = float("inf")) -> CommonMemory:
    """An empty memory."""
    pulse = MemoryPulse(lease_s=lease_s)
    return CommonMemory(
        layer=InMemoryChannelLayer(),
        pulse=pulse,
        presence=MemoryPresence(pulse=pulse),
        directory=MemoryDirectory(),
        mailbox=MemoryMailbox(),
    )


def alone() -> Commons:
    """The ports of a process that has no neighbours."""
    return common_memory().commons(shared=False)
