"""``python -m adiuva.serve``: the server process (``adiuva/server/serve.py``)."""

import sys

from adiuva.server.serve import main

if __name__ == "__main__":
    sys.exit(main())
