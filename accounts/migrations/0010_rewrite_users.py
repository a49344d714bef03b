"""Rewrite the tables of users and devices and the statistics about them: their pages still hold the texts of before."""

from django.db import migrations


class Migration(migrations.Migration):
    # VACUUM runs outside transactions only. Interrupted, it starts again.
    atomic = False

    dependencies = [("accounts", "0009_sealed_addresses")]

    operations = [
        migrations.RunSQL("VACUUM (FULL, ANALYZE) accounts_user", migrations.RunSQL.noop),
        migrations.RunSQL("VACUUM (FULL, ANALYZE) accounts_device", migrations.RunSQL.noop),
        # The statistics of a dropped column. Where the role may not do this, PostgreSQL warns and goes on.
        migrations.RunSQL("VACUUM FULL pg_statistic", migrations.RunSQL.noop),
    ]
