from django.db import migrations, models

import agents.prompts.names
import agents.requests


class Migration(migrations.Migration):
    """New kinds of requests and new prompts need no migration from here on."""

    dependencies = [("agents", "0010_request_kinds")]

    operations = [
        migrations.AlterField(
            model_name="disclosure",
            name="source",
            field=models.CharField(choices=agents.requests.request_kinds, max_length=16),
        ),
        migrations.AlterField(
            model_name="promptsetting",
            name="name",
            field=models.CharField(choices=agents.prompts.names.prompt_names, max_length=64, unique=True),
        ),
        migrations.AlterField(
            model_name="turnrecord",
            name="kind",
            field=models.CharField(choices=agents.requests.request_kinds, max_length=16),
        ),
    ]
