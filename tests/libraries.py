"""Imports what takes the product long to import, and none of its own modules, which read settings."""

# ruff: noqa: F401 - imported for those who import it afterwards

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
