"""A bad network: takes datagrams of RTP at a port and the next one, and passes them on late, out of order, twice or never.

usage: network.py FROM TO SEED LOSS DELAY_MS SPREAD_MS DUPLICATES

What becomes of each datagram depends on SEED and its number alone. The first one of a sender passes before all others, so that what
is lost can be counted by who receives; the reports at the second port pass after all that was sent before them.

On SIGTERM it passes on what waits, and prints as JSON what it did to the datagrams of the first port: those that were taken, lost
and doubled; of the lost ones those behind the last that passed (trailing), which nobody can know of; and the time stamps from the
first to the last that passed (span), with the bytes that the last one's payload had (lastBytes).
"""
import heapq
import json
import random
import select
import signal
import socket
import struct
import sys
import time

source, target, seed = (int(word) for word in sys.argv[1:4])
loss, delay, spread, duplicates = (float(word) for word in sys.argv[4:8])
generator = random.Random(seed)
inputs = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
for index, one in enumerate(inputs):
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    one.bind(("127.0.0.1", source + index))
output = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
counts = {"taken": 0, "lost": 0, "doubled": 0, "overtaken": 0, "trailing": 0, "span": 0, "lastBytes": 0}
is_ended = False
newest, first_stamp, sender, order = -1, 0, None, 0


def end(*_):
    global is_ended
    is_ended = True


signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
waiting = []


def keep(seconds, number, port, data):
    global order
    order += 1
    heapq.heappush(waiting, (time.monotonic() + seconds, order, number, port, data))


while not is_ended or waiting:
    now = time.monotonic()
    while waiting and waiting[0][0] <= now:
        _, _, number, port, data = heapq.heappop(waiting)
        output.sendto(data, ("127.0.0.1", port))
        if port == target:
            counts["overtaken"] += number < newest
            newest = max(newest, number)
    left = waiting[0][0] - now if waiting else 0.05
    ready, _, _ = select.select([] if is_ended else inputs, [], [], max(0, min(left, 0.05)))
    for one in ready:
        data = one.recv(65536)
        if one is inputs[1]:
            keep((delay + spread) / 1000, -1, target + 1, data)
            continue
        number = counts["taken"]
        counts["taken"] += 1
        stamp, identifier = struct.unpack("!II", data[4:12])
        if identifier != sender:
            sender, first_stamp = identifier, stamp
            keep(max(0, delay - spread) / 1000, number, target, data)
            counts["lastBytes"] = len(data) - 12
            continue
        # All are drawn, so that one's fate does not depend on another's.
        is_lost, is_doubled, late = generator.random() < loss, generator.random() < duplicates, (
            [generator.uniform(-spread, spread), generator.uniform(-spread, spread)])
        if is_lost:
            counts["lost"] += 1
            counts["trailing"] += 1
            continue
        counts |= {"trailing": 0, "span": (stamp - first_stamp) & 0xFFFFFFFF, "lastBytes": len(data) - 12}
        counts["doubled"] += is_doubled
        for extra in late[:1 + is_doubled]:
            keep((delay + extra) / 1000, number, target, data)
print(json.dumps(counts), flush=True)
