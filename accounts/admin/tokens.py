"""Tokens have no pages: their ids tell staff nothing, and users' pages end them."""

from django.contrib import admin
from rest_framework_simplejwt.token_blacklist.models import BlacklistedToken, OutstandingToken

admin.site.unregister([OutstandingToken, BlacklistedToken])
