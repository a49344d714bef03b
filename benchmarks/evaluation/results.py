"""The results of a run: a folder with what was run, and every attempt as soon as it is over.

A run that was cut goes on where it was. The line of an attempt is written at once; a line that a kill has cut counts as
not written.
"""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, Self

from pydantic import TypeAdapter, ValidationError

from agents.prompts.evaluations import Outcome, text_digest
from agents.prompts.names import PromptName, builtin_text, text_problems
from benchmarks.evaluation.conversation import Conversation
from benchmarks.evaluation.judge import Fault, Kind
from benchmarks.evaluation.task import TASKS, Task
from benchmarks.evaluation.world import ROWS
from tests.forks import ROOT

_RUN: Final = "run.json"
_ATTEMPTS: Final = "attempts.jsonl"


class ResultsUnusable(Exception):
    """A folder of results cannot be used: why, and what to do, is the message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """What was run: results of different runs are not mixed. ``tasks`` is a digest of the tasks and rows."""

    model: str
    settings: Mapping[str, str]
    """Those that choose models, without secrets."""
    commit: str
    """With ``+`` where files differed from it; empty where the sources are in no repository."""
    tasks: str
    prompts: Mapping[str, str] = field(default_factory=dict)
    """The digest of each prompt's text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One conversation about a task; ``number`` counts from 1."""

    task: str
    number: int
    conversation: Conversation
    faults: Sequence[Fault] = ()

    @property
    def passed(self) -> bool:
        return not self.faults

    def has(self, kind: Kind) -> bool:
        """Whether there is a fault of this kind."""
        return any(fault.kind is kind for fault in self.faults)


_ATTEMPT: Final = TypeAdapter(Attempt)
_RUNS: Final = TypeAdapter(Run)


class Results:
    """The attempts in ``folder``, by task and number."""

    def __init__(self, folder: Path, run: Run, attempts: Iterable[Attempt] = ()) -> None:
        self.folder, self.run = folder, run
        self.attempts: dict[tuple[str, int], Attempt] = {(one.task, one.number): one for one in attempts}

    @classmethod
    def read(cls, folder: Path) -> Self:
        """What is in ``folder``. Raises ``ResultsUnusable``."""
        try:
            run = _RUNS.validate_json((folder / _RUN).read_bytes())
            lines = (folder / _ATTEMPTS).read_bytes().split(b"\n")
            return cls(folder, run, map(_ATTEMPT.validate_json, lines[:-1]))
        except (OSError, ValidationError) as error:
            raise ResultsUnusable(f"{folder} holds no readable results ({type(error).__name__}).") from None

    @classmethod
    def opened(cls, folder: Path, run: Run, *, again: bool) -> Self:
        """The results in ``folder``, to add to; new ones if there are none, or ``again``.

        Raises ``ResultsUnusable`` if they are of another run, or cannot be written.
        """
        if (folder / _RUN).exists() and not again:
            results = cls.read(folder)
            if results.run != run:
                raise ResultsUnusable(_difference(folder, results.run, run))
        else:
            results = cls(folder, run)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            results.write()  # of those that are there, without a line that was cut
        except OSError as error:
            raise ResultsUnusable(f"{folder} cannot hold results ({type(error).__name__}).") from None
        return results

    def add(self, attempt: Attempt) -> None:
        """Keep an attempt that is over."""
        with (self.folder / _ATTEMPTS).open("ab") as file:
            file.write(_ATTEMPT.dump_json(attempt) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.attempts[attempt.task, attempt.number] = attempt

    def write(self) -> None:
        """Write all of them again."""
        (self.folder / _RUN).write_text(json.dumps(asdict(self.run), indent=2) + "\n", encoding="utf-8")
        whole = b"".join(_ATTEMPT.dump_json(attempt) + b"\n" for attempt in self.attempts.values())
        new = self.folder / f"{_ATTEMPTS}.new"
        new.write_bytes(whole)
        new.replace(self.folder / _ATTEMPTS)

    def outcome(self) -> Outcome:
        """What staff see of this run beside the prompts that it had."""
        return Outcome(
            model=self.run.model,
            attempts=len(self.attempts),
            passed=sum(attempt.passed for attempt in self.attempts.values()),
            prompts=self.run.prompts,
        )

    def of(self, tasks: Iterable[Task]) -> Mapping[Task, list[Attempt]]:
        """The attempts at ``tasks`` in order; tasks without any are left out."""
        by_task: dict[str, list[Attempt]] = {}
        for (task, _), attempt in sorted(self.attempts.items()):
            by_task.setdefault(task, []).append(attempt)
        return {task: by_task[task.id] for task in tasks if task.id in by_task}


_CHOOSING: Final = ("OPENAI_", "ANTHROPIC_", "ADIUVA_MODEL", "ADIUVA_SMALL", "ADIUVA_EMBED")
_SECRET: Final = ("KEY", "ADIUVA_MODELS")


def settings_of_models(variables: Mapping[str, str]) -> dict[str, str]:
    """Those of the ``variables`` that choose models: the others are the evaluation's own."""
    return {name: value for name, value in sorted(variables.items()) if name.startswith(_CHOOSING) and value}


def this_run(settings: Mapping[str, str], prompts: Path | None = None) -> Run:
    """What a run with these settings of models, and these texts of prompts, would be. Raises ``ResultsUnusable``."""
    digest = hashlib.sha256()
    for path in (ROWS, *sorted(TASKS.glob("*.toml"))):
        digest.update(path.read_bytes())
    return Run(
        model=_model(settings),
        settings={name: value for name, value in settings.items() if not any(word in name for word in _SECRET)},
        commit=_commit(),
        tasks=digest.hexdigest()[:12],
        prompts={name.value: text_digest(text) for name, text in texts_of_prompts(prompts).items()},
    )


def _model(settings: Mapping[str, str]) -> str:
    """The name of the large model that the server asks with these settings, as docs/models.md says."""
    if any(name in settings for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY_FILE")):
        return settings.get("ANTHROPIC_MODEL", "anthropic-default")
    if any(name in settings for name in ("OPENAI_API_KEY", "OPENAI_API_KEY_FILE", "OPENAI_BASE_URL")):
        return settings.get("OPENAI_MODEL", "openai-default")
    return "offline"


def texts_of_prompts(folder: Path | None) -> dict[PromptName, str]:
    """The text of every prompt: ``NAME.md`` in ``folder`` where there is one, otherwise that of this release.

    Raises ``ResultsUnusable`` for a file that cannot be the text of a prompt.
    """
    texts = {name: builtin_text(name) for name in PromptName}
    paths = [] if folder is None else sorted(folder.glob("*.md"))
    if folder is not None and not paths:
        raise ResultsUnusable(f"{folder} holds no text of a prompt.")
    for path in paths:
        if path.stem not in set(PromptName):
            raise ResultsUnusable(f"{path} is named like no prompt.")
        try:
            name, text = PromptName(path.stem), path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ResultsUnusable(f"{path} cannot be read ({type(error).__name__}).") from None
        if problems := text_problems(name, text):
            raise ResultsUnusable(f"{path} cannot be used: {' '.join(problems)}")
        texts[name] = text
    return texts


def _commit() -> str:
    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607
        return done.stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no")
        return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")
    except OSError:
        return ""


def _difference(folder: Path, there: Run, here: Run) -> str:
    named = [
        f"{name} {value or 'none'} instead of {asdict(here)[name] or 'none'}"
        for name, value in asdict(there).items()
        if name != "prompts" and value != asdict(here)[name]
    ]
    named += ["other texts of prompts"] if there.prompts != here.prompts else []
    return (
        f"{folder} holds results of another run ({', '.join(named)}): "
        "name another folder with --results, or replace them with --again."
    )
