"""The workspace in a real browser: painted text, a long list, a long conversation, and how much script comes first."""

from collections.abc import Iterator
from typing import Final

import httpx

from benchmarks.browsing import Workspace, workspace
from benchmarks.environment import Environment
from benchmarks.large_workspace import CONTENT, LargeWorkspace, Opening
from benchmarks.tables import Bound, Figure, median, percentile
from tests.workspace_scripts import first_scripts

TITLE: Final = "The workspace in a browser"
_PAINT_MS: Final = 50.0
_OPEN_MS: Final = 200.0
_PAINT_P95_MS: Final = 25.0
_SCRIPT_KB: Final = 250.0
_FRAMES: Final = 59.0
"""Of the 60 in a second at which the browser's display ticks."""
_PAGE_MS: Final = 100.0
_KEY_MS: Final = 50.0
_SEARCH_MS: Final = 50.0
_INTERACTIVE_MS: Final = 1500.0
_LOADS: Final = 5
_LETTERS: Final = "number 1234 of a long"
_SEARCHES: Final = ("number 1234", "a long list", "note 77", "said point", "zzz nowhere", "e")
_MESSAGES: Final = 500
_SCROLL_S: Final = 10


def measure(environment: Environment) -> Iterator[Figure]:
    """All of it in one workspace of one account."""
    # As in development: in production there is a proxy before it, without which a browser is sent to HTTPS.
    with environment.server(settings={"ADIUVA_DEBUG": "1"}) as server:
        yield _scripts(server.url)
        with workspace(server.url) as opened:
            environment.say("  from the last token to paint")
            yield from _painting(opened, environment.sizes.turns)
            environment.say(f"  a list of {environment.sizes.tasks} tasks")
            opened.go_to("Settings")
            opened.insert_tasks(environment.sizes.tasks)
            yield from _scrolling(opened, environment.sizes.tasks)
            environment.say(f"  a conversation of {_MESSAGES} messages")
            opened.go_to("Settings")
            opened.converse(_MESSAGES // 2)
            yield _opening(opened, environment.sizes.openings)
        environment.say(f"  {2 * environment.sizes.tasks} rows")
        with workspace(server.url) as opened:
            yield from _large(LargeWorkspace(opened, tasks=environment.sizes.tasks), environment)


def _scripts(url: str) -> Figure:
    """All scripts that the first page needs, as they go over the wire; the WebAssembly is none."""
    names = first_scripts()
    with httpx.Client(base_url=url, headers={"Accept-Encoding": "gzip"}, trust_env=False) as client:
        sizes = []
        for name in names:
            with client.stream("GET", f"/app/assets/{name}") as answer:
                answer.raise_for_status()
                sizes.append(sum(len(piece) for piece in answer.iter_raw()))
    return Figure(
        name="scripts of the first page, compressed, without the WebAssembly",
        unit="kB",
        value=sum(sizes) / 1000,
        bound=Bound.VALUE,
        limit=_SCRIPT_KB,
        spread=f"{len(sizes)} files",
    )


def _painting(opened: Workspace, turns: int) -> Iterator[Figure]:
    opened.last_token_to_paint()
    waits = [opened.last_token_to_paint() for _ in range(turns)]
    yield Figure(
        name="from the model's last token to painted text, median",
        unit="ms",
        value=median(waits),
        bound=Bound.VALUE,
        limit=_PAINT_MS,
        spread=_spread(waits),
    )
    yield Figure(
        name="from the model's last token to painted text, p95",
        unit="ms",
        value=percentile(waits, 0.95),
        bound=Bound.VALUE,
        limit=_PAINT_P95_MS,
    )


def _scrolling(opened: Workspace, tasks: int) -> Iterator[Figure]:
    frames = opened.scroll(_SCROLL_S)
    yield Figure(
        name=f"frames presented a second while {tasks:,} tasks are scrolled",
        unit="frames/s",
        value=frames.presented_per_second,
        bound=Bound.LEAST,
        limit=_FRAMES,
        spread=f"{frames.presented} presented, {frames.idle} ticks with nothing new",
    )
    yield Figure(name="frames dropped", unit="%", value=100 * frames.dropped_share, spread=f"{frames.dropped} dropped")
    yield Figure(
        name="frames presented without the page's part",
        unit="%",
        value=100 * frames.partial_share,
        spread=f"{frames.partial} partial",
    )


def _opening(opened: Workspace, openings: int) -> Figure:
    opened.open_home()
    waits = [opened.open_home() for _ in range(openings)]
    return Figure(
        name=f"a conversation of {_MESSAGES} messages opened, median",
        unit="ms",
        value=median(waits),
        bound=Bound.VALUE,
        limit=_OPEN_MS,
        spread=_spread(waits),
    )


def _large(large: LargeWorkspace, environment: Environment) -> Iterator[Figure]:
    count = environment.sizes.openings
    rows = f"{2 * environment.sizes.tasks:,} rows"
    for name in CONTENT:
        elsewhere = "Settings" if name != "Settings" else "Tasks"
        openings = []
        large.open(elsewhere)
        for _ in range(count):
            openings.append(large.open(name))
            large.open(elsewhere)
        yield _page(f"{name} opened", openings)
    yield _page("a project with all tasks opened", [large.open_project() for _ in range(count)])
    large.open("Tasks")
    yield _typed("the search of the tasks", large.type_in("Search tasks", _LETTERS))
    large.open_palette()
    yield _typed("the command line", large.type_in("Search or run a command", _LETTERS))
    large.close_palette()
    searches = large.search([text for text in _SEARCHES for _ in range(count)])
    yield Figure(
        name=f"a search over {rows}, median",
        unit="ms",
        value=median(searches),
        bound=Bound.VALUE,
        limit=_SEARCH_MS,
        spread=_spread(searches),
    )
    loads = [large.first_page() for _ in range(min(count, _LOADS))]
    yield Figure(
        name="the first page interactive, on a main thread slowed four times and without a cache, median",
        unit="ms",
        value=median(loads),
        bound=Bound.VALUE,
        limit=_INTERACTIVE_MS,
        spread=_spread(loads),
    )


def _page(name: str, openings: list[Opening]) -> Figure:
    clock = [each.clock for each in openings]
    thread = median([each.thread for each in openings])
    return Figure(
        name=f"{name}, median",
        unit="ms",
        value=median(clock),
        bound=Bound.VALUE,
        limit=_PAGE_MS,
        spread=f"{_spread(clock)}; its main thread {thread:.3g} ms",
    )


def _typed(where: str, waits: list[float]) -> Figure:
    return Figure(
        name=f"a key typed in {where} until it is painted, p95",
        unit="ms",
        value=percentile(waits, 0.95),
        bound=Bound.VALUE,
        limit=_KEY_MS,
        spread=_spread(waits),
    )


def _spread(values: list[float], of: str = "ms") -> str:
    return f"p95 {percentile(values, 0.95):.3g}, longest {max(values):.3g} {of}"
