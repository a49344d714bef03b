"""Blocks that are filled with the rows of a turn's run."""

from typing import Final

from agents.calls import Table
from chat.formatters.blocks import Entity
from chat.formatters.home import HomeFormatter
from chat.turns.answering import Answering, log_invalid_block

_TABLES: Final = {
    Entity.TASK: Table.TASKS,
    Entity.PROJECT: Table.PROJECTS,
    Entity.NOTE: Table.NOTES,
    Entity.CHECKPOINT: Table.CHECKPOINTS,
}


def block_formatter(answering: Answering) -> HomeFormatter:
    """Text and blocks; a card shows what the device really returned in this turn."""
    return HomeFormatter(lambda entity: answering.run.rows(_TABLES[entity]), log_invalid_block)
