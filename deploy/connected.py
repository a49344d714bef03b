#!/usr/bin/env python3
"""``connected.py PORT``: whether this container has a connection to that port of another machine.

The health check of a tool worker, which listens on no port. The broker closes connections without heartbeats, so a
worker whose event loop hangs soon has none. Exits with 0 or 1. Linux only.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ESTABLISHED = "01"


def connected_ports() -> Iterator[int]:
    """The remote ports of all established connections."""
    for table in _TABLES:
        if table.exists():
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                _, _, remote, state, *_ = line.split()
                if state == _ESTABLISHED:
                    yield int(remote.rpartition(":")[2], 16)


if __name__ == "__main__":
    sys.exit(int(sys.argv[1]) not in connected_ports())
