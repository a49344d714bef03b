"""Which of the workspace's built scripts its first page fetches."""

import re

from tests.forks import ROOT

_BUILT = ROOT / "adiuva/workspace/built"


def first_scripts() -> list[str]:
    """The names of those that the page names, of those that they import, and of the worker."""
    page = (_BUILT / "index.html").read_text()
    named = re.findall(r'"/app/assets/([^"]+\.js)"', page)
    return sorted({*named, *(path.name for path in (_BUILT / "assets").glob("worker-*.js"))})
