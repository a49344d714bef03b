from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0013_erasure_traces"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="staff_generation",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddIndex(
            model_name="device",
            index=models.Index(
                condition=models.Q(("removed_at__isnull", False)),
                fields=["removed_at"],
                name="accounts_device_removed",
            ),
        ),
    ]
