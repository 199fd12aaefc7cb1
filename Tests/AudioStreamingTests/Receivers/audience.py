"""Many listeners of an Icecast server at once.

usage: audience.py HOST PORT MOUNT COUNT SECONDS
Prints "all listen" when each has heard something, and at the end, or when a line comes, one line of JSON: how many there were, how many
the server sent away, the least and most bytes of one, and of the pages of Ogg that a tenth of them got how many are missing.
"""
import json
import resource
import select
import socket
import struct
import sys
import time

host, port, mount, count, seconds = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), float(sys.argv[5])
limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit, count + 64), limit))
poll = select.epoll()
files, sizes, kept = {}, {}, {}
for index in range(count):
    stream = socket.create_connection((host, port), timeout=10)
    stream.sendall(f"GET /{mount} HTTP/1.0\r\n\r\n".encode())
    stream.setblocking(False)
    number = stream.fileno()
    files[number], sizes[number] = stream, 0
    if index % 10 == 0:
        kept[number] = bytearray()
    poll.register(number, select.EPOLLIN)


def listen(until):
    ended = 0
    while time.monotonic() < until():
        for number, _ in poll.poll(0.1):
            data = files[number].recv(1 << 16)
            if not data:
                ended += 1
                poll.unregister(number)
            sizes[number] += len(data)
            if number in kept:
                kept[number] += data
    return ended


# The server takes some forty a second.
deadline = time.monotonic() + 150
ended = listen(lambda: deadline if min(sizes.values()) < 1000 else 0)
print("all listen", flush=True)
before = dict(sizes)
end = time.monotonic() + seconds
ended += listen(lambda: end)
missing = pages = 0
for data in kept.values():
    place, numbers = data.find(b"\r\n\r\n") + 4, []
    while place + 27 <= len(data) and data[place:place + 4] == b"OggS":
        lengths = data[place + 27:place + 27 + data[place + 26]]
        numbers.append(struct.unpack("<I", data[place + 18:place + 22])[0])
        place += 27 + len(lengths) + sum(lengths)
    # The first ones are those that each listener gets again, whenever it comes.
    later = [number for number in numbers if number > 1]
    pages += len(later)
    missing += later[-1] - later[0] + 1 - len(later) if later else 0
heard = [sizes[number] - before[number] for number in sizes]
print(json.dumps({"listeners": count, "ended": ended, "leastBytes": min(heard), "mostBytes": max(heard), "pages": pages, "missingPages": missing}))
