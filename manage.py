#!/usr/bin/env python
"""Django's command line for Adiuva."""

import os
import sys

from adiuva.command_line import run

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
    run(sys.argv)
