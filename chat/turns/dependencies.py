"""What a process provides to its turns."""

from dataclasses import dataclass, field

from agents.engine.run import RunDependencies
from agents.jobs.dispatch import JobStarter
from chat.turns.conversation_store import ConversationStore, MemoryConversations, memory_foreign_marks
from chat.turns.images import ImageStore
from chat.turns.sessions import SessionBuffers
from memory.service import MemoryService


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnDependencies:
    """What a process provides to its turns.

    ``memory`` is None if the memory is turned off, ``jobs`` if this process can start none. ``sees_images``: whether
    the default model can see images. ``foreign_marks`` stores which answers may repeat foreign text.
    """

    run: RunDependencies
    images: ImageStore
    sees_images: bool = False
    jobs: JobStarter | None = None
    memory: MemoryService | None = None
    sessions: SessionBuffers = field(default_factory=SessionBuffers)
    conversations: ConversationStore = field(default_factory=MemoryConversations)
    foreign_marks: ConversationStore = field(default_factory=memory_foreign_marks)
