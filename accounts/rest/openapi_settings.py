"""What the OpenAPI document says of REST as a whole: drf-spectacular's settings. Imports nothing of Django."""

from typing import Any, Final

OPENAPI_SETTINGS: Final[dict[str, Any]] = {
    "TITLE": "Adiuva",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "DESCRIPTION": (
        "The REST half of Adiuva, a productivity assistant whose user data stays on the user's own device. Sign in, "
        "then send the access token with every request as `Authorization: Bearer …`. Every error is a problem of RFC "
        "9457 with `code` and `message` beside it; every list has the shape `{results, next}`. The socket protocol has "
        "documents of its own: `/api/v1/ws/schema.json` and `/api/v1/ws/asyncapi.json`."
    ),
    "SERVERS": [{"url": "/", "description": "This server."}],
    "TAGS": [
        {"name": "Accounts", "description": "Registration, sign-in, and the account itself."},
        {
            "name": "Approvals",
            "description": "What the user is asked before a tool runs, and what is not asked.",
        },
        {"name": "Authenticator apps", "description": "A second factor for confirming, and recovery codes."},
        {"name": "Assistant", "description": "Asking the assistant."},
        {"name": "Devices", "description": "The devices that hold the user's data."},
        {"name": "Disclosures", "description": "Which rows went to which model, and what never does."},
        {"name": "Documents", "description": "These documents."},
        {"name": "Jobs", "description": "Tools that continue after the answer."},
        {"name": "Links by e-mail", "description": "A forgotten password, and verifying an address."},
        {"name": "Memory", "description": "What is remembered about the user."},
        {"name": "Passkeys", "description": "Signing in and confirming without a password."},
        {"name": "Personal tokens", "description": "For programs at `/mcp`."},
        {"name": "Sessions", "description": "Where the user is signed in."},
        {"name": "Vectors", "description": "Texts as vectors."},
    ],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "accounts.rest.openapi_document.finish",
    ],
    "COMPONENT_SPLIT_REQUEST": True,  # requests and answers differ: an answer has every field
    "COMPONENT_SPLIT_PATCH": False,  # a change requires what its serializer requires
    "ENUM_NAME_OVERRIDES": {  # fields with the same name and different values, or with the same values
        "ApprovalStateEnum": "agents.permissions.models.ApprovalState.values",
        "DecisionEnum": "agents.permissions.models.Decision.values",
        "JobStateEnum": "agents.jobs.models.JobState.values",
        "TableEnum": "agents.rest.disclosures.TABLES",
    },
}
