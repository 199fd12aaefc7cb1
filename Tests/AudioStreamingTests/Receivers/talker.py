"""A sender of RTP with faults: L16, one channel, 48 kHz, a tone of 1 kHz at half of full scale in packets of 10 ms.

usage: talker.py PORT STEP...
Prints at its end by how many seconds a packet went out too late at the most.

STEP is one of
  send=SECONDS[,PPM]  packets in time, of a clock that is so much too fast
  hold=SECONDS        packets that are kept, and go out all at once at its end
  pause=SECONDS       none, while the time of the stream goes on
  back=SECONDS        the time stamps step back, and the numbers go on
  again               numbers and time stamps begin again with 0, as of a sender that was started again and kept its name
  other               another sender, with another name and other numbers
  end                 10 ms at 0.9 of full scale, as a last word
  bye                 good-bye
"""
import math
import socket
import struct
import sys
import time

port = int(sys.argv[1])
output = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
frames, rate = 480, 48000
sequence, stamp, source, played = 0, 0, 0x10D1, 0
due = time.monotonic()
late = 0.0
tone = [struct.pack("!h", round(16384 * math.sin(2 * math.pi * 1000 * frame / rate))) for frame in range(48)]
sound = b"".join(tone) * (frames // 48)


def packet(payload=sound):
    global sequence, stamp
    made = struct.pack("!BBHII", 0x80, 96, sequence & 0xFFFF, stamp & 0xFFFFFFFF, source) + payload
    sequence, stamp = sequence + 1, stamp + frames
    return made


def send(data):
    global late
    late = max(late, time.monotonic() - due)
    output.sendto(data, ("127.0.0.1", port))


for step in sys.argv[2:]:
    name, _, words = step.partition("=")
    numbers = [float(word) for word in words.split(",")] if words else []
    if name == "send":
        length = frames / rate / (1 + (numbers[1] if len(numbers) > 1 else 0) * 1e-6)
        for _ in range(round(numbers[0] * rate / frames)):
            due += length
            time.sleep(max(0, due - time.monotonic()))
            send(packet())
    elif name == "hold":
        kept = [packet() for _ in range(round(numbers[0] * rate / frames))]
        due += numbers[0]
        time.sleep(max(0, due - time.monotonic()))
        for data in kept:
            send(data)
    elif name == "pause":
        due += numbers[0]
        stamp += round(numbers[0] * rate)
    elif name == "back":
        stamp -= round(numbers[0] * rate)
    elif name == "again":
        sequence, stamp = 0, 0
    elif name == "other":
        sequence, stamp, source = sequence + 30000, stamp + 0x40000000, source + 1
    elif name == "end":
        due += frames / rate
        time.sleep(max(0, due - time.monotonic()))
        send(packet(struct.pack("!h", 29491) * frames))
    elif name == "bye":
        output.sendto(struct.pack("!BBHI", 0x81, 203, 1, source), ("127.0.0.1", port + 1))
    else:
        sys.exit(f"{step} is no step")
print(late)
