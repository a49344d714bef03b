"""The embedded PostgreSQL: a server of our own from a wheel, for development and small installations.

It listens on a Unix socket only. Several processes may use one data folder together: the first starts the server,
the last stops it, and whoever dies in between loses nothing that was committed.

Who may connect: the socket lies in a folder that only its owner may enter (0700), and the server asks the kernel who
is calling (``peer``): only the system user it runs as, and root, become the database role ``adiuva``.
"""

from adiuva.embedded_postgres.holding import ensure_running, running
from adiuva.embedded_postgres.places import django_database

__all__ = ["django_database", "ensure_running", "running"]
