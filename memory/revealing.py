"""Staff read one episode: the act is recorded before the text is opened."""

from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.vault import open_vault
from memory.models import MemoryEpisodic
from memory.sealing import opened

ACTION = "reveal"


def reveal_episode(episode: MemoryEpisodic, *, actor: User, reason: str) -> str:
    """The summary of an episode. That it was revealed stays recorded though it turns out that it cannot be read.

    Raises ``UnreadableRow``, or as ``open_vault`` when the user's keys cannot be opened; then nothing is recorded.
    """
    with transaction.atomic():
        record_event(actor=actor, subject_id=episode.user_id, action=ACTION, object_id=episode.id, reason=reason)
        vault = open_vault(episode.user_id)
    return opened(vault, episode, "summary_encrypted")
