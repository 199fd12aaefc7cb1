"""An Icecast server that takes one source and no connection beside it, and prints what it sends to the last byte.

usage: mount.py --port-file FILE [--deaf] [--head] [--ipv6]
--deaf takes the source, and reads nothing until a line comes; --head prints the request too; --ipv6 listens at ::1.
"""
import os
import socket
import sys

if "--ipv6" in sys.argv:
    server = socket.create_server(("::1", 0), family=socket.AF_INET6)
else:
    server = socket.create_server(("127.0.0.1", 0))
with open(sys.argv[2] + ".new", "w") as file:
    file.write(str(server.getsockname()[1]))
os.rename(sys.argv[2] + ".new", sys.argv[2])
while True:
    connection, _ = server.accept()
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(1)
    if b"Authorization: Basic" in head:
        break
    # A source tries it without a password first.
    connection.sendall(b'HTTP/1.0 401 Denied\r\nWWW-Authenticate: Basic realm="mount"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    connection.close()
server.close()
connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
if "--head" in sys.argv:
    sys.stdout.buffer.write(head)
if "--deaf" in sys.argv:
    sys.stdin.readline()
    sys.exit()
while data := connection.recv(65536):
    sys.stdout.buffer.write(data)
