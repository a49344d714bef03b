#!/usr/bin/env python3
"""``./dev audit``: compares the locked packages with the public databases of known vulnerabilities.

pip-audit and ``npm audit`` do the work. A database that cannot be reached is no failure, because an isolated machine
could then never pass; the output says what was not audited.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT_S = 120
PIP_AUDIT = (sys.executable, "-m", "pip_audit")
_OPTIONS = ("--require-hashes", "--disable-pip", "--progress-spinner=off", "--format=json")
_MINOR = ("info", "low")


@dataclass(frozen=True, kw_only=True)
class Audit:
    """The vulnerabilities found and the packages that the database does not know, or why there was no comparison."""

    found: Sequence[str] = ()
    unknown: Sequence[str] = ()
    impossible: str = ""


def main(root: Path = ROOT) -> int:
    """Print the audits of all locks below ``root``. The exit code is 1 if a package has a known vulnerability."""
    audits: dict[str, Callable[[], Audit]] = {"Python": partial(audit_python, root / "requirements-dev.lock")}
    for lock in sorted(root.glob("clients/*/package-lock.json")):
        audits[str(lock.parent.relative_to(root))] = partial(audit_node, lock.parent)
    with ThreadPoolExecutor() as pool:
        done = dict(zip(audits, pool.map(lambda audit: audit(), audits.values()), strict=True))
    for name, audit in done.items():
        sys.stdout.writelines(f"{name}: {line}\n" for line in lines(audit))
    return 1 if any(audit.found for audit in done.values()) else 0


def lines(audit: Audit) -> Iterator[str]:
    if audit.impossible:
        yield f"not audited, because the database of vulnerabilities cannot be reached: {audit.impossible}"
        return
    yield from audit.found or ["no known vulnerability"]
    if audit.unknown:
        yield f"not audited, because the database does not know them: {', '.join(audit.unknown)}"


def audit_python(lock: Path) -> Audit:
    """The packages of a lock with hashes."""
    return audited([*PIP_AUDIT, *_OPTIONS, f"--requirement={lock}"], lock.parent, of_pip_audit)


def audit_node(folder: Path) -> Audit:
    """The packages of the ``package-lock.json`` in ``folder``."""
    npm = shutil.which("npm")
    return audited([npm, "audit", "--json"], folder, of_npm) if npm else Audit(impossible="there is no npm")


def audited(command: Sequence[str], folder: Path, read: Callable[[Mapping[str, Any]], Audit]) -> Audit:
    """The audit that ``read`` makes of what ``command`` prints, which is JSON if it could reach its database."""
    try:
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return Audit(impossible=f"no answer within {TIMEOUT_S} s")
    try:
        return read(json.loads(ended.stdout))
    except ValueError:
        return Audit(impossible=(ended.stderr.strip().splitlines() or ["no report"])[-1])


def of_pip_audit(report: Mapping[str, Any]) -> Audit:
    packages: Sequence[Mapping[str, Any]] = report["dependencies"]
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if len(unknown) == len(packages):  # so it says when the index serves packages but no advisories
        return Audit(impossible="it knows none of the packages")
    found = [
        f"{package['name']} {package['version']}: {flaw['id']}, fixed in {', '.join(flaw['fix_versions']) or 'none'}"
        for package in packages
        for flaw in package.get("vulns", ())
    ]
    return Audit(found=found, unknown=unknown)


def of_npm(report: Mapping[str, Any]) -> Audit:
    if "vulnerabilities" not in report:
        return Audit(impossible=str(report.get("message", "no report")))
    flaws: Mapping[str, Mapping[str, Any]] = report["vulnerabilities"]
    return Audit(
        found=[
            f"{name} {flaw['range']}: {flaw['severity']}"
            for name, flaw in flaws.items()
            if flaw["severity"] not in _MINOR
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
