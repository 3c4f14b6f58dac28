"""Try to get in at ports of this machine as another user: a script for the tests of the cluster.

`python intruder.py UID SECRET PORT...` becomes that user and prints as JSON what it achieved: who it is, whether it
could read the file SECRET, and for each port what was answered to a page request, to plain TCP, and to TLS with an
identity of its own. None: nothing that helps it.
"""

import asyncio
import json
import os
import socket
import ssl
import sys
from pathlib import Path
from typing import Any

from distributed import Security
from distributed.comm import connect


def page(port: int) -> str | None:
    """The first line that a web server answers."""
    with socket.create_connection(("127.0.0.1", port), timeout=3) as connection:
        connection.settimeout(3)
        try:
            connection.sendall(b"GET /info/main/workers.html HTTP/1.0\r\n\r\n")
            answer = connection.recv(100)
        except OSError:
            return None
    return answer.decode("latin-1").splitlines()[0] if answer.startswith(b"HTTP") else None


async def identity(address: str, **arguments: Any) -> str | None:
    """What a server of a cluster says it is."""

    async def ask() -> str:
        comm = await connect(address, timeout=3, **arguments)
        await comm.write({"op": "identity", "reply": True})
        answer = await comm.read()
        comm.abort()
        return str(answer["type"])

    try:
        return await asyncio.wait_for(ask(), 6)
    except (OSError, TimeoutError, RuntimeError, ValueError):
        return None


def stranger() -> dict[str, Any]:
    """The TLS identity of somebody else, who does not even check with whom he speaks."""
    arguments: dict[str, Any] = Security.temporary().get_connection_args("client")
    arguments["ssl_context"].verify_mode = ssl.CERT_NONE
    return arguments


async def answers(port: int) -> dict[str, str | None]:
    """What was answered at a port, by the way it was asked."""
    own = stranger()
    attempts = (
        asyncio.to_thread(page, port),
        identity(f"tcp://127.0.0.1:{port}"),
        identity(f"tls://127.0.0.1:{port}", **own),
    )
    return dict(zip(("page", "tcp", "tls"), await asyncio.gather(*attempts), strict=True))


async def all_answers(ports: list[int]) -> dict[int, dict[str, str | None]]:
    """What was answered, by port."""
    return dict(zip(ports, await asyncio.gather(*map(answers, ports)), strict=True))


def readable(path: str) -> bool:
    """Whether this user may read a file."""
    try:
        with Path(path).open(encoding="utf-8"):
            return True
    except PermissionError:
        return False


if __name__ == "__main__":
    uid, secret, ports = int(sys.argv[1]), sys.argv[2], [int(port) for port in sys.argv[3:]]
    asyncio.run(identity("tcp://127.0.0.1:1"))  # imports everything, which the other user may not be able to
    if uid != os.getuid():
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    print(json.dumps({"uid": os.getuid(), "secret": readable(secret), "ports": asyncio.run(all_answers(ports))}))
