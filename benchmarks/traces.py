"""Where traces go: ``python -m benchmarks.traces PATH CREDENTIALS`` says its address on one line, and takes them.

Empty ``CREDENTIALS`` are those of Langfuse's keys in the tests.
"""

import sys
import threading

from tests.langfuse_server.ingestion import ingestion

if __name__ == "__main__":
    with ingestion(path=sys.argv[1], credentials=sys.argv[2]) as taking:
        sys.stdout.write(f"{taking.url}\n")
        sys.stdout.flush()
        threading.Event().wait()
