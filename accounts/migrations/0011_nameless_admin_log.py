"""Take the names of rows out of Django's log of the admin.

Changing the type of a column rewrites the table without the rows of before, which an UPDATE would leave in its pages.
"""

from django.db import migrations

_CLEAN = r"""
    ALTER TABLE django_admin_log
    ALTER COLUMN object_repr TYPE varchar(200) USING left(concat('row ', object_id), 200),
    ALTER COLUMN change_message TYPE text
    USING regexp_replace(change_message, '"object": "([^"\\]|\\.)*"', '"object": "…"', 'g')
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_rewrite_users"),
        ("admin", "0003_logentry_add_action_flag_choices"),
    ]

    operations = [migrations.RunSQL(_CLEAN, migrations.RunSQL.noop)]
