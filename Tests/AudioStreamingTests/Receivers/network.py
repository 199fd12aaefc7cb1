"""A bad network: takes datagrams at a port and the next one, and passes them on late, out of order, twice or never.

usage: network.py FROM TO SEED LOSS DELAY_MS SPREAD_MS DUPLICATES

What becomes of each datagram depends on SEED and its number alone. On SIGTERM it prints as JSON what it did to those of the
first port. The first datagram always passes, so that what is lost can be counted by who receives.
"""
import heapq
import json
import random
import select
import signal
import socket
import sys
import time

source, target, seed = (int(word) for word in sys.argv[1:4])
loss, delay, spread, duplicates = (float(word) for word in sys.argv[4:8])
generator = random.Random(seed)
inputs = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
for index, one in enumerate(inputs):
    one.bind(("127.0.0.1", source + index))
output = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
counts = {"taken": 0, "lost": 0, "doubled": 0, "overtaken": 0}
is_ended = False
# A loss shows only where a later datagram arrives.
trailing = 0
newest = -1


def end(*_):
    global is_ended
    is_ended = True


signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
waiting = []
while not is_ended or waiting:
    now = time.monotonic()
    while waiting and waiting[0][0] <= now:
        _, number, port, data = heapq.heappop(waiting)
        output.sendto(data, ("127.0.0.1", port))
        if port == target:
            counts["overtaken"] += number < newest
            newest = max(newest, number)
    left = waiting[0][0] - now if waiting else 0.05
    ready, _, _ = select.select([] if is_ended else inputs, [], [], max(0, min(left, 0.05)))
    for one in ready:
        data = one.recv(65536)
        index = inputs.index(one)
        # Reports keep their order: they are for the clock, and not what is tried here.
        if index == 1:
            heapq.heappush(waiting, (time.monotonic() + delay / 1000, -1, target + 1, data))
            continue
        number = counts["taken"]
        counts["taken"] += 1
        if generator.random() < loss and number > 0:
            counts["lost"] += 1
            trailing += 1
            continue
        trailing = 0
        times = 2 if generator.random() < duplicates and number > 0 else 1
        counts["doubled"] += times - 1
        for _ in range(times):
            late = (delay + generator.uniform(-spread, spread)) / 1000
            heapq.heappush(waiting, (time.monotonic() + late, number, target, data))
counts["trailing"] = trailing
print(json.dumps(counts), flush=True)
