"""Imports the product's slow libraries, and of its own modules only those that read no settings.

Each forked process sets Django up itself, with its own environment.
"""

# ruff: noqa: F401 - imported for processes that are forked afterwards

import gc

import aio_pika
import argon2
import cryptography.fernet
import django.contrib.admin
import django.core.management
import drf_spectacular.utils
import httpx
import langfuse.api
import mcp.client
import mcp.client.streamable_http
import mcp.server.lowlevel
import mcp.server.stdio
import mcp.server.streamable_http_manager
import numpy
import openai
import prometheus_client
import psycopg_pool
import pydantic
import redis.asyncio
import rest_framework.serializers
import rich.progress
import structlog
import uvicorn
import uvloop
import webauthn
import websockets.asyncio.client
from django.conf import settings

import agents.adapters.openai
import agents.engine.closing
import agents.engine.roster
import agents.jobs.rabbitmq
import agents.permissions.approvals.boundaries
import agents.tools.briefs
import agents.tools.models
import agents.tools.overviews
import agents.tools.plans
import agents.tools.recollection
import chat.devices.links
import chat.formatters.formatter
import chat.protocol.schema
import chat.turns.supervisor
import memory.index
import memory.plain_facts
import memory.search.ranking

assert not settings.configured, "a fork would take its settings from here"
# Forks do not collect the objects of these modules: that would copy their memory.
gc.collect()
gc.freeze()
