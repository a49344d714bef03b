"""What a model is told of tools that run as jobs. Whoever reads the text without a model knows it by its beginning."""

from typing import Final

HAS_BEGUN: Final = "This takes longer than an answer: it has begun and goes on by itself"
"""In the turn that called the tool."""
FAILED: Final = "It did not work. "
"""In the job, before what the tool says of its failure."""


def begun_notice() -> str:
    """What the model of the turn is told."""
    return (
        f"{HAS_BEGUN}, and the user is told when it is done. Nothing of it is known yet. Tell the user in a sentence "
        "that it has begun, and do not call it again."
    )
