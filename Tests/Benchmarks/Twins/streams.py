#!/usr/bin/python3
"""Measures the latency of iounit send and iounit receive by RTP on loopback beside zita-j2n and zita-n2j (Debian's zita-njbridge),
on a private server, in turn.

usage: unshare --mount python3 Tests/Benchmarks/Twins/streams.py [ROUNDS] [PERIOD…]

At each period (64, 256 and 1024 frames where none is given), in each round (3), each of them runs with 16 bits, a packet for each
period and a buffer of 10 ms beyond the period, then with what iounit receive finds by itself. zita-n2j counts the period as part of its
buffer. iounit latency measures the way of a sound once the clocks have settled: the table has medians in milliseconds, the signal-to-noise
ratio of the last round, which is low where sound is missing, and wake-ups of the sender's worker for each second.
Needs .build/release/iounit. The load of the machine is in the first line: above 1 the figures are the load's.
"""
import json
import os
import statistics
import subprocess
import sys
import time

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../.build/release/iounit")
SERVER, SETTLING = f"streams-{os.getpid()}", 12


def start(*words, output=subprocess.DEVNULL):
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL)


def end(*processes, interrupt=False):
    for process in processes:
        process.send_signal(2) if interrupt else process.terminate()
    for process in processes:
        process.wait(timeout=20)


def measure(send, back):
    words = [PROGRAM, "latency", "--server", SERVER, "--send", send, "--return", back, "--seconds", "3", "--json"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    trip = json.loads(done.stdout).get("latency") or {}
    return trip.get("milliseconds"), trip.get("signalToNoiseDecibels")


def wakeups(process):
    """Voluntary switches of the thread that reads the tap."""
    for task in os.listdir(f"/proc/{process.pid}/task"):
        text = open(f"/proc/{process.pid}/task/{task}/status", encoding="utf-8").read()
        if text.startswith("Name:\tiounit-stream\n"):
            return int(text.split("\nvoluntary_ctxt_switches:")[1].split()[0])
    return 0


def zita(period):
    buffer = str(round(period / 48 + 10))
    receiver = start("zita-n2j", "--jname", "zn", "--jserv", SERVER, "--buff", buffer, "127.0.0.1", "7100")
    sender = start("zita-j2n", "--jname", "zj", "--jserv", SERVER, "--chan", "2", "--16bit", "127.0.0.1", "7100")
    time.sleep(SETTLING)
    figures = measure("zj:in_1", "zn:out_1")
    end(sender, receiver)
    return *figures, None


def iounit(period, buffer):
    place, common = "rtp://127.0.0.1:5004", ["--server", SERVER, "--no-connect", "--codec", "pcm16"]
    receiver = start(PROGRAM, "receive", *common, "--name", "ear", "--buffer", buffer, place)
    sender = start(PROGRAM, "send", *common, "--name", "mouth", "--frame", f"{period / 48:.5f}", place)
    time.sleep(SETTLING / 2)
    before, since = wakeups(sender), time.monotonic()
    time.sleep(SETTLING / 2)
    each = (wakeups(sender) - before) / (time.monotonic() - since)
    figures = measure("mouth:in_1", "ear:out_1")
    end(sender, receiver, interrupt=True)
    return *figures, each


subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], check=True)
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
print(f"load {os.getloadavg()[0]}, {rounds} rounds", flush=True)
for period in [int(word) for word in sys.argv[2:]] or [64, 256, 1024]:
    server = start("jackd", "-n", SERVER, "-d", "dummy", "-r", "48000", "-p", str(period))
    subprocess.run(["jack_wait", "-s", SERVER, "-w", "-t", "10"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    contenders = {"zita": lambda: zita(period), "iounit 10 ms": lambda: iounit(period, "10"), "iounit auto": lambda: iounit(period, "auto")}
    found = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            found[name].append(run())
    for name, all_ in found.items():
        times = [figures[0] for figures in all_ if figures[0] is not None]
        middle = f"{statistics.median(times):.2f} ms of {[round(value, 2) for value in times]}" if times else "on several paths"
        rest = f"{all_[-1][1]:.0f} dB" if all_[-1][1] is not None else "-"
        print(f"{period:5} {name:13} {middle}, {rest}" + (f", {all_[-1][2]:.0f} wake-ups a second" if all_[-1][2] else ""), flush=True)
    end(server)
