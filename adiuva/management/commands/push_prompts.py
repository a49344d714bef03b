"""``manage.py push_prompts [--dry-run] [--label LABEL]``"""

from argparse import ArgumentParser

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.management.people import counted
from accounts.progress import resumable, shown
from adiuva.wiring.models import prompt_source
from agents.errors import PromptError
from agents.prompts.names import PromptName
from agents.prompts.source import push


class Command(BaseCommand):
    help = (
        "Creates the prompts that are missing in Langfuse, with the texts of this release. Existing prompts are never "
        "changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        label = settings.PROMPT_LABEL
        parser.add_argument("--label", default=label, help=f"the label of new prompts ({label})")
        parser.add_argument("--dry-run", action="store_true", help="say what would be created, and create nothing")

    def handle(self, *, label: str, dry_run: bool, **_: object) -> None:
        source = prompt_source()
        if source is None:
            raise CommandError("Langfuse is not configured: set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY.")
        try:
            with resumable(), shown("Prompts") as progress:
                created = push(source, label=label, dry_run=dry_run, progress=progress)
        except PromptError as error:
            raise CommandError(f"{error} What was created until then stays: run the command again.") from None
        finally:
            source.close()
        for name in created:
            self.stdout.write(f"{'Would create' if dry_run else 'Created'} {name}")
        self.stdout.write(
            f"{'Would have created' if dry_run else 'Created'} {counted(len(created), 'prompt')} with the label "
            f"{label}; {counted(len(PromptName) - len(created), 'prompt')} there already, left as before."
            f"{' Nothing was changed.' if dry_run else ''}"
        )
