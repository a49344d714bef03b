"""The endpoint at ``/mcp``, made of the services of this process."""

from django.conf import settings

from agents.mcp.calling import McpCalls, caller_with
from agents.mcp.endpoint import AccessRules, McpEndpoint, caller_of
from agents.mcp.server import mcp_server
from chat.cluster.devices import McpDevices
from chat.services import ChatServices


def mcp_endpoint(services: ChatServices) -> McpEndpoint:
    """The endpoint over ``services``."""
    calls = McpCalls(
        dependencies=services.turns.run,
        devices=McpDevices(connections=services.connections, presence=services.cluster.presence),
        jobs=services.turns.jobs,
    )
    rules = AccessRules(
        authenticate=caller_with,
        admit=services.rate.admit,
        hosts=settings.ALLOWED_HOSTS,
        origins=services.allowed_origins,
        secure=settings.SECURE_SSL_REDIRECT,
    )
    return McpEndpoint(mcp_server(calls, caller_of), rules)
