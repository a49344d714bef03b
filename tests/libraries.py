"""Imports what takes the product long to import; of its own modules only those that read no settings.

A process forked from the one that imported this sets Django up by itself, with its own environment.
"""

# ruff: noqa: F401 - imported for those who import it afterwards

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
import websockets.asyncio.client
from django.conf import settings

import agents.engine.roster
import agents.offline.adapter
import chat.protocol.frames.server

assert not settings.configured, "a fork would take its settings from here"
# What is here already is not collected in forks: looking at it would copy its memory.
gc.collect()
gc.freeze()
