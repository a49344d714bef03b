"""Vectors from the server for notes that none of its tools wrote, so that they are found by meaning."""

from typing import Final, cast

from device.addresses import ServerAddress
from device.errors import ConnectionFailed
from device.rest import asked
from device.store import Store

_MAX_TEXTS: Final = 32
"""The server's limit for one request."""


async def embed_notes(server: ServerAddress, token: str, store: Store) -> None:
    """Store the vectors of the notes that have none; those that are never shared get none. Raises ``DeviceError``."""
    # Not at the top: numpy is a quarter of the time in which the terminal starts.
    from device.vectors import Vectors

    vectors = Vectors(store)
    notes = store.run("SELECT id, projectId, content FROM notes WHERE id NOT IN (SELECT id FROM _vectors)")
    for start in range(0, len(notes), _MAX_TEXTS):
        some = notes[start : start + _MAX_TEXTS]
        texts = [
            {"text": note["content"], "of": {"table": "notes", "id": note["id"], "project_id": note["projectId"]}}
            for note in some
        ]
        body = {"texts": texts, "device_id": store.device_id}
        answer = await asked(server, "POST", "storage/vectors/embed", token=token, body=body)
        made = answer.get("vectors") if isinstance(answer, dict) else None
        if not isinstance(made, list) or len(made) != len(some):
            raise ConnectionFailed("The server's vectors cannot be read.")
        for note, vector in zip(some, made, strict=True):
            if isinstance(vector, list):
                vectors.upsert(
                    cast("str", note["id"]),
                    cast("list[float]", vector),
                    project_id=cast("str | None", note["projectId"]),
                    content=cast("str", note["content"]),
                )
