"""A bad network: takes datagrams of RTP at a port and the next one, and passes them on late, out of order, twice or never.

usage: network.py FROM TO SEED LOSS DELAY_MS SPREAD_MS DUPLICATES

What becomes of each datagram depends on SEED and its number alone. The first one of a sender passes before all others, so that what
is lost can be counted by who receives; the reports at the second port pass after all that was sent before them.

On SIGTERM it passes on what waits, and prints as JSON what it did to the datagrams of the first port: those that were taken, lost
and doubled; of the lost ones those behind the last that passed (trailing), which nobody can know of; and the time stamps from the
first to the last that passed (span), with the bytes that the last one's payload had (lastBytes); and by how many frames the last
report passed later than that of a sender in time would have (tail): a receiver plays on until it knows of the end.
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
    one.setblocking(False)
output = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
counts = {"taken": 0, "lost": 0, "doubled": 0, "overtaken": 0, "trailing": 0, "span": 0, "lastBytes": 0, "tail": 0}
RATE = 48000
is_ended = False
newest, first_stamp, first_time, sender, order = -1, 0, 0.0, None, 0


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


def receive(one):
    """The next datagram; None where there is none."""
    try:
        return one.recv(65536)
    except BlockingIOError:
        return None


def take(data):
    """Decides what becomes of a datagram of the first port."""
    global sender, first_stamp, first_time
    number = counts["taken"]
    counts["taken"] += 1
    stamp, identifier = struct.unpack("!II", data[4:12])
    if identifier != sender:
        sender, first_stamp, first_time = identifier, stamp, time.monotonic()
        keep(max(0, delay - spread) / 1000, number, target, data)
        counts["lastBytes"] = len(data) - 12
        return
    # All are drawn, so that one's fate does not depend on another's.
    is_lost, is_doubled, late = generator.random() < loss, generator.random() < duplicates, (
        [generator.uniform(-spread, spread), generator.uniform(-spread, spread)])
    if is_lost:
        counts["lost"] += 1
        counts["trailing"] += 1
        return
    counts.update(trailing=0, span=(stamp - first_stamp) & 0xFFFFFFFF, lastBytes=len(data) - 12)
    counts["doubled"] += is_doubled
    for extra in late[:1 + is_doubled]:
        keep((delay + extra) / 1000, number, target, data)


while not is_ended or waiting:
    now = time.monotonic()
    while waiting and waiting[0][0] <= now:
        _, _, number, port, data = heapq.heappop(waiting)
        output.sendto(data, ("127.0.0.1", port))
        if port == target:
            counts["overtaken"] += number < newest
            newest = max(newest, number)
        else:
            late = time.monotonic() - first_time - (delay + spread) / 1000
            counts["tail"] = max(0, round(late * RATE) - counts["span"])
    left = waiting[0][0] - now if waiting else 0.05
    ready, _, _ = select.select([] if is_ended else inputs, [], [], max(0, min(left, 0.05)))
    if ready:
        # Whichever was found: what was sent before a report was sent to the first port, and is there by now.
        reports = [inputs[1].recv(65536)] if inputs[1] in ready else []
        while data := receive(inputs[0]):
            take(data)
        for data in reports:
            keep((delay + spread) / 1000, -1, target + 1, data)
print(json.dumps(counts), flush=True)
