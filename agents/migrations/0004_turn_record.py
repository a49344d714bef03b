import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0003_dialogue"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="TurnRecord",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("request_id", models.CharField(max_length=200)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("home", "home"),
                            ("popup", "popup"),
                            ("contextual", "contextual"),
                            ("brief", "brief"),
                            ("task_brief", "task_brief"),
                            ("chat", "chat"),
                            ("job", "job"),
                            ("mcp", "mcp"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[("socket", "socket"), ("rest", "rest"), ("worker", "worker"), ("mcp", "mcp")],
                        max_length=16,
                    ),
                ),
                ("agent", models.CharField(blank=True, max_length=100)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("started_at", models.DateTimeField()),
                ("duration_ms", models.PositiveIntegerField()),
                ("first_text_ms", models.PositiveIntegerField(blank=True, null=True)),
                ("model_requests", models.PositiveIntegerField(default=0)),
                ("input_tokens", models.PositiveBigIntegerField(default=0)),
                ("output_tokens", models.PositiveBigIntegerField(default=0)),
                ("tool_calls", models.PositiveIntegerField(default=0)),
                ("tool_failures", models.PositiveIntegerField(default=0)),
                (
                    "outcome",
                    models.CharField(
                        choices=[("done", "done"), ("cancelled", "cancelled"), ("error", "error")], max_length=16
                    ),
                ),
                ("error_code", models.CharField(blank=True, max_length=64)),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="turns",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TurnTool",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("started_at", models.DateTimeField()),
                ("tool", models.CharField(max_length=100)),
                ("calls", models.PositiveIntegerField()),
                ("failures", models.PositiveIntegerField(default=0)),
                ("duration_ms", models.PositiveIntegerField(default=0)),
                (
                    "turn",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tools",
                        to="agents.turnrecord",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="turnrecord",
            index=models.Index(fields=["user", "-started_at"], name="agents_turnrecord_of_user"),
        ),
        migrations.AddIndex(
            model_name="turnrecord",
            index=models.Index(fields=["-started_at"], name="agents_turnrecord_started"),
        ),
        migrations.AddConstraint(
            model_name="turnrecord",
            constraint=models.CheckConstraint(
                condition=models.Q(("error_code", ""), ("outcome", "error"), _connector="OR"),
                name="agents_turnrecord_code_if_error",
            ),
        ),
        migrations.AddConstraint(
            model_name="turnrecord",
            constraint=models.CheckConstraint(
                condition=models.Q(("tool_failures__lte", models.F("tool_calls"))), name="agents_turnrecord_failures"
            ),
        ),
        migrations.AddIndex(
            model_name="turntool",
            index=models.Index(
                fields=["started_at", "tool"], include=("calls", "failures"), name="agents_turntool_started"
            ),
        ),
        migrations.AddConstraint(
            model_name="turntool",
            constraint=models.UniqueConstraint(fields=("turn", "tool"), name="agents_turntool_of_turn"),
        ),
    ]
