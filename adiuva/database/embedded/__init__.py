"""The embedded PostgreSQL: a server of our own from a wheel, for development and small installations.

It listens on a Unix socket only. Several processes may share one data folder: the first starts the server, the last
stops it, and a killed process loses nothing that was committed.

The socket is in a folder that only its owner may enter (0700), and the server asks the kernel who connects (``peer``):
only the system user it runs as, and root, become the database role ``adiuva``.
"""

from adiuva.database.embedded.paths import django_database
from adiuva.database.embedded.sharing import ensure_running, running, start_again

__all__ = ["django_database", "ensure_running", "running", "start_again"]
