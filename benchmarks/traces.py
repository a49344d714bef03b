"""Where traces go: ``python -m benchmarks.traces`` says its address on one line and takes them until it is ended."""

import sys
import threading

from tests.langfuse_server.ingestion import ingestion

if __name__ == "__main__":
    with ingestion() as taking:
        sys.stdout.write(f"{taking.url}\n")
        sys.stdout.flush()
        threading.Event().wait()
