# recollect on a server: sessions are mounted read-only, memory lives in the volume /data.
#   docker build -t recollect .
#   docker run --rm -v ~/.pi/agent/sessions:/sessions:ro -v recollect:/data recollect nightly --direct
#   docker run --rm -i -v recollect:/data recollect mcp
#   docker build --target worker -t recollect-worker .      for Prefect's Docker and Kubernetes pools (docs/scale.md)
FROM python:3.12-slim AS base

ENV PYTHONDONTWRITEBYTECODE=1 \
    RECOLLECT_SESSIONS=/sessions \
    RECOLLECT_LAKE=/data/lake \
    RECOLLECT_WORKSPACE=/data/workspace \
    PREFECT_HOME=/data/prefect \
    PREFECT_SERVER_ANALYTICS_ENABLED=false \
    DO_NOT_TRACK=1

WORKDIR /app
COPY requirements.lock ./
# --no-deps: the lock is complete, and leaves out the unused dependencies of two packages (see pyproject.toml).
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock
COPY . .
RUN pip install --no-cache-dir --no-deps -e . \
 && useradd --create-home owner && mkdir -p /sessions /data && chown owner /data

USER owner
VOLUME /data

# A worker of Prefect gives the whole command, so nothing may stand before it.
FROM base AS worker

FROM base
ENTRYPOINT ["recollect"]
CMD ["nightly", "--direct"]
