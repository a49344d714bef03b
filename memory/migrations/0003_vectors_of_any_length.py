import pgvector.django.halfvec
from django.db import migrations

STORAGE = "ALTER TABLE memory_memoryassociative ALTER COLUMN embedding SET STORAGE"


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0002_words_kept"),
    ]

    operations = [
        # A change of type sets the storage back, so it is set after it, in either direction.
        migrations.RunSQL(migrations.RunSQL.noop, f"{STORAGE} PLAIN"),
        # Takes no longer for more rows: without a length there is nothing to check in them.
        migrations.AlterField(
            model_name="memoryassociative",
            name="embedding",
            field=pgvector.django.halfvec.HalfVectorField(null=True),
        ),
        # As PLAIN, in the row's page; but a row with a vector of nearly 8 KB may need its place for the rest.
        migrations.RunSQL(f"{STORAGE} MAIN", migrations.RunSQL.noop),
    ]
