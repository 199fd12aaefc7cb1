"""A receiver of RTP, with code of its own: prints what the packets' headers say, and the sender reports, as JSON.

usage: rtp.py PORT COUNT [ADDRESS]
ADDRESS is one of this machine (127.0.0.1), or of a group, which is joined; of each packet the hops that it had left are told.
COUNT packets and a goodbye are the end, with all that has come by then.
"""
import json
import select
import socket
import struct
import sys

port, count = int(sys.argv[1]), int(sys.argv[2])
address = sys.argv[3] if len(sys.argv) > 3 else "127.0.0.1"
family = socket.AF_INET6 if ":" in address else socket.AF_INET
data, control = (socket.socket(family, socket.SOCK_DGRAM) for _ in range(2))
# So that none is dropped where the machine holds this up.
data.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
data.bind((address, port))
control.bind((address, port + 1))
if family == socket.AF_INET and 224 <= int(address.split(".")[0]) <= 239:
    for each in data, control:
        each.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(address) + bytes(4))
if family == socket.AF_INET:
    data.setsockopt(socket.IPPROTO_IP, 12, 1)  # IP_RECVTTL
packets, reports, names, goodbyes, hops = [], [], [], [], set()
# A goodbye overtakes what has come before it and was not read yet.
while len(packets) < count or not goodbyes or select.select([data], [], [], 0)[0]:
    ready, _, _ = select.select([data, control], [], [], 30)
    if not ready:
        sys.exit(f"nothing came for 30 s after {len(packets)} packets and {len(goodbyes)} goodbyes")
    if data in ready:
        bytes_, extra, _, _ = data.recvmsg(65536, 64)
        hops |= {struct.unpack("i", value)[0] for _, kind, value in extra if kind == socket.IP_TTL}
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
print(json.dumps({"packets": packets, "reports": reports, "names": names, "goodbyes": goodbyes, "hops": list(hops)}))
