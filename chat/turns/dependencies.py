"""What turns are given by the process that runs them."""

from dataclasses import dataclass, field

from agents.engine.run import RunDependencies
from agents.jobs.dispatch import JobStarter
from chat.turns.conversation_store import ConversationStore, MemoryConversations, memory_provenances
from chat.turns.images import ImageStore
from chat.turns.sessions import SessionBuffers
from memory.service import MemoryService


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnDependencies:
    """What a process provides to its turns.

    ``memory`` is None where the memory is turned off, ``jobs`` where no queued tool runs. ``sees_images`` is whether
    the model does that answers where there is no choice.
    """

    run: RunDependencies
    images: ImageStore
    sees_images: bool = False
    jobs: JobStarter | None = None
    memory: MemoryService | None = None
    sessions: SessionBuffers = field(default_factory=SessionBuffers)
    conversations: ConversationStore = field(default_factory=MemoryConversations)
    provenances: ConversationStore = field(default_factory=memory_provenances)
