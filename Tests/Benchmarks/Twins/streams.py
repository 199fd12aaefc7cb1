#!/usr/bin/python3
"""Measures iounit send and iounit receive by RTP on loopback beside zita-j2n and zita-n2j (Debian's zita-njbridge), on a private
server, in turn: the latency, and how late single packets may come before a hole is heard. One is worth nothing without the other.

usage: unshare --mount python3 Tests/Benchmarks/Twins/streams.py [ROUNDS] [PERIOD…]

At each period (64, 256 and 1024 frames where none is given), in each round (3), with 16 bits and a packet for each period: zita with a
buffer of the period, which it counts, and 10 ms; iounit with 2, 5 and 10 ms, and with what it finds by itself. iounit latency measures the
way of a sound once the clocks have settled. Then each 37th packet is held back, for longer and longer, while a tone is looked at for
holes. The table has the medians: the latency, and the longest lateness without a hole, in milliseconds.
Needs .build/release/iounit. The load of the machine is in the first line: above 1 the figures are the load's.
"""
import heapq
import json
import os
import socket
import statistics
import subprocess
import sys
import threading
import time

import jack
import numpy

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../.build/release/iounit")
SERVER, SETTLING, ENTRY, EXIT = f"streams-{os.getpid()}", 10, 7101, 7100
LATENESS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 30]
SINE = 24
"""Frames of a wave of the tone."""


def start(*words):
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Network(threading.Thread):
    """Hands packets on at once, but holds each 37th back."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seconds, self.waiting = 0.0, []
        self.entry, self.exit = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        self.entry.bind(("127.0.0.1", ENTRY))
        self.start()

    def run(self):
        count = 0
        while True:
            rest = self.waiting[0][0] - time.monotonic() if self.waiting else 1
            if rest <= 0:
                self.exit.sendto(heapq.heappop(self.waiting)[2], ("127.0.0.1", EXIT))
                continue
            self.entry.settimeout(rest)
            try:
                packet = self.entry.recv(65536)
            except TimeoutError:
                continue
            count += 1
            late = self.seconds if count % 37 == 0 else 0
            heapq.heappush(self.waiting, (time.monotonic() + late, count, packet))


class Ear:
    """Plays a tone to one port and looks for holes in what another one has."""

    def __init__(self, send, back):
        self.client, self.phase, self.blocks = jack.Client("tone", servername=SERVER, no_start_server=True), 0, []
        self.tone, self.heard = self.client.outports.register("out"), self.client.inports.register("in")
        self.client.set_process_callback(self.process)
        self.client.activate()
        self.client.connect(self.tone, send)
        self.client.connect(back, self.heard)

    def process(self, frames):
        place = numpy.arange(frames) + self.phase
        self.tone.get_array()[:] = 0.4 * numpy.cos(2 * numpy.pi * place / SINE)
        self.phase = (self.phase + frames) % SINE
        self.blocks.append(self.heard.get_array().copy())

    def has_hole(self, seconds):
        first = len(self.blocks)
        time.sleep(seconds)
        sound = numpy.concatenate(self.blocks[first:])
        return bool((numpy.convolve(sound**2, numpy.ones(SINE) / SINE, "valid") < 0.02).any())

    def close(self):
        self.client.deactivate()
        self.client.close()


def latency(send, back):
    words = [PROGRAM, "latency", "--server", SERVER, "--send", send, "--return", back, "--seconds", "3", "--json"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return (json.loads(done.stdout).get("latency") or {}).get("milliseconds")


def measure(network, send, back, settling, *processes):
    """Latency and the longest lateness without a hole; ends the processes."""
    try:
        time.sleep(settling)
        trip, longest, ear = latency(send, back), None, Ear(send, back)
        time.sleep(1)
        for late in LATENESS:
            network.seconds = late / 1000
            time.sleep(0.5)
            if ear.has_hole(3):
                break
            longest = late
        network.seconds = 0
        ear.close()
        return trip, longest
    finally:
        for process in processes:
            process.send_signal(2)
        for process in processes:
            process.wait(timeout=20)


def zita(network, period):
    receiver = start(
        "zita-n2j", "--jname", "zn", "--jserv", SERVER, "--buff", str(round(period / 48 + 10)), "127.0.0.1", str(EXIT))
    sender = start(
        "zita-j2n", "--jname", "zj", "--jserv", SERVER, "--chan", "2", "--16bit", "127.0.0.1", str(ENTRY))
    return measure(network, "zj:in_1", "zn:out_1", SETTLING, sender, receiver)


def iounit(network, period, buffer):
    common = ["--server", SERVER, "--no-connect", "--codec", "pcm16"]
    receiver = start(PROGRAM, "receive", *common, "--name", "ear", "--buffer", buffer, f"rtp://127.0.0.1:{EXIT}")
    sender = start(
        PROGRAM, "send", *common, "--name", "mouth", "--frame", f"{period / 48:.5f}", f"rtp://127.0.0.1:{ENTRY}")
    # It knows after 20 s what it needs, and moves there by a millisecond a second.
    settling = 45 if buffer == "auto" else SETTLING
    return measure(network, "mouth:in_1", "ear:out_1", settling, sender, receiver)


def middle(values):
    values = [value for value in values if value is not None]
    return f"{statistics.median(values):6.2f}" if values else "     –"


subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], check=True)
rounds, wire = int(sys.argv[1]) if len(sys.argv) > 1 else 3, Network()
print(f"load {os.getloadavg()[0]}, {rounds} rounds", flush=True)
for frames in [int(word) for word in sys.argv[2:]] or [64, 256, 1024]:
    server = start("jackd", "-n", SERVER, "-d", "dummy", "-r", "48000", "-p", str(frames))
    subprocess.run(
        ["jack_wait", "-s", SERVER, "-w", "-t", "10"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    contenders = {"zita + 10 ms": lambda: zita(wire, frames)}
    for milliseconds in ("2", "5", "10", "auto"):
        contenders[f"iounit {milliseconds}"] = lambda buffer=milliseconds: iounit(wire, frames, buffer)
    found = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            found[name].append(run())
    for name, all_ in found.items():
        trips, lates = zip(*all_)
        print(f"{frames:5} {name:13} latency {middle(trips)}   late {middle(lates)}   of {all_}", flush=True)
    server.terminate()
    server.wait(timeout=20)
