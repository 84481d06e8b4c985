# The service without a Neo4j of its own: give it LEXHOP_GRAPH_URL and LEXHOP_DATABASE_URL (docs/docker.md).
FROM python:3.13-slim-bookworm AS build
WORKDIR /src
COPY requirements/image.txt requirements/
RUN python -m venv /opt/lexhop \
 && /opt/lexhop/bin/pip install --no-cache-dir --require-hashes -r requirements/image.txt
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY service service
COPY loaders loaders
COPY cypher cypher
COPY migrations migrations
COPY data data
RUN /opt/lexhop/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.13-slim-bookworm
RUN useradd --uid 10001 --create-home lexhop && install -d -o lexhop /data
COPY --from=build /opt/lexhop /opt/lexhop
ENV PATH=/opt/lexhop/bin:$PATH \
    LEXHOP_HOME=/data \
    LEXHOP_HOST=0.0.0.0 \
    LEXHOP_LOG_JSON=1
USER lexhop
VOLUME /data
EXPOSE 8321
# /readyz asks the graph and the ledger; a graph that is down for a moment is no reason to kill the service, so /healthz.
HEALTHCHECK --start-period=60s --interval=15s --timeout=5s --retries=4 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8321/healthz', timeout=4)"]
ENTRYPOINT ["lexhop"]
CMD ["serve"]
