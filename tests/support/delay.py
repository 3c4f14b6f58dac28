"""A proxy that delays all bytes: `python delay.py SECONDS HOST PORT TO_HOST TO_PORT`, for kernels without netem."""

import asyncio
import sys


async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """Pass bytes on in order, each piece `delay` seconds after it came."""
    loop, pieces = asyncio.get_running_loop(), asyncio.Queue[tuple[float, bytes]]()

    async def send() -> None:
        while True:
            due, piece = await pieces.get()
            await asyncio.sleep(due - loop.time())
            if not piece:
                writer.close()
                return
            writer.write(piece)
            await writer.drain()

    sending = asyncio.create_task(send())
    piece = b"first"
    while piece:
        try:
            piece = await reader.read(2**16)
        except OSError:
            piece = b""
        pieces.put_nowait((loop.time() + delay, piece))
    await sending


async def serve(delay: float, host: str, port: int, to_host: str, to_port: int) -> None:
    """Accept connections for ever."""

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection(to_host, to_port)
        except OSError:  # not yet; the caller tries again
            writer.close()
            return
        await asyncio.gather(pipe(reader, back, delay), pipe(there, writer, delay), return_exceptions=True)

    async with await asyncio.start_server(connect, host, port) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5])))
