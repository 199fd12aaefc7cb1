"""A receiver of iounit.stream/1 by WebSocket, with code of its own: reads the packets, decodes them, and prints what came as JSON.

usage: stream.py --port-file FILE [options]
It ends after --connections of them have ended, or when a line comes on standard input.
"""
import argparse
import asyncio
import base64
import ctypes
import hashlib
import http
import json
import os
import ssl
import struct
import subprocess
import sys
import threading

import websockets

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--port-file", required=True)
parser.add_argument("--connections", type=int, default=1)
parser.add_argument("--token", help="of those who may connect")
parser.add_argument("--certificate", help="and key, in one file: then it is encrypted")
parser.add_argument("--status", type=int, help="is answered in place of a WebSocket")
parser.add_argument("--stall", action="store_true", help="read nothing until a line comes")
parser.add_argument("--close-after", type=int, help="close each connection after so many messages")
parser.add_argument("--echo", action="store_true", help="send each message back, and read no packets")
parser.add_argument("--digest", action="store_true", help="of FLAC: print the sum of the samples, and keep no packets")
parser.add_argument("--no-protocol", action="store_true", help="do not say which protocol is spoken")
arguments = parser.parse_args()

connections = []


def packet(data):
    magic, version, flags, header, sequence, lost, first, wall, frames, length = struct.unpack("!4sBBHIIQqII", data[:40])
    if magic != b"iouS" or version != 1 or len(data) != header + length:
        raise ValueError("no packet: %r" % data[:40])
    return {"flags": flags, "sequence": sequence, "lost": lost, "first": first, "wall": wall, "frames": frames,
            "payload": data[header:]}


def decode_opus(opening, packets):
    opus = ctypes.CDLL("libopus.so.0")
    opus.opus_decoder_create.restype = ctypes.c_void_p
    code, channels = ctypes.c_int(), opening["channels"]
    decoder = ctypes.c_void_p(opus.opus_decoder_create(opening["rate"], channels, ctypes.byref(code)))
    out, room, skip = b"", (ctypes.c_float * (5760 * channels))(), 0
    for one in packets:
        if one["flags"] & 4:
            opus.opus_decoder_ctl(decoder, 4028)
            skip = opening["delayFrames"]
        count = opus.opus_decode_float(decoder, one["payload"], len(one["payload"]), room, 5760, 0)
        samples = bytes(room)[:4 * channels * count]
        dropped = min(skip, count)
        skip -= dropped
        out += samples[4 * channels * dropped:4 * channels * (dropped + one["frames"])]
    return out


def decode(opening, packets):
    """Samples as 32-bit floats of Opus, and as the integers or floats that they are of all else."""
    header = b"".join(one["payload"] for one in packets if one["flags"] & 2)
    sound = [one for one in packets if not one["flags"] & 3]
    if opening["codec"] == "opus":
        return decode_opus(opening, sound)
    payloads = b"".join(one["payload"] for one in sound)
    if opening["codec"] != "flac" or not sound:
        return payloads
    command = ["flac", "-d", "-s", "-c", "--force-raw-format", "--endian=little", "--sign=signed", "-"]
    return subprocess.run(command, input=header + payloads, stdout=subprocess.PIPE, check=True).stdout


class Digest:
    """Decodes FLAC as it comes, and sums it up."""

    def __init__(self):
        command = ["flac", "-d", "-s", "-c", "--force-raw-format", "--endian=little", "--sign=signed", "-"]
        self.program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.sum = hashlib.sha256()
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        while data := self.program.stdout.read(65536):
            self.sum.update(data)

    def add(self, payload):
        self.program.stdin.write(payload)

    def end(self):
        self.program.stdin.close()
        self.thread.join()
        return self.sum.hexdigest() if self.program.wait() == 0 else None


digests = {}


async def serve(socket):
    record = {"opening": None, "packets": [], "protocol": socket.subprotocol, "agent": socket.request_headers.get("User-Agent"),
              "path": socket.path, "ended": False}
    connections.append(record)
    if arguments.digest:
        digests[id(record)] = Digest()
    if arguments.stall:
        await resumed.wait()
    count = 0
    try:
        async for message in socket:
            count += 1
            if arguments.echo:
                await socket.send(message)
            elif record["opening"] is None:
                record["opening"] = json.loads(message if isinstance(message, str) else "no text")
            elif arguments.digest:
                one = packet(message)
                if not one["flags"] & 1:
                    digests[id(record)].add(one["payload"])
            else:
                record["packets"].append(packet(message))
            if count == arguments.close_after:
                await socket.close(4000, "enough")
    except websockets.ConnectionClosedError as error:
        record["error"] = str(error)
    record["code"] = socket.close_code
    record["ended"] = True
    if len(connections) >= arguments.connections and all(one["ended"] for one in connections):
        finished.set()


def admit(path, headers):
    if arguments.status:
        return http.HTTPStatus(arguments.status), [], b"something else"
    if arguments.token and headers.get("Authorization") != "Bearer " + arguments.token:
        return http.HTTPStatus.UNAUTHORIZED, [("WWW-Authenticate", "Bearer")], b""
    return None


async def admission(path, headers):
    return admit(path, headers)


async def main():
    global finished, resumed
    finished, resumed = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def lines():
        while sys.stdin.readline():
            loop.call_soon_threadsafe(resumed.set if arguments.stall and not resumed.is_set() else finished.set)

    threading.Thread(target=lines, daemon=True).start()
    context = None
    if arguments.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(arguments.certificate)
    server = await websockets.serve(
        serve, "127.0.0.1", arguments.port, subprotocols=None if arguments.no_protocol else ["iounit.stream.1"],
        ssl=context, process_request=admission, max_size=2 << 20)
    with open(arguments.port_file + ".new", "w") as file:
        file.write(str(server.sockets[0].getsockname()[1]))
    os.rename(arguments.port_file + ".new", arguments.port_file)
    await finished.wait()
    server.close()
    await server.wait_closed()


asyncio.run(main())
for one in connections:
    if arguments.digest:
        one["digest"] = digests[id(one)].end()
    elif one["opening"]:
        one["sound"] = base64.b64encode(decode(one["opening"], one["packets"])).decode()
    for part in one["packets"]:
        part["bytes"] = len(part["payload"])
        part["payload"] = part["payload"].decode("ascii", "replace") if part["flags"] & 1 else ""
print(json.dumps(connections))
