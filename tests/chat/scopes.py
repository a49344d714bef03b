"""Scopes as a client sends them, and requests with them."""

from pydantic import JsonValue

from tests.chat.sockets import Frame

TASKS: Frame = {"page": "tasks", "entityType": None}
TIMELINE: Frame = {"page": "timeline", "entityType": None}
PROJECTS: Frame = {"page": "projects-list", "entityType": None}
NOTES: Frame = {"page": "notes-list", "entityType": None}


def filtered(scope: Frame, **filters: JsonValue) -> Frame:
    return {**scope, "filters": filters}


def project(row_id: str = "p1", name: str = "Website", *, tasks: int = 2, notes: int = 1, milestones: int = 0) -> Frame:
    counts: Frame = {"tasks": tasks, "notes": notes, "milestones": milestones}
    return {"page": "project", "entityType": "project", "entityId": row_id, "entityName": name, "counts": counts}


def note(row_id: str = "n1", name: str = "Ideas", *, project_id: str | None = None, characters: int = 7) -> Frame:
    return {
        "page": "note",
        "entityType": "note",
        "entityId": row_id,
        "entityName": name,
        "projectId": project_id,
        "charCount": characters,
    }


def ask(message: str, scope: Frame, *, session: str = "s1", **fields: JsonValue) -> Frame:
    return {"type": "contextual_request", "session_id": session, "message": message, "scope": scope, **fields}


def go(scope: Frame, *, session: str = "s1") -> Frame:
    return {"type": "contextual_scope_update", "session_id": session, "scope": scope}
