"""All settings. Everything that differs between installations comes from the environment."""

import os
import secrets
import sys
from datetime import timedelta
from pathlib import Path

from corsheaders.defaults import default_headers
from django.core.exceptions import ImproperlyConfigured

from accounts import translations
from accounts.rest.openapi_settings import OPENAPI_SETTINGS
from adiuva import secret_keys
from adiuva.channel_layers import channel_layers
from adiuva.database import embedded
from adiuva.database.pool import database_from_url
from adiuva.env import (
    Environment,
    check_langfuse_access,
    checked_amqp_url,
    checked_redis_url,
    langfuse_environment,
    otlp_headers,
    relying_party_id,
    sentry_dsn,
)
from adiuva.mail_setting import TIMEOUT_S, mail_server, public_url, sender
from adiuva.models_setting import configured_models, embedding_model, fallback_order, offered_names
from adiuva.rates_setting import attempt_rates
from adiuva.server import content_policy, logs
from agents.adapters.dialects import DialectName, Effort

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment(os.environ)

DEBUG = env.flag("ADIUVA_DEBUG")
DATA_DIR = env.path("ADIUVA_DATA_DIR", BASE_DIR / "var")

# Secrets. In development they are created once in DATA_DIR; in production the system checks require them. Django cannot
# even list problems without a secret key, so without one this process uses a random key that nothing else knows.
SECRET_KEY = env.secret("ADIUVA_SECRET_KEY") or (secret_keys.secret_key(DATA_DIR) if DEBUG else "")
SECRET_KEY_IS_SET = bool(SECRET_KEY)
SECRET_KEY = SECRET_KEY or secrets.token_urlsafe(50)
MASTER_KEYS = env.secret("ADIUVA_MASTER_KEYS") or (secret_keys.master_key(DATA_DIR) if DEBUG else "")

ALLOWED_HOSTS = env.hosts("ADIUVA_ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]") if DEBUG else ())
# Origins of web pages that may open the socket or call REST. Native clients send no Origin and need no entry.
ALLOWED_ORIGINS = env.origins("ADIUVA_ALLOWED_ORIGINS")
CSRF_TRUSTED_ORIGINS = ALLOWED_ORIGINS
CORS_ALLOWED_ORIGINS = ALLOWED_ORIGINS
CORS_ALLOW_HEADERS = [*default_headers, "idempotency-key", "if-match", "if-none-match"]
CORS_EXPOSE_HEADERS = ["ETag", "Idempotent-Replayed", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-ID"]
CORS_URLS_REGEX = r"^/api/"  # tokens are sent in a header and never in a cookie, so credentials are not allowed

INSTALLED_APPS = [
    # First, so that `manage.py runserver` speaks ASGI. Importing it would cost every other process 0.3 s.
    *(["daphne"] if sys.argv[1:2] == ["runserver"] else []),
    "unfold.apps.BasicAppConfig",  # before the admin, whose pages it styles
    "accounts.apps.StaffAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "corsheaders",
    "rest_framework",
    "rest_framework_simplejwt.token_blacklist",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "adiuva",
    "accounts",
    "memory",
    "agents",
    "chat",
]

MIDDLEWARE = [
    "adiuva.server.health.health_middleware",  # first: probes know neither our host names nor HTTPS
    "adiuva.metrics.metrics_middleware",  # like a probe
    "adiuva.server.access_log.access_log_middleware",
    "adiuva.server.not_stored.not_stored_middleware",
    "adiuva.server.encrypted_only.encrypted_only_middleware",  # before the redirection to HTTPS
    "django.middleware.security.SecurityMiddleware",
    "adiuva.server.content_policy.ContentPolicyMiddleware",  # also for static files and answers of middleware
    "adiuva.server.static_files.StaticFilesMiddleware",
    "adiuva.server.unavailable.UnavailableMiddleware",  # around all that may read a user
    "django.contrib.sessions.middleware.SessionMiddleware",
    "corsheaders.middleware.CorsMiddleware",  # before middleware that may answer by itself
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "adiuva.urls"
ASGI_APPLICATION = "adiuva.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# DATABASE_URL, or the embedded PostgreSQL in DATA_DIR, which the processes that need it start.
DATABASE_URL = env.secret("DATABASE_URL")
DATABASES = {"default": database_from_url(DATABASE_URL) if DATABASE_URL else embedded.django_database(DATA_DIR)}
DATABASE_AWAY_S = env.seconds("ADIUVA_DATABASE_AWAY_S", 2.5)  # without an answer; then requests are refused at once
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Accounts
AUTH_USER_MODEL = "accounts.User"
PASSWORD_HASHERS = ["accounts.auth.hashers.BoundedArgon2Hasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

# Passkeys are bound to this host name: pages of it and of the hosts below it may ask for them.
WEBAUTHN_RP_ID = relying_party_id(
    "ADIUVA_WEBAUTHN_RP_ID", env.text("ADIUVA_WEBAUTHN_RP_ID"), ALLOWED_HOSTS, debug=DEBUG
)
# How long personal tokens last without a date of their own, and at most with one; 0: no end.
PERSONAL_TOKEN_DAYS = env.days("ADIUVA_PERSONAL_TOKEN_DAYS", 90)
PERSONAL_TOKEN_MAX_DAYS = env.days("ADIUVA_PERSONAL_TOKEN_MAX_DAYS", 365)
if 0 < PERSONAL_TOKEN_MAX_DAYS < PERSONAL_TOKEN_DAYS:
    raise ImproperlyConfigured(
        f"ADIUVA_PERSONAL_TOKEN_DAYS is {PERSONAL_TOKEN_DAYS}, over ADIUVA_PERSONAL_TOKEN_MAX_DAYS "
        f"({PERSONAL_TOKEN_MAX_DAYS}): lower the first or raise the second."
    )

LANGUAGE_CODE = "en"
LANGUAGES = translations.LANGUAGES
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True
FORMAT_MODULE_PATH = "adiuva.formats"

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
WHITENOISE_USE_FINDERS = DEBUG
WHITENOISE_AUTOREFRESH = DEBUG

# The admin
LOGIN_REDIRECT_URL = "/admin/"
# Whether all staff must have a second factor, or only those who have added one are asked for it.
STAFF_SECOND_FACTOR = env.choice(
    "ADIUVA_STAFF_SECOND_FACTOR", "OPTIONAL" if DEBUG else "REQUIRED", ("REQUIRED", "OPTIONAL")
)
UNFOLD = {
    "SITE_TITLE": "Adiuva",
    "SITE_HEADER": "Adiuva",
    "SITE_SUBHEADER": "Administration, times in UTC",
    "SITE_SYMBOL": "forum",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "adiuva.server.static_files.icon"}],
    "SITE_URL": "/app/",
    "DASHBOARD_CALLBACK": "adiuva.dashboard.page.overview",
    "SIDEBAR": {"navigation": "adiuva.dashboard.page.navigation"},
    "ACCOUNT": {"navigation": "accounts.staff.sign_in.account_links"},
    "STYLES": ["adiuva.server.static_files.admin_colours", "adiuva.server.static_files.admin_lists"],
    "SCRIPTS": ["adiuva.server.static_files.admin_script"],
}

# REST
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.rest.requests.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["accounts.rest.throttles.UserThrottle"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["accounts.rest.requests.Utf8JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "accounts.rest.openapi.ApiSchema",
    "DEFAULT_METADATA_CLASS": "accounts.rest.options.AllowedMethods",
    "EXCEPTION_HANDLER": "accounts.rest.errors.handle",
    # Answers are ASCII: half a surrogate pair, which a request's JSON may contain, cannot be encoded as UTF-8.
    "UNICODE_JSON": False,
    # REMOTE_ADDR is the client: the server has already applied the headers of trusted proxies.
    "NUM_PROXIES": 0,
    "URL_FORMAT_OVERRIDE": None,  # only the Accept header chooses the format
}
SPECTACULAR_SETTINGS = OPENAPI_SETTINGS
DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024  # larger requests are refused, as on the socket; images are no fields
FILE_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024  # more than any body, so that none is written to a disk
SIMPLE_JWT = {
    "ACCESS_TOKEN_LIFETIME": timedelta(minutes=15),
    "REFRESH_TOKEN_LIFETIME": timedelta(days=30),
    "LEEWAY": 60,  # s by which the clocks of two servers may differ: a token from the future is taken
    "CHECK_REVOKE_TOKEN": True,  # tokens carry a digest of the stored password: a new password ends them
}
# E-mail: by a mail server, on the console in development, otherwise none.
PUBLIC_URL = public_url(env.text("ADIUVA_PUBLIC_URL"), ALLOWED_HOSTS, debug=DEBUG)  # in links
MAIL_SERVER = mail_server(env.secret("ADIUVA_SMTP_URL"))
MAIL_ENABLED = DEBUG or MAIL_SERVER is not None
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if MAIL_SERVER else 'console' if DEBUG else 'dummy'}.EmailBackend"
EMAIL_TIMEOUT = TIMEOUT_S
if MAIL_SERVER is not None:
    EMAIL_HOST, EMAIL_PORT = MAIL_SERVER.host, MAIL_SERVER.port
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL_SERVER.user, MAIL_SERVER.password
    EMAIL_USE_TLS, EMAIL_USE_SSL = MAIL_SERVER.starttls, MAIL_SERVER.tls
DEFAULT_FROM_EMAIL = SERVER_EMAIL = sender(env.text("ADIUVA_MAIL_FROM"), public_url=PUBLIC_URL)
PASSWORD_RESET_TIMEOUT = 60 * env.integer("ADIUVA_LINK_MINUTES", 60, minimum=1)  # of links in e-mail, too
REQUIRE_VERIFIED_EMAIL = env.flag("ADIUVA_REQUIRE_VERIFIED_EMAIL")
if REQUIRE_VERIFIED_EMAIL and not MAIL_ENABLED:
    raise ImproperlyConfigured(
        "ADIUVA_REQUIRE_VERIFIED_EMAIL needs e-mail to verify addresses: set ADIUVA_SMTP_URL, too, or remove it."
    )

# Whether programs may say who they are by a document at an address of theirs, which is fetched.
OAUTH_CLIENT_DOCUMENTS = env.flag("ADIUVA_OAUTH_CLIENT_DOCUMENTS", default=True)
# A client that sends a used refresh token again within this time gets the same answer; 0: it is always a replay.
REFRESH_GRACE_S = env.integer("ADIUVA_REFRESH_GRACE_S", 30)
EXPORT_TIMEOUT_S = env.seconds("ADIUVA_EXPORT_TIMEOUT_S", 600.0)  # for a client to read its download
MAX_SESSIONS = env.integer("ADIUVA_MAX_SESSIONS", 100, minimum=1)  # per user
# Rates of requests without authentication, by network and (``_address``) by the email address they name.
ATTEMPT_RATES = attempt_rates(env.text)
# Messages in the admin name users. In the cookie of who reads them, they are in no table.
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"

# The counters of attempts. Many invented addresses must not evict the counters of real ones.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}

# With REDIS_URL several processes serve the same users. The prefix separates servers that share one Redis.
REDIS_URL = env.secret("REDIS_URL")
if REDIS_URL:
    REDIS_URL = checked_redis_url(REDIS_URL)
REDIS_PREFIX = env.text("ADIUVA_REDIS_PREFIX") or "adiuva"
CHANNEL_LAYERS = channel_layers(REDIS_URL, secret=SECRET_KEY, prefix=REDIS_PREFIX)

# Slow tools: over RabbitMQ in worker processes, otherwise in this process. The prefix is for the names of queues.
AMQP_URL = env.secret("AMQP_URL")
if AMQP_URL:
    AMQP_URL = checked_amqp_url(AMQP_URL)
AMQP_PREFIX = env.text("ADIUVA_AMQP_PREFIX")
TOOL_WORKER_SLOTS = env.integer("ADIUVA_TOOL_WORKER_SLOTS", 2, minimum=1, maximum=1000)

# Models: the offline adapter unless a key or a base URL is set.
OPENAI_API_KEY = env.token("OPENAI_API_KEY")
OPENAI_BASE_URL = env.url("OPENAI_BASE_URL", schemes=("http", "https"))
OPENAI_MODEL = env.text("OPENAI_MODEL", "gpt-4.1")
OPENAI_SMALL_MODEL = env.text("OPENAI_SMALL_MODEL", "gpt-4.1-mini")
# The small model has the server of the large one unless it has an address or a key of its own.
OPENAI_SMALL_BASE_URL = env.url("OPENAI_SMALL_BASE_URL", schemes=("http", "https"))
OPENAI_SMALL_API_KEY = env.token("OPENAI_SMALL_API_KEY")
# None: what suits the server.
OPENAI_STALL_S = env.seconds("OPENAI_STALL_S", 0.0) or None  # how long an answer may stall before it is cancelled
FIRST_BYTE_S = env.seconds("ADIUVA_FIRST_BYTE_S", 0.0) or None
OPENAI_API = env.choice("OPENAI_API", "AUTO", ("AUTO", "CHAT_COMPLETIONS", "RESPONSES"))
OPENAI_DIALECT = env.choice("OPENAI_DIALECT", "AUTO", ("AUTO", *(name.upper() for name in DialectName)))
_EFFORTS = ("DEFAULT", *(effort.upper() for effort in Effort))
REASONING_EFFORT = env.choice("ADIUVA_REASONING_EFFORT", "DEFAULT", _EFFORTS)
SMALL_REASONING_EFFORT = env.choice("ADIUVA_SMALL_REASONING_EFFORT", "DEFAULT", _EFFORTS)
# With a key the assistant's models are Anthropic's.
ANTHROPIC_API_KEY = env.token("ANTHROPIC_API_KEY")
ANTHROPIC_BASE_URL = env.url("ANTHROPIC_BASE_URL", schemes=("http", "https"))
ANTHROPIC_MODEL = env.text("ANTHROPIC_MODEL", "claude-sonnet-5-5")
ANTHROPIC_SMALL_MODEL = env.text("ANTHROPIC_SMALL_MODEL", "claude-haiku-5-5")
ANTHROPIC_MAX_TOKENS = env.integer("ANTHROPIC_MAX_TOKENS", 16_384, minimum=1)
# Both providers' own models see images. What another server has is not known.
MODEL_SEES_IMAGES = env.flag(
    "ADIUVA_MODEL_SEES_IMAGES", default=not (ANTHROPIC_BASE_URL if ANTHROPIC_API_KEY else OPENAI_BASE_URL)
)
IMAGE_CACHE_BYTES = env.integer("ADIUVA_IMAGE_CACHE_BYTES", 256 * 1024 * 1024, minimum=16 * 1024 * 1024, maximum=2**50)
# Vectors: as the small model's. Without a name the model is OpenAI's, or hashing where a server lacks it.
OPENAI_EMBEDDING_BASE_URL = env.url("OPENAI_EMBEDDING_BASE_URL", schemes=("http", "https"))
OPENAI_EMBEDDING_API_KEY = env.token("OPENAI_EMBEDDING_API_KEY")
OPENAI_EMBEDDING_MODEL = embedding_model(env.text("OPENAI_EMBEDDING_MODEL"))
OPENAI_EMBEDDING_DIMENSIONS = env.integer("OPENAI_EMBEDDING_DIMENSIONS", 1536, minimum=16, maximum=4000)
OPENAI_EMBEDDING_QUERY_PREFIX = env.prefix("OPENAI_EMBEDDING_QUERY_PREFIX")
OPENAI_EMBEDDING_PASSAGE_PREFIX = env.prefix("OPENAI_EMBEDDING_PASSAGE_PREFIX")
OPENAI_EMBEDDING_TEXT_BYTES = env.integer("OPENAI_EMBEDDING_TEXT_BYTES", 8_000, minimum=500)
OPENAI_EMBEDDING_BATCH_TEXTS = env.integer("OPENAI_EMBEDDING_BATCH_TEXTS", 512, minimum=1)
OPENAI_EMBEDDING_BATCH_BYTES = env.integer("OPENAI_EMBEDDING_BATCH_BYTES", 250_000, minimum=500)
# Models besides the assistant's own, for other programs and for the assistant; a secret, because it may contain keys.
_OWN_MODEL = ANTHROPIC_MODEL if ANTHROPIC_API_KEY else OPENAI_MODEL if OPENAI_API_KEY or OPENAI_BASE_URL else ""
MODELS = configured_models(env.secret("ADIUVA_MODELS"), have_server=bool(_OWN_MODEL))
_OFFERED = offered_names(_OWN_MODEL, MODELS, small_server=OPENAI_SMALL_BASE_URL or OPENAI_SMALL_API_KEY)
FALLBACK_MODELS = fallback_order(env.listing("ADIUVA_FALLBACK_MODELS"), offered=_OFFERED)

# Langfuse, if its keys are set. Prompts come from the version with this label.
LANGFUSE_PUBLIC_KEY = env.text("LANGFUSE_PUBLIC_KEY")
LANGFUSE_SECRET_KEY = env.token("LANGFUSE_SECRET_KEY")
LANGFUSE_HOST = env.url("LANGFUSE_HOST", schemes=("http", "https"))
check_langfuse_access(public_key=LANGFUSE_PUBLIC_KEY, secret_key=LANGFUSE_SECRET_KEY, host=LANGFUSE_HOST)
LANGFUSE_ENVIRONMENT = langfuse_environment(env.text("LANGFUSE_TRACING_ENVIRONMENT"))
LANGFUSE_RELEASE = env.text("LANGFUSE_RELEASE")
LANGFUSE_HOST = LANGFUSE_HOST or "https://cloud.langfuse.com"
PROMPT_LABEL = env.text("ADIUVA_PROMPT_LABEL", "production")
# Where staff are shown how texts of prompts did: the folder with the results of evaluations.
EVALUATION_RESULTS = env.text("ADIUVA_EVALUATION_RESULTS")
PROMPT_REFRESH_S = env.seconds("ADIUVA_PROMPT_REFRESH_S", 60.0)

# What is sent to other servers for observation names this environment and release.
ENVIRONMENT = env.text("ADIUVA_ENVIRONMENT", LANGFUSE_ENVIRONMENT)
RELEASE = env.text("ADIUVA_RELEASE", LANGFUSE_RELEASE)

# Traces go to Langfuse if both its keys are set, and to any receiver of OTLP over HTTP.
OTLP_ENDPOINT = env.url("ADIUVA_OTLP_ENDPOINT", schemes=("http", "https"))
OTLP_HEADERS = otlp_headers(env.secret("ADIUVA_OTLP_HEADERS"))
TRACE_CONTENT = env.flag("ADIUVA_TRACE_CONTENT")  # traces contain what users and models say

# Errors are reported to this server of Sentry's protocol.
SENTRY_DSN = sentry_dsn(env.text("ADIUVA_SENTRY_DSN"))

# The token for /metrics; without it the page does not exist.
METRICS_TOKEN = env.token("ADIUVA_METRICS_TOKEN")
WORKER_METRICS = env.address("ADIUVA_WORKER_METRICS")  # where a worker of its own has that page
if WORKER_METRICS and not METRICS_TOKEN:
    raise ImproperlyConfigured("ADIUVA_WORKER_METRICS needs ADIUVA_METRICS_TOKEN: set it, too, or remove the address.")

# Memory
MEMORY = env.flag("ADIUVA_MEMORY", default=True)
EMBEDDING_BUDGET_MS = env.integer("ADIUVA_EMBEDDING_BUDGET_MS", 300, minimum=1)  # an answer's wait for its vector
MEMORY_TOKENS = env.integer("ADIUVA_MEMORY_TOKENS", 1500, minimum=100)  # what a model is told, in four characters each
MEMORY_INDEX_MIB = env.integer("ADIUVA_MEMORY_INDEX_MIB", 256, minimum=1)  # the indexes of one process
MEMORY_AWAY_MINUTES = env.integer("ADIUVA_MEMORY_AWAY_MINUTES", 10, minimum=1)  # then a user's index is dropped

# How many days ended records are kept; 0: until their user is erased. The dashboard shows 30 days of jobs and turns,
# and a device that was away for as long still receives the results of its jobs.
KEEP_JOBS_DAYS = env.days("ADIUVA_KEEP_JOBS_DAYS", 90, least=30)  # approvals, too
KEEP_DISCLOSURES_DAYS = env.days("ADIUVA_KEEP_DISCLOSURES_DAYS", 365)
KEEP_TURNS_DAYS = env.days("ADIUVA_KEEP_TURNS_DAYS", 90, least=30)
KEEP_DIALOGUES_DAYS = env.days("ADIUVA_KEEP_DIALOGUES_DAYS", 30)
# Longer than refresh tokens live: those that were used on a removed device stay refused.
KEEP_REMOVED_DEVICES_DAYS = env.days("ADIUVA_KEEP_REMOVED_DEVICES_DAYS", 90, least=31)
KEEP_ERASURE_TRACES_DAYS = env.days("ADIUVA_KEEP_ERASURE_TRACES_DAYS", 30)

# The socket (protocol version 3)
MAX_FRAME_BYTES = env.integer("ADIUVA_MAX_FRAME_BYTES", 4 * 1024 * 1024, minimum=1024)
MAX_REQUEST_VALUES = env.integer("ADIUVA_MAX_REQUEST_VALUES", 20_000, minimum=1000)
MAX_ANSWER_VALUES = env.integer("ADIUVA_MAX_ANSWER_VALUES", 200_000, minimum=1000)
MAX_CONCURRENT_REQUESTS = env.integer("ADIUVA_MAX_CONCURRENT_REQUESTS", 8, minimum=1)
REQUESTS_PER_MINUTE = env.integer("ADIUVA_REQUESTS_PER_MINUTE", 120, minimum=1)
MAX_JOBS = env.integer("ADIUVA_MAX_JOBS", 20, minimum=1)  # per user, under way at a time
CONVERSATION_MINUTES = env.integer("ADIUVA_CONVERSATION_MINUTES", 60, minimum=1)
MAX_SOCKETS = env.integer("ADIUVA_MAX_SOCKETS", 10, minimum=1)  # per user, at a time
MAX_DEVICES = env.integer("ADIUVA_MAX_DEVICES", 20, minimum=1)  # per user
CONNECTIONS_PER_MINUTE = env.integer("ADIUVA_CONNECTIONS_PER_MINUTE", 60, minimum=1)  # per user
# Frames that answer no call.
SOCKET_FRAMES_PER_S = env.integer("ADIUVA_SOCKET_FRAMES_PER_SECOND", 20, minimum=1)
USER_FRAMES_PER_S = env.integer("ADIUVA_USER_FRAMES_PER_SECOND", 40, minimum=1)
MAX_ARRIVING = env.integer("ADIUVA_MAX_ARRIVING", 64, minimum=1)  # of all users, on one process
FRAME_TIME_PERCENT = env.integer("ADIUVA_FRAME_TIME_PERCENT", 5, minimum=1)  # of the event loop's time, per user
DAILY_TURNS = env.integer("ADIUVA_DAILY_TURNS", 0)  # per user; 0: no limit
DAILY_TOKENS = env.integer("ADIUVA_DAILY_TOKENS", 0, maximum=2**50)
CLIENT_CALL_TIMEOUT_S = env.seconds("ADIUVA_CLIENT_CALL_TIMEOUT_S", 30.0)

# Slow clients: how long the server waits for each part of a request, and for its answer to be read.
HEAD_TIMEOUT_S = env.seconds("ADIUVA_HEAD_TIMEOUT_S", 10.0)
BODY_TIMEOUT_S = env.seconds("ADIUVA_BODY_TIMEOUT_S", 20.0)  # and longer while this rate is kept up:
MIN_BYTES_PER_S = env.integer("ADIUVA_MIN_BYTES_PER_S", 4096, minimum=1)
SEND_TIMEOUT_S = env.seconds("ADIUVA_SEND_TIMEOUT_S", 30.0)
KEEP_ALIVE_S = env.integer("ADIUVA_KEEP_ALIVE_S", 5, minimum=1)
CONNECTIONS_PER_ADDRESS = env.integer("ADIUVA_CONNECTIONS_PER_ADDRESS", 256)  # 0: no limit

# Reverse proxies (addresses or networks) whose X-Forwarded-For and X-Forwarded-Proto are trusted. The server applies
# them before Django sees the request. Django itself would trust anyone, so SECURE_PROXY_SSL_HEADER stays unset.
TRUSTED_PROXIES = env.networks("ADIUVA_TRUSTED_PROXIES", ("127.0.0.1", "::1"))

SESSION_ENGINE = "accounts.staff.session_store"  # sessions exist in the admin only
SESSION_COOKIE_AGE = 3600 * env.integer(
    "ADIUVA_STAFF_SESSION_HOURS", 12, minimum=1, maximum=8784
)  # from the sign-in on

# Security headers
CONTENT_SECURITY_POLICY = {"DIRECTIVES": content_policy.STRICT}
SECURE_SSL_REDIRECT = not DEBUG
SESSION_COOKIE_SECURE = not DEBUG
CSRF_COOKIE_SECURE = not DEBUG
SECURE_HSTS_SECONDS = 0 if DEBUG else 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = not DEBUG
SECURE_HSTS_PRELOAD = not DEBUG

# The log goes to standard error. In development it contains only problems.
LOG_LEVEL = env.choice("ADIUVA_LOG_LEVEL", "WARNING" if DEBUG else "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOG_EVERYTHING = env.flag("ADIUVA_LOG_EVERYTHING")
if LOG_EVERYTHING and not DEBUG:
    raise ImproperlyConfigured(
        "ADIUVA_LOG_EVERYTHING is for development: it writes what users say into the log. Remove it."
    )
LOG_FORMAT = env.choice("ADIUVA_LOG_FORMAT", "LINE", ("LINE", "JSON"))
_REPORTS = {"dsn": SENTRY_DSN, "environment": ENVIRONMENT, "release": RELEASE}
LOGGING = logs.configuration(
    level=LOG_LEVEL,
    everything=LOG_EVERYTHING,
    as_json=LOG_FORMAT == "JSON",
    reports=_REPORTS if SENTRY_DSN else None,
)
