from django.db import migrations

_NOTICE = """
    CREATE FUNCTION adiuva_notice_of_rules() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' THEN
            PERFORM pg_notify('adiuva_rules', OLD.user_id::text);
        ELSE
            PERFORM pg_notify('adiuva_rules', NEW.user_id::text);
        END IF;
        RETURN NULL;
    END
    $$
"""
_TABLES = ("agents_toolpolicy", "agents_sharingmarks")


class Migration(migrations.Migration):
    """A change of policies or marks is told to all processes, however it is made, when it is committed."""

    dependencies = [("agents", "0011_callable_choices")]

    operations = [
        migrations.RunSQL(_NOTICE, "DROP FUNCTION adiuva_notice_of_rules"),
        *(
            migrations.RunSQL(
                f"CREATE TRIGGER adiuva_notice AFTER INSERT OR UPDATE OR DELETE ON {table}"
                " FOR EACH ROW EXECUTE FUNCTION adiuva_notice_of_rules()",
                f"DROP TRIGGER adiuva_notice ON {table}",
            )
            for table in _TABLES
        ),
    ]
