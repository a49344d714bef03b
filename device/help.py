"""``/help``: the commands of a conversation."""

from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from device.options import POPUP_TYPES
from device.places import PLACES

COMMANDS: Final = (
    ("/tables", "how many rows this device has"),
    ("/tables NAME", "the rows of one table"),
    ("/history", "what was changed on this device today, and by whom"),
    ("/history DAY", "the same of a day such as 2026-11-24"),
    ("/undo", "take back what the last answer changed"),
    ("/undo day", "what was changed today, but for your own changes"),
    ("/undo by NAME", "what this program or agent of the history changed today"),
    ("/undo rest", "all but what was changed since; also /undo day rest, /undo by NAME rest, /redo rest"),
    ("/redo", "do again what was undone last"),
    ("/memory", "what the server remembers of you"),
    ("/memory forget KEY", "forget one of your preferences"),
    ("/memory off", "remember nothing and use nothing remembered; /memory on undoes it"),
    ("/why", "what was remembered for the last answer, and why"),
    ("/forget N", "forget one of these; /correct N TEXT corrects it"),
    ("/disclosed", "which rows were sent to which model lately"),
    ("/private", "what is never shared with a model"),
    ("/private add NAME", "mark a table or a project; /private remove NAME removes the mark"),
    ("/image PATH TEXT", "a question about an image: PNG, JPEG or WebP"),
    ("/popup TYPE TEXT", f"a short answer; TYPE is {', '.join(POPUP_TYPES)}"),
    ("/brief", "what is overdue, due and next"),
    ("/brief TASK", "what to know before starting a task; TASK is its title"),
    ("/jobs", "jobs on the server that run or have ended"),
    ("/page PLACE", f"open a page, for the answers of the sidebar; PLACE is {', '.join(PLACES)}"),
    ("/page", "which page is open; /page off leaves it"),
    ("/model", "the models that may answer, and which one does"),
    ("/model NAME", "have this model answer from now on"),
    ("/help", "this"),
    ("/quit", "leave (so does Ctrl-D, or Ctrl-C at the prompt; Ctrl-C during an answer stops it)"),
)
"""Each command and what it does."""


def command_help() -> RenderableType:
    """What there is to write, as wide as the terminal."""
    commands = Table.grid(padding=(0, 1), pad_edge=False)
    commands.add_column(no_wrap=True)
    commands.add_column()
    for command, meaning in COMMANDS:
        commands.add_row(Text(command), Text(meaning, style="dim"))
    return Group(Text("Write a question or an order, such as: Which tasks are due today?"), commands)
