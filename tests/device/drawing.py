"""Consoles whose whole output a test compares."""

from io import StringIO

from rich.console import Console, RenderableType


def console(*, width: int = 50, terminal: bool = False) -> Console:
    """A console that writes to a string, without colours unless it is a ``terminal``."""
    return Console(
        file=StringIO(),
        width=width,
        force_terminal=terminal,
        color_system="truecolor" if terminal else None,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )


def written(target: Console) -> str:
    """Everything that was written to ``target``."""
    assert isinstance(target.file, StringIO)
    return target.file.getvalue()


def drawn(renderable: RenderableType, *, width: int = 50, terminal: bool = False) -> list[str]:
    """The lines of ``renderable``, without the spaces at their ends."""
    target = console(width=width, terminal=terminal)
    target.print(renderable, crop=False)
    return [line.rstrip() for line in written(target).splitlines()]
