"""A receiver of RTP, with code of its own: prints what the packets' headers say, and the sender reports, as JSON.

usage: rtp.py PORT COUNT
"""
import json
import select
import socket
import struct
import sys

port, count = int(sys.argv[1]), int(sys.argv[2])
data, control = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
data.bind(("127.0.0.1", port))
control.bind(("127.0.0.1", port + 1))
packets, reports, names, goodbyes = [], [], [], []
while len(packets) < count or not goodbyes:
    ready, _, _ = select.select([data, control], [], [], 30)
    if not ready:
        sys.exit("nothing came for 30 s")
    if data in ready:
        bytes_ = data.recv(65536)
        flags, kind, sequence, time, source = struct.unpack("!BBHII", bytes_[:12])
        packets.append({"version": flags >> 6, "marker": kind >> 7, "type": kind & 127, "sequence": sequence,
                        "time": time, "source": source, "payload": list(bytes_[12:])})
    if control in ready:
        rest = control.recv(65536)
        while rest:
            flags, kind, words, source = struct.unpack("!BBHI", rest[:8])
            length = 4 * (words + 1)
            body = rest[8:length]
            if kind == 200:
                seconds, parts, time, sent, octets = struct.unpack("!IIIII", body)
                reports.append({"source": source, "wall": seconds - 2208988800 + parts / 2**32, "time": time,
                                "packets": sent, "bytes": octets})
            elif kind == 202:
                names.append(body[2:2 + body[1]].decode())
            elif kind == 203:
                goodbyes.append(source)
            rest = rest[length:]
print(json.dumps({"packets": packets, "reports": reports, "names": names, "goodbyes": goodbyes}))
