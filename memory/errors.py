"""Every error of the memory.

MemoryError_
└── EmbeddingFailed     no vector could be made
"""


class EmbeddingFailed(Exception):
    """No vector could be made."""
