"""``manage.py frame_schema``"""

import json
import sys

from django.core.management.base import BaseCommand

from chat.protocol.schema import json_schema


class Command(BaseCommand):
    help = "Writes the socket protocol as JSON Schema, as /api/v1/ws/schema.json answers with: types are made from it."
    requires_system_checks = ()

    def handle(self, **_: object) -> None:
        json.dump(json_schema(), sys.stdout, indent=2, sort_keys=True)
        sys.stdout.write("\n")
