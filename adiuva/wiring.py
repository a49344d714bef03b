"""Which implementation stands behind each port: chosen here, from settings, and passed in."""

from django.conf import settings

from accounts.socket_auth import authenticate_token
from accounts.socket_devices import device_arrived, device_left, revoked_standings
from agents.adapters.base import ModelSize
from agents.adapters.offline import OfflineAdapter
from agents.adapters.openai import OpenAIAdapter, openai_client
from chat.connections import ConnectionManager
from chat.frames.server import EmbeddingInfo, Limits
from chat.links import DeviceLink
from chat.rates import RequestRate
from chat.revocation import RevocationWatch
from chat.services import ChatServices, Timings
from chat.supervisor import TurnSupervisor
from chat.turns.asking import Kit
from chat.turns.factory import TurnFactory
from memory.embedders.hashing import HashingEmbedder
from memory.embedders.openai import OpenAIEmbedder


def kit() -> Kit:
    """The model and the embedder: a real model's where a key or a base URL is set, else those that need none."""
    if not (settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL):
        return Kit(adapter=OfflineAdapter(), embedder=HashingEmbedder())
    client = openai_client(
        api_key=settings.OPENAI_API_KEY, base_url=settings.OPENAI_BASE_URL, stall_s=settings.OPENAI_STALL_S
    )
    models = {ModelSize.LARGE: settings.OPENAI_MODEL, ModelSize.SMALL: settings.OPENAI_SMALL_MODEL}
    return Kit(adapter=OpenAIAdapter(client, models), embedder=OpenAIEmbedder(client, settings.OPENAI_EMBEDDING_MODEL))


def chat_services() -> ChatServices:
    """What the sockets of this process share."""
    parts = kit()
    timings = Timings()
    supervisor = TurnSupervisor(max_running=settings.MAX_CONCURRENT_REQUESTS)
    return ChatServices(
        authenticate=authenticate_token,
        device_arrived=device_arrived,
        device_left=device_left,
        revocation=RevocationWatch(ask=revoked_standings, supervisor=supervisor, every_s=timings.revocation_s),
        connections=ConnectionManager(make_link=lambda: DeviceLink(timeout_s=settings.CLIENT_CALL_TIMEOUT_S)),
        supervisor=supervisor,
        turns=TurnFactory(kit=parts),
        embedding=EmbeddingInfo(model=parts.embedder.name, dimensions=parts.embedder.dimensions),
        rate=RequestRate(per_minute=settings.REQUESTS_PER_MINUTE),
        limits=Limits(
            max_frame_bytes=settings.MAX_FRAME_BYTES, max_concurrent_requests=settings.MAX_CONCURRENT_REQUESTS
        ),
        allowed_origins=frozenset(settings.ALLOWED_ORIGINS),
        timings=timings,
    )
