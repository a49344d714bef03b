#!/usr/bin/env python3
"""Whether this container has a connection to the port of the broker in ``AMQP_URL``, or in the ``AMQP_URL_FILE``.

The health check of a tool worker, which listens on no port by default. The broker closes connections without
heartbeats, so a worker whose event loop hangs soon has none. Exits with 0 or 1. Linux only.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ESTABLISHED = "01"
_PORTS = {"amqp": 5672, "amqps": 5671}


def broker_port(variables: Mapping[str, str]) -> int:
    """The port of the broker. Raises ``KeyError`` if there is no address of one."""
    file = variables.get("AMQP_URL_FILE")
    url = urlsplit(Path(file).read_text(encoding="utf-8").strip() if file else variables["AMQP_URL"])
    return url.port or _PORTS[url.scheme]


def connected_ports() -> Iterator[int]:
    """The remote ports of all established connections."""
    for table in _TABLES:
        if table.exists():
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                _, _, remote, state, *_ = line.split()
                if state == _ESTABLISHED:
                    yield int(remote.rpartition(":")[2], 16)


if __name__ == "__main__":
    sys.exit(broker_port(os.environ) not in connected_ports())
