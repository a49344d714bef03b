"""``/disclosed`` and ``/private``: what models were sent, and what they never are, at the prompt."""

from typing import Final

from device.addresses import ServerAddress
from device.disclosed import DisclosedRows
from device.disclosures import Disclosed, Sharing, change_sharing, read_disclosures, read_sharing
from device.errors import UsageError
from device.places import find_row
from device.screen import Screen
from device.store import Store
from device.tables import TableName, table_named, title_of
from device.wording import one_line

_USAGE: Final = "Write /private, or /private add or remove and the name of a table or the title of a project."


async def show_disclosed(server: ServerAddress, token: str, store: Store, screen: Screen) -> None:
    """Show the latest disclosures. Raises ``DeviceError``."""
    disclosures = await read_disclosures(server, token)
    screen.draw(DisclosedRows(disclosures=disclosures, names=_names(store, disclosures), zone=screen.zone))


async def decide(words: str, server: ServerAddress, token: str, store: Store, screen: Screen) -> None:
    """Show or change what is never shared. Raises ``DeviceError``."""
    sharing = await read_sharing(server, token)
    match words.split(maxsplit=1):
        case []:
            pass
        case ["add" | "remove" as wanted, name]:
            sharing = await change_sharing(server, token, _changed(sharing, store, name, add=wanted == "add"))
        case _:
            raise UsageError(_USAGE)
    screen.say(_said(sharing, store))


def _changed(sharing: Sharing, store: Store, name: str, *, add: bool) -> Sharing:
    if (table := table_named(name)) is not None:
        return Sharing(tables=_with(sharing.tables, table.value, add=add), projects=sharing.projects)
    # A project that is not on this device any more can still be let go by its id.
    known = name in sharing.projects and not add
    project = name if known else str(find_row(store, TableName.PROJECTS, name)["id"])
    return Sharing(tables=sharing.tables, projects=_with(sharing.projects, project, add=add))


def _with(marked: tuple[str, ...], name: str, *, add: bool) -> tuple[str, ...]:
    others = tuple(each for each in marked if each != name)
    return (*others, name) if add else others


def _said(sharing: Sharing, store: Store) -> str:
    projects = [_project(store, row_id) for row_id in sharing.projects]
    marked = [*(f"the table {one_line(table)}" for table in sharing.tables), *projects]
    return f"Never shared with a model: {', '.join(marked)}." if marked else "Everything may be shared with a model."


def _project(store: Store, row_id: str) -> str:
    row = store.get(TableName.PROJECTS, row_id)
    return f"the project {one_line(row_id if row is None else row['name'])}"


def _names(store: Store, disclosures: list[Disclosed]) -> dict[str, str]:
    """What the rows are called on this device; those that it does not have are left out."""
    tables = {table.value: table for table in TableName}
    found = {}
    for disclosed in disclosures:
        for row_id in disclosed.row_ids if disclosed.table in tables else ():
            row = store.get(tables[disclosed.table], row_id)
            if row is not None:
                found[row_id] = title_of(row)
    return found
