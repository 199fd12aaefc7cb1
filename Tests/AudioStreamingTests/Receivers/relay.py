"""A server of WebSockets between one sender of iounit.stream/1 and any number of listeners: who asks for /send sends, who asks for
/stream listens, from the next packet on.

usage: relay.py PORT_FILE [TOKEN [ADDRESS]]
With a TOKEN it is asked of those who listen.
"""
import asyncio
import http
import os
import socket
import sys

import websockets

port_file, token = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
address = sys.argv[3] if len(sys.argv) > 3 else "127.0.0.1"
opening, header, listeners = None, None, set()


async def serve(connection, path):
    global opening, header
    if path == "/send":
        opening, header = None, None
        async for message in connection:
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
        await connection.send(opening)
    if header:
        await connection.send(header)
    listeners.add(connection)
    try:
        await connection.wait_closed()
    finally:
        listeners.discard(connection)


async def admit(path, headers):
    if path not in ("/send", "/stream"):
        return http.HTTPStatus.NOT_FOUND, [], b""
    if path == "/stream" and token and headers.get("Authorization") != f"Bearer {token}":
        return http.HTTPStatus.UNAUTHORIZED, [], b""
    return None


async def main():
    # One that stands still is to be noticed soon.
    listener = socket.create_server((address, 0))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    async with websockets.serve(
            serve, sock=listener, process_request=admit, subprotocols=["iounit.stream.1"], max_size=2**21) as server:
        with open(port_file + ".new", "w", encoding="utf-8") as file:
            file.write(str(server.sockets[0].getsockname()[1]))
        os.rename(port_file + ".new", port_file)
        await asyncio.Future()


asyncio.run(main())
