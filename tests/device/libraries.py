"""Imports what ``device.terminal`` imports, for processes that are forked afterwards."""

# ruff: noqa: F401 - imported for processes that are forked afterwards

import gc

import device.conversation
import device.examples
import device.executor
import device.machine
import device.options
import device.prompt
import tests.device.terminals

# A fork does not collect the objects of these modules: that would copy their memory.
gc.collect()
gc.freeze()
