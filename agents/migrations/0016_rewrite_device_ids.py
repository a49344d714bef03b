"""Rewrite the tables and the statistics about them: their pages still hold the ids that devices gave themselves."""

from django.db import migrations


class Migration(migrations.Migration):
    # VACUUM runs outside transactions only. Interrupted, it starts again.
    atomic = False

    dependencies = [("agents", "0015_device_ids")]

    operations = [
        *(
            migrations.RunSQL(f"VACUUM (FULL, ANALYZE) {table}", migrations.RunSQL.noop)
            for table in ("agents_approval", "agents_tooljob", "agents_disclosure")
        ),
        # Where the role may not do this, PostgreSQL warns and goes on.
        migrations.RunSQL("VACUUM FULL pg_statistic", migrations.RunSQL.noop),
    ]
