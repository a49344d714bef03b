"""Agent frameworks, where they are installed, each in a process of its own.

Their processes import none of our packages: one of them is called ``agents``, like ours.
"""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.plans import message
from benchmarks.processes import WORKER_S, WorkerFailed
from benchmarks.sdk_loop import MODEL, TOLD, instructions, tools

_HERE: Final = Path(__file__).resolve().parent
_SCRIPTS: Final = {"openai-agents": _HERE / "with_openai_agents.py", "pydantic-ai": _HERE / "with_pydantic_ai.py"}
_PACKAGES: Final = {"openai-agents": "openai-agents", "pydantic-ai": "pydantic-ai-slim"}
_FIND: Final = """
import importlib.metadata, json, sys
known = {str(each.name).lower() for each in importlib.metadata.distributions()}
print(json.dumps([name for name in sys.argv[1:] if name in known]))
"""


def installed(python: Path) -> Sequence[str]:
    """The frameworks in the environment of ``python``."""
    found = subprocess.run(
        [str(python), "-I", "-c", _FIND, *_PACKAGES.values()], capture_output=True, text=True, timeout=60, check=True
    )
    packages: list[str] = json.loads(found.stdout)
    return [name for name, package in _PACKAGES.items() if package in packages]


def framework_cpu(python: Path, name: str, *, url: str, plan: str, turns: int, warm: int) -> float:
    """CPU seconds a turn of a process in which the framework does it. Raises ``WorkerFailed``."""
    given = {
        "url": url,
        "model": MODEL,
        "instructions": instructions(),
        "message": message(plan),
        "tools": [tool["function"] for tool in tools()],
        "told": TOLD,
        "turns": turns,
        "warm": warm,
    }
    done = subprocess.run(
        [str(python), "-I", str(_SCRIPTS[name])],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=WORKER_S,
        check=False,
    )
    if done.returncode != 0:
        raise WorkerFailed(f"{name} failed:\n{done.stderr}")
    seconds: float = json.loads(done.stdout)
    return seconds
