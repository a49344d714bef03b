# One image for the server, its workers and its commands. It contains no secrets: keys are set when it starts.

FROM python:3.13-slim AS packages
# The lock alone, and first: a change of sources does not install the packages again.
COPY requirements.lock .
RUN python -m venv /opt/packages \
    && /opt/packages/bin/pip install --require-hashes --no-deps --only-binary :all: --no-input --no-cache-dir \
        --disable-pip-version-check --requirement requirements.lock

FROM python:3.13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin adiuva
COPY --from=packages /opt/packages /opt/packages
# psycopg's OpenSSL looks for the authorities elsewhere.
ENV PATH=/opt/packages/bin:$PATH PYTHONUNBUFFERED=1 SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
WORKDIR /srv/adiuva
COPY . .
# Byte code is compiled here, where it can be written.
RUN python manage.py collectstatic --no-input --verbosity 0 && python -m compileall -q .
# By number, so that platforms can see that it is not root. It owns nothing in the image.
USER 10001:10001
ENV PYTHONDONTWRITEBYTECODE=1
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s --retries=3 \
    CMD ["python", "-c", "from http.client import HTTPConnection; c = HTTPConnection('127.0.0.1', 8000, timeout=3); c.request('GET', '/healthz'); raise SystemExit(c.getresponse().status != 200)"]
ENTRYPOINT ["tini", "--"]
CMD ["python", "-m", "adiuva.serve", "--host", "0.0.0.0"]
