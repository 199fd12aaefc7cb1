"""A server of WebSockets that says one line to all who come, and nothing else.

usage: opening.py PORT_FILE LINE
"""
import asyncio
import os
import sys

import websockets


async def serve(socket, path):
    await socket.send(sys.argv[2])
    await socket.wait_closed()


async def main():
    async with websockets.serve(serve, "127.0.0.1", 0, subprotocols=["iounit.stream.1"]) as server:
        with open(sys.argv[1] + ".new", "w", encoding="utf-8") as file:
            file.write(str(server.sockets[0].getsockname()[1]))
        os.rename(sys.argv[1] + ".new", sys.argv[1])
        await asyncio.Future()


asyncio.run(main())
