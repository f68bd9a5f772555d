"""Ports for servers that are ended and started again."""

import random
import socket


def free_port() -> int:
    """Returns a free port of those that the system gives to no connection.

    A later server can have it again, as it could not if a connection had taken it meanwhile.
    """
    for _ in range(100):
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass
    raise SystemExit("no port is free")
