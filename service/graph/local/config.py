"""Neo4j's and the Java machine's settings for a local graph: safe and light."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.graph.local.spec import HostSpec

__all__ = ["java_arguments", "neo4j_settings", "settings_text"]


def neo4j_settings(spec: HostSpec, *, bolt: bool) -> dict[str, str]:
    """Return Neo4j's settings by name.

    Args:
        spec: What is to be started.
        bolt: Whether Bolt answers. The first time of a start it does not: a new password is set before anybody can
            log in, with the well-known first one or with that of an earlier start.
    """
    address = f"127.0.0.1:{spec.port}"
    return {
        # Loopback only, and nothing but Bolt.
        "server.bolt.enabled": "true" if bolt else "false",
        "server.default_listen_address": "127.0.0.1",
        "server.bolt.listen_address": address,
        "server.bolt.advertised_address": address,
        "server.http.enabled": "false",
        "server.https.enabled": "false",
        "dbms.security.auth_enabled": "true",
        # The password has 256 bits of chance: guessing is no danger, locking out the clients after a restart is one.
        "dbms.security.auth_max_failed_attempts": "0",
        # Nothing leaves this machine, and LOAD CSV reads neither its files nor addresses.
        "dbms.usage_report.enabled": "false",
        "dbms.security.allow_csv_import_from_file_urls": "false",
        "internal.dbms.cypher_ip_blocklist": "0.0.0.0/0,::/0",
        # Setting the password at the first start is slow, and no client's business: no limit while Bolt is off.
        "db.transaction.timeout": f"{spec.transaction_seconds if bolt else 0}s",
        # A new home takes 3 MB instead of 516.
        "db.tx_log.preallocate": "false",
        "db.tx_log.rotation.size": "16m",
        "db.tx_log.rotation.retention_policy": "100M size",
        "server.memory.pagecache.size": f"{spec.page_cache_mb}m",
        # Without this a shutdown waits ten seconds for nobody.
        "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",
    }


def settings_text(settings: dict[str, str]) -> str:
    """Return the settings as the properties file that Neo4j reads."""
    lines = [f"{name}={value}" for name, value in settings.items()]
    return "\n".join(["# Written anew at each start of the local graph; changes here are lost.", *lines, ""])


def java_arguments(spec: HostSpec) -> list[str]:
    """Return the arguments of the Java machine."""
    return [
        f"-Xmx{spec.heap_mb}m",
        # Python handles the signals.
        "-Xrs",
        # Half a server that goes on after an OutOfMemoryError helps nobody: the next client starts a whole one.
        "-XX:+ExitOnOutOfMemoryError",
        f"-XX:ErrorFile={spec.run}/hs_err.log",
        "-Dfile.encoding=UTF-8",
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "--add-opens=java.base/java.io=ALL-UNNAMED",
        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        *spec.java_options,
    ]
