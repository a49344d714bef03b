"""Let staff's personal tokens from before there were scopes keep what they may see of others."""

from django.db import migrations

GIVE = """
UPDATE accounts_personaltoken SET scope = 'read write staff:read'
FROM accounts_user WHERE accounts_user.id = user_id AND accounts_user.is_staff AND scope = 'read write'
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0011_nameless_admin_log")]

    operations = [migrations.RunSQL(GIVE, migrations.RunSQL.noop)]
