#!/usr/bin/python3
"""A crowd at a page: as many listeners as have a place, more than that, and connections that say nothing.

usage: full.py PORT LISTENERS    prints a line for each thing that went wrong
"""
import socket, sys, time

PORT, LISTENERS = int(sys.argv[1]), int(sys.argv[2])


def connect():
    stream = socket.create_connection(("127.0.0.1", PORT), timeout=20)
    return stream


def ask(path, *lines):
    """A connection that has asked, its status, and the head of the answer."""
    begun = time.monotonic()
    try:
        return asked(path, *lines)
    except ConnectionError:
        # The server looks at its timers of 5 s before it reads: after it stood still it closes those who have asked.
        if time.monotonic() - begun < 4:
            raise
        return asked(path, *lines)


def asked(path, *lines):
    stream = connect()
    stream.sendall("\r\n".join([f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{PORT}", *lines, "", ""]).encode())
    head = b""
    while b"\r\n\r\n" not in head:
        piece = stream.recv(1)
        if not piece:
            break
        head += piece
    words = head.decode("latin-1").split(" ")
    return stream, int(words[1]) if len(words) > 1 else 0, head.decode("latin-1")


def check(name, seen, expected):
    if seen != expected:
        print(f"{name}: {seen!r} instead of {expected!r}")


WEB = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13"]


def others(when):
    """What must be answered whoever is there."""
    for path in ["/", "/status.json", "/metrics", "/healthz"]:
        stream, status, _ = ask(path)
        # What is not running yet says so.
        check(f"{path} {when}", status, 503 if path == "/healthz" and status == 503 else 200)
        stream.close()
    stream, status, _ = ask("/live", *WEB)
    check(f"the controls {when}", status, 101)
    stream.close()


listeners = []
for number in range(LISTENERS):
    stream, status, _ = ask("/stream.opus")
    check(f"listener {number}", status, 200)
    listeners.append(stream)
check("what the last one hears", listeners[-1].recv(4), b"OggS")
for path, lines in [("/stream.opus", []), ("/stream?codec=opus", WEB)]:
    stream, status, head = ask(path, *lines)
    check(f"one more at {path}", status, 503)
    check(f"its Retry-After at {path}", "Retry-After: " in head, True)
    stream.close()
# A browser tells its page why only where it is no WebSocket.
stream, status, _ = ask("/stream")
check("why nobody else may listen", status, 503)
stream.close()
others("beside listeners")
pages = []
for _ in range(65):
    stream, status, _ = ask("/live", *WEB)
    pages.append(stream)
    if status != 101:
        break
check("one page more", status, 503)
stream, status, _ = ask("/live")
check("why there is no place for it", status, 503)
for stream in pages:
    stream.close()
silent = [connect() for _ in range(300)]
others("beside silent connections")
# One that has a body to send is no longer listened to.
stream, status, _ = ask("/", "Content-Length: 1000000000")
check("one with a body", status, 413)
try:
    for _ in range(200):
        stream.sendall(b"x" * 65536)
    check("a body", "taken", "refused")
except OSError:
    pass
listeners.pop().close()
for attempt in range(200):
    stream, status, _ = ask("/stream.opus")
    if status == 200:
        break
    # The server finds out that somebody has left as it sends, or when it looks.
    time.sleep(0.05)
check("a place that became free", status, 200)
