"""A server of WebSockets between one sender of iounit.stream/1 and any number of listeners: who asks for /send sends, who asks for
/stream listens, from the next packet on.

usage: relay.py PORT_FILE [TOKEN]
With a TOKEN it is asked of those who listen.
"""
import asyncio
import http
import os
import sys

import websockets

port_file, token = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
opening, header, listeners = None, None, set()


async def serve(socket, path):
    global opening, header
    if path == "/send":
        opening, header = None, None
        async for message in socket:
            if isinstance(message, str):
                opening = message
                websockets.broadcast(listeners, message)
                continue
            # What a decoder needs first.
            if message[5] & 2:
                header = message
            websockets.broadcast(listeners, message)
        return
    if opening:
        await socket.send(opening)
    if header:
        await socket.send(header)
    listeners.add(socket)
    try:
        await socket.wait_closed()
    finally:
        listeners.discard(socket)


async def admit(path, headers):
    if path not in ("/send", "/stream"):
        return http.HTTPStatus.NOT_FOUND, [], b""
    if path == "/stream" and token and headers.get("Authorization") != f"Bearer {token}":
        return http.HTTPStatus.UNAUTHORIZED, [], b""
    return None


async def main():
    async with websockets.serve(
            serve, "127.0.0.1", 0, process_request=admit, subprotocols=["iounit.stream.1"], max_size=2**21) as server:
        with open(port_file + ".new", "w", encoding="utf-8") as file:
            file.write(str(server.sockets[0].getsockname()[1]))
        os.rename(port_file + ".new", port_file)
        await asyncio.Future()


asyncio.run(main())
