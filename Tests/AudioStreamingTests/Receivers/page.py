#!/usr/bin/python3
"""Clients of a page, written without a library of WebSockets, so that they may do what none does.

usage: page.py PORT cases                    whatever a server must survive; prints a line for each that went wrong
       page.py PORT stall CODEC SECONDS      listens, reads nothing for a time, then reads on: prints what came
       page.py PORT crowd CODEC COUNT SECONDS  many listeners at once
       page.py PORT get PATH SECONDS FILE    keeps what comes of an endless file
What is printed is JSON, but for the cases.
"""
import base64, json, os, select, socket, struct, sys, time

HOST = "127.0.0.1"
PORT = int(sys.argv[1])


def connect(small=False):
    stream = socket.socket()
    if small:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stream.settimeout(20)
    stream.connect((HOST, PORT))
    return stream


def head(stream):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = stream.recv(1)
        if not piece:
            break
        data += piece
    return data.decode("latin-1")


def request(path, *headers, method="GET", host=None, upgrade=False, raw=None):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'{HOST}:{PORT}'}", *headers]
    if upgrade:
        key = base64.b64encode(os.urandom(16)).decode()
        lines += ["Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
    return raw or ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def status(*arguments, **options):
    """The status of an answer; 0 where the connection was closed without one."""
    stream = connect()
    try:
        stream.sendall(request(*arguments, **options))
        words = head(stream).split(" ")
        return int(words[1]) if len(words) > 1 else 0
    except (ConnectionError, TimeoutError, socket.timeout):
        return 0
    finally:
        stream.close()


def web(path, *headers, small=False):
    stream = connect(small)
    stream.sendall(request(path, *headers, upgrade=True))
    answer = head(stream)
    if " 101 " not in answer.split("\r\n")[0]:
        raise ConnectionError(answer.split("\r\n")[0])
    return stream


def frame(opcode, payload=b"", end=True, reserved=0, masked=True, length=None):
    size = len(payload) if length is None else length
    first = bytes([(0x80 if end else 0) | reserved << 4 | opcode])
    bit = 0x80 if masked else 0
    if size < 126:
        first += bytes([bit | size])
    elif size < 65536:
        first += bytes([bit | 126]) + struct.pack("!H", size)
    else:
        first += bytes([bit | 127]) + struct.pack("!Q", size)
    if not masked:
        return first + payload
    mask = os.urandom(4)
    return first + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))


class Frames:
    """The frames that a server sends."""

    def __init__(self, stream):
        self.stream, self.data = stream, b""

    def take(self, count):
        while len(self.data) < count:
            piece = self.stream.recv(65536)
            if not piece:
                raise EOFError
            self.data += piece
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def next(self):
        first, second = self.take(2)
        size = second & 127
        if size == 126:
            size = struct.unpack("!H", self.take(2))[0]
        elif size == 127:
            size = struct.unpack("!Q", self.take(8))[0]
        return first & 15, self.take(size)


def closing(stream, *frames, patience=20):
    """The code with which the server closes; 0 where it says none, and None where it goes on."""
    reader = Frames(stream)
    stream.settimeout(patience)
    try:
        for piece in frames:
            stream.sendall(piece)
        end = time.monotonic() + patience
        while time.monotonic() < end:
            opcode, payload = reader.next()
            if opcode == 8:
                return struct.unpack("!H", payload[:2])[0] if len(payload) >= 2 else 0
    except (EOFError, ConnectionError):
        return 0
    except (TimeoutError, socket.timeout):
        return None
    finally:
        stream.close()
    return None


def behind(stream, *frames):
    """How many frames come behind the server's Close frame, which is not answered."""
    reader, count = Frames(stream), None
    for piece in frames:
        stream.sendall(piece)
    try:
        while True:
            opcode, _ = reader.next()
            if count is not None:
                count += 1
            elif opcode == 8:
                count = 0
                stream.settimeout(5)
    except (EOFError, OSError):
        return count
    finally:
        stream.close()


def answered(stream, *frames):
    """What the server answers with first, but for its own figures."""
    reader = Frames(stream)
    for piece in frames:
        stream.sendall(piece)
    while True:
        opcode, payload = reader.next()
        if opcode != 1 or b"refused" in payload:
            stream.close()
            return opcode, payload


def cases():
    wrong = 0

    def check(name, seen, *allowed):
        nonlocal wrong
        if seen not in allowed:
            wrong += 1
            print(f"{name}: {seen!r} instead of {' or '.join(map(repr, allowed))}")

    # HTTP.
    check("the page", status("/"), 200)
    check("HEAD", status("/", method="HEAD"), 200)
    check("POST", status("/", "Content-Length: 0", method="POST"), 405)
    for method in ["BREW", "TRACE", "CONNECT"]:
        check(method, status("/", method=method), 501)
    check("DELETE", status("/", method="DELETE"), 405, 0)
    check("another name (DNS rebinding)", status("/", host="evil.example"), 421)
    check("another name at our port", status("/", host=f"evil.example:{PORT}"), 421)
    check("localhost", status("/", host=f"localhost:{PORT}"), 200)
    check("an address of IPv6", status("/", host=f"[::1]:{PORT}"), 200)
    check("no host", status("/", raw=b"GET / HTTP/1.1\r\n\r\n"), 421, 400, 0)
    check("nothing there", status("/../../etc/passwd"), 404, 403, 0)
    check("an encoded way up", status("/%2e%2e/%2e%2e/etc/passwd"), 404, 403, 0)
    check("a zero in the path", status("/page%00.css"), 404, 403, 400, 0)
    check("another site reads", status("/status.json", "Origin: https://evil.example"), 403)
    check("a WebSocket without upgrade", status("/stream"), 426)
    check("the figures without upgrade", status("/live"), 426)
    # As curl --http2 and Java ask.
    h2c = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"]
    check("another protocol is offered", status("/healthz", *h2c), 200, 503)
    check("another protocol is offered for a file", status("/stream.wav", *h2c), 200)
    # To these libwebsockets answers by itself.
    check("a protocol of nobody is offered", status("/healthz", "Connection: Upgrade", "Upgrade: foo"), 403)
    stream = connect()
    stream.sendall(request("/healthz"))
    first = head(stream)
    length = int(first.lower().split("content-length:")[1].split("\r\n")[0])
    while length > 0:
        length -= len(stream.recv(length))
    stream.sendall(request("/healthz", "Connection: keep-alive, Upgrade", "Upgrade: foo"))
    check("and on a connection that had an answer", int((head(stream).split(" ") + ["0", "0"])[1]), 403, 0)
    stream.close()
    check("the cookies of other ports", status("/", "Cookie: a=" + "b" * 12000), 200)
    check("an empty part of the query", status("/stream?&codec=mp3", upgrade=True), 404)
    check("no request at all", status("/", raw=b"\x00\xff\x16\x03\x01\r\n\r\n"), 501, 405, 403, 400, 0)
    check("a long header", status("/", "X: " + "a" * 100_000), 400, 413, 431, 0)
    check("many headers", status("/", *[f"X{number}: y" for number in range(5000)]), 200, 400, 413, 431, 0)
    check("a long path", status("/" + "a" * 100_000), 404, 414, 400, 0)
    check("HTTP/0.9", status("/", raw=b"GET /\r\n\r\n"), 0, 400, 421)

    # The way to a WebSocket.
    check("no such codec", status("/stream?codec=mp3", upgrade=True), 404)
    check("no such WebSocket", status("/elsewhere", upgrade=True), 404)
    check("another site listens", status("/stream?codec=opus", "Origin: http://evil.example", upgrade=True), 403)
    check("a page without origin", status("/live", "Origin: null", upgrade=True), 403)
    check("our own page", status("/live", f"Origin: http://{HOST}:{PORT}", upgrade=True), 101)
    check("an old version", status("/live", raw=request("/live", upgrade=True).replace(b"Version: 13", b"Version: 7")), 426)

    # Frames (RFC 6455): what a test suite of WebSockets asks for, and a server of small messages has.
    live = lambda: web("/live")
    text = lambda message, **options: frame(1, message, **options)
    check("ping", answered(live(), frame(9, b"abc")), (10, b"abc"))
    check("an empty ping", answered(live(), frame(9)), (10, b""))
    check("a ping of 125 bytes", answered(live(), frame(9, b"x" * 125)), (10, b"x" * 125))
    check("a ping of 126 bytes", closing(live(), frame(9, b"x" * 126)), 1002, 0)
    check("a ping in parts", closing(live(), frame(9, b"x", end=False)), 1002, 0)
    check("a pong that nobody asked for", answered(live(), frame(10, b"x"), frame(9, b"y")), (10, b"y"))
    for bits in range(1, 8):
        check(f"reserved bits {bits}", closing(live(), text(b"{}", reserved=bits)), 1002, 0)
    for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15]:
        check(f"opcode {opcode}", closing(live(), frame(opcode, b"x")), 1002, 0)
    # libwebsockets takes what has no mask, which protects proxies and not us.
    check("no mask", closing(live(), text(b"{}", masked=False), patience=3), 1002, 0, None)
    check("a part of nothing", closing(live(), frame(0, b"x")), 1002, 0)
    check("a text within a text", closing(live(), text(b"{", end=False), text(b"}")), 1002, 0)
    refused = answered(live(), text(b'{"set":', end=False), frame(0, b'"mute",', end=False), frame(9, b"between"))
    check("a ping between parts", refused, (10, b"between"))
    whole = answered(live(), text(b'{"set":', end=False), frame(0, b'"mute",', end=False), frame(0, b'"value":true}'))
    check("a message in parts", whole[0] == 1 and b"refused" in whole[1], True)
    check("byte by byte", answered(live(), *[bytes([byte]) for byte in frame(9, b"slow")]), (10, b"slow"))
    for name, bad in [("a lone byte", b"\x80"), ("an end too early", b"\xc3"), ("a surrogate", b"\xed\xa0\x80"),
                      ("an overlong zero", b"\xc0\x80"), ("beyond Unicode", b"\xf4\x90\x80\x80")]:
        check(f"bad UTF-8: {name}", closing(live(), text(bad)), 1007, 0)
    check("bytes", closing(live(), frame(2, b"x")), 1003)
    check("too long", closing(live(), text(b"x" * 5000)), 1009)
    # With nothing behind the part that is too much: what a closed connection is sent takes the server's last word away.
    check("too long in parts", closing(live(), text(b"x" * 600, end=False), frame(0, b"x" * 600, end=False)), 1009)
    check("a gigabyte is announced", closing(live(), text(b"x" * 4096, length=1 << 30)), 1009, 0)
    check("more than there are numbers", closing(live(), text(b"x", length=1 << 63)), 1002, 1009, 0)
    check("a close", closing(live(), frame(8, struct.pack("!H", 1000))), 1000, 0)
    check("an empty close", closing(live(), frame(8)), 0, 1000, 1005)
    check("a close of one byte", closing(live(), frame(8, b"\x03")), 1002, 0)
    check("packets behind the server's close", behind(web("/stream?codec=float"), frame(3, b"x")), 0)
    for code in [0, 999, 1004, 1005, 1006, 1016, 2999]:
        check(f"a close with {code}", closing(live(), frame(8, struct.pack("!H", code))), 1002, 0, code)
    check("a close with bad UTF-8", closing(live(), frame(8, struct.pack("!H", 1000) + b"\xff")), 1007, 1002, 1000, 0)
    many = live()
    try:
        for _ in range(2000):
            many.sendall(text(b'{"set":"gain","value":1}'))
    except (ConnectionError, socket.timeout):
        pass
    many.close()
    # And it is there all the same.
    check("the page afterwards", status("/"), 200)
    return wrong


def packets(reader, handle):
    """Hands each packet's sequence number, loss and frames to a function until it is false."""
    while True:
        opcode, payload = reader.next()
        if opcode == 2 and not payload[5] & 2:
            sequence, lost = struct.unpack("!II", payload[8:16])
            if not handle(sequence, lost if payload[5] & 8 else 0):
                return


def stall(codec, seconds):
    stream = web(f"/stream?codec={codec}", small=True)
    reader = Frames(stream)
    seen, losses = [], []

    def first(sequence, lost):
        seen.append(sequence)
        return len(seen) < 10

    packets(reader, first)
    time.sleep(seconds)
    end = time.monotonic() + 3

    def rest(sequence, lost):
        if lost:
            losses.append(lost)
        else:
            assert sequence == seen[-1] + 1, "a packet is missing, and nobody says so"
        assert sequence == seen[-1] + 1 + lost, "more or fewer are missing than is said"
        seen.append(sequence)
        return time.monotonic() < end

    packets(reader, rest)
    print(json.dumps({"received": len(seen), "lost": sum(losses), "span": seen[-1] - seen[0] + 1, "losses": len(losses)}))


def crowd(codec, count, seconds):
    streams, watched = [], {}
    poll = select.epoll()
    for index in range(count):
        stream = web(f"/stream?codec={codec}")
        stream.setblocking(False)
        streams.append(stream)
        if index % max(1, count // 10) == 0:
            watched[stream.fileno()] = bytearray()
        poll.register(stream, select.EPOLLIN)
    sizes = {stream.fileno(): 0 for stream in streams}
    files = {stream.fileno(): stream for stream in streams}
    ended = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for number, _ in poll.poll(0.1):
            data = files[number].recv(1 << 16)
            if not data:
                ended += 1
                poll.unregister(number)
            sizes[number] += len(data)
            if number in watched:
                watched[number] += data
    counts = []
    for data in watched.values():
        class Kept:
            def recv(self, size):
                raise EOFError
        reader = Frames(Kept())
        reader.data = bytes(data)
        sequences = []
        try:
            packets(reader, lambda sequence, lost: sequences.append((sequence, lost)) or True)
        except EOFError:
            pass
        assert all(lost == 0 for _, lost in sequences), "packets were lost"
        assert [sequence for sequence, _ in sequences] == list(range(sequences[0][0], sequences[0][0] + len(sequences))), "packets are missing"
        counts.append(len(sequences))
    least, most = min(sizes.values()), max(sizes.values())
    print(json.dumps({"listeners": count, "ended": ended, "leastBytes": least, "mostBytes": most, "leastPackets": min(counts)}))


def get(path, seconds, file):
    stream = connect()
    stream.sendall(request(path))
    answer = head(stream)
    begun = time.monotonic()
    with open(file, "wb") as target:
        # To the last of what lies there by then.
        while time.monotonic() < begun + seconds or select.select([stream], [], [], 0)[0]:
            data = stream.recv(65536)
            if not data:
                break
            target.write(data)
    heard = time.monotonic() - begun
    media = answer.split("Content-Type: ")[1].split("\r\n")[0]
    print(json.dumps({"status": int(answer.split(" ")[1]), "type": media, "seconds": heard}))


arguments = sys.argv[3:]
match sys.argv[2]:
    case "cases":
        cases()
    case "stall":
        stall(arguments[0], float(arguments[1]))
    case "crowd":
        crowd(arguments[0], int(arguments[1]), float(arguments[2]))
    case "get":
        get(arguments[0], float(arguments[1]), arguments[2])
