"""The connections of the page: when there is no room for a new one, the oldest that only waits makes room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer

RESERVE = 1  # of `connection_limit`: at the limit itself, waitress accepts no connection


class _Server(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """A server that no client can block by keeping connections: a byte now and then is no activity that counts."""

    def handle_accept(self) -> None:
        """Accept a connection; if there is no room, close the oldest one that neither asks nor is answered instead.

        The new one is accepted in the next turn of the loop: in this one it could get the number of the closed one's
        file, and with it what the system has said of that file, and be closed as one that cannot be read.
        """
        if len(self._map) >= self.adj.connection_limit - RESERVE:
            channels = self.active_channels.values()
            waiting = [channel for channel in channels if not (channel.requests or channel.total_outbufs_len)]
            if waiting:
                min(waiting, key=lambda channel: channel.creation_time).handle_close()
                return
        super().handle_accept()


def listening_server(application: Callable[..., Any], sockets: dict[int, Any] | None = None, **settings: Any) -> Any:
    """Return waitress' server of a web application, with waitress' settings; it listens already.

    Its limit of connections alone would block the page: a client without the token can keep them all, each with half
    a request and one more byte every few seconds. Here such a connection lasts only until another one needs its place.
    A browser whose idle connection is closed opens a new one.

    Parameters
    ----------
    application
        The application, as WSGI has it.
    sockets
        Receives the sockets that the server's loop looks after, by their number.
    **settings
        Settings of waitress, such as `host`, `port`, `connection_limit`.

    Raises
    ------
    OSError, OverflowError, ValueError
        The address is not free, or is none.
    """
    return _Server(application, sockets, adj=Adjustments(**settings))
