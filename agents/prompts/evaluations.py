"""The outcomes of evaluations, by the texts of prompts. Each evaluation writes a file; staff see them beside versions.

Texts are identified by their digests, so the outcome of another installation is found, too.
"""

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from agents.prompts.names import PromptName

logger = logging.getLogger(__name__)

OUTCOME: Final = "outcome.json"
"""The name of the file, in the folder of an evaluation's results."""
_MAX_FOLDERS: Final = 200
_MAX_BYTES: Final = 200_000
"""The size of the longest file that is read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """Of ``attempts`` conversations with ``model``, ``passed`` had no fault. ``prompts`` are digests by name."""

    model: str
    attempts: int
    passed: int
    prompts: Mapping[str, str] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The share that passed, 0 to 1."""
        return self.passed / self.attempts if self.attempts else 0.0


_OUTCOME: Final = TypeAdapter(Outcome)


@lru_cache(maxsize=1024)
def text_digest(text: str) -> str:
    """The digest that identifies a text of a prompt."""
    return hashlib.sha256(text.strip().encode("utf-8", "replace")).hexdigest()[:32]


def write_outcome(folder: Path, outcome: Outcome) -> None:
    """Write the file of an evaluation into ``folder``."""
    (folder / OUTCOME).write_bytes(_OUTCOME.dump_json(outcome, indent=2) + b"\n")


def outcomes_of(folder: Path | None, name: PromptName) -> Mapping[str, Sequence[Outcome]]:
    """The outcomes in the subfolders of ``folder``, best first, by the digest of the text that this prompt had.

    Files that cannot be read are left out and logged.
    """
    found: dict[str, list[Outcome]] = {}
    for outcome in () if folder is None else _read(folder):
        if (digest := outcome.prompts.get(name.value)) is not None:
            found.setdefault(digest, []).append(outcome)
    return {digest: sorted(of_text, key=lambda each: -each.share) for digest, of_text in found.items()}


def _read(folder: Path) -> Sequence[Outcome]:
    outcomes = []
    for path in sorted(folder.glob(f"*/{OUTCOME}"))[:_MAX_FOLDERS]:
        try:
            outcomes.append(_OUTCOME.validate_json(path.read_bytes()[:_MAX_BYTES]))
        except (OSError, ValidationError) as error:
            logger.warning("results of an evaluation cannot be read: %s (%s)", path.parent.name, type(error).__name__)
    return outcomes
